/** A store of 6 GiB, over HTTP and in the origin private file system. */

import type { DenseStore } from '../../../ts/interface.js'
import { memory, recask } from '../package.js'
import { CHUNKS, chunkBytes, differences, headers, placeOf, RECORD_BYTES, RECORDS } from '../large.js'
import { access, fill, fresh } from './opfs.js'

/** Of the cache for reading over HTTP. */
export const CACHE_BYTES = 16 * 1024 * 1024

let store: DenseStore | undefined
let threaded = false

/** Makes the store in the origin private file system: long files of almost nothing but holes. */
export async function writeLarge(path: string): Promise<void> {
  const folder = await fresh(path)
  await fill(folder, new Map(Object.entries(headers())))
  for (const [chunk, length] of CHUNKS.entries()) {
    const file = await folder.getFileHandle(`${chunk}.chunk`, { create: true })
    const open = await access(file)
    open.truncate(length)
    for (let record = 0; record < RECORDS; record += 1) {
      const place = placeOf(record)
      if (place.chunk === chunk) {
        open.write(chunkBytes(chunk, place.offset, place.offset + 8), { at: place.offset })
      }
    }
    open.close()
  }
}

/** Opens it, and says how many records it has. */
export async function openLarge({ url, path, threads }: { url?: string; path?: string; threads: boolean }): Promise<number> {
  const { capabilities, DenseStore: Dense, fromOpfs, fromUrl, init } = await recask()
  await init(threads ? {} : { threads: false })
  threaded = capabilities().threads > 1
  if (threaded !== threads) {
    throw new Error(capabilities().reason)
  }
  const place = url === undefined ? fromOpfs(path!) : fromUrl(url, { cache: { bytes: CACHE_BYTES } })
  store = await Dense.open(place)
  if (store.itemShape[0] !== RECORD_BYTES) {
    throw new Error(`its records are of shape ${store.itemShape}`)
  }
  return store.length
}

/** Reads a batch and compares it; how many bytes WebAssembly holds then, and what is wrong. */
export async function gatherLarge(records: readonly number[]): Promise<{ module: number; wrong: string[] }> {
  const { data } = await store!.gather(records)
  return { module: (await memory(threaded)).buffer.byteLength, wrong: differences(records, data as Uint8Array) }
}

/** How many bytes a page and its workers hold, those of WebAssembly too. Workers cannot ask, and only isolated pages may. */
export async function measure(): Promise<number> {
  const scope = performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> }
  return (await scope.measureUserAgentSpecificMemory()).bytes
}
