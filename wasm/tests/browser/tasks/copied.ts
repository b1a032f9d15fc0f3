/** Copies from a server into the origin private file system, as users make them. */

import { bytesOf, sha256 } from '../../conformance/bytes.js'
import { recask } from '../package.js'
import { remove } from './opfs.js'

export interface CopiedFrom {
  /** A folder with a `recask.json`. */
  readonly store: string
  /** A table that nothing lists. */
  readonly table: string
}

export interface Copied {
  readonly progress: { readonly done: number; readonly total: number }
  readonly entries: readonly (readonly [name: string, bytes: number])[]
  readonly files: readonly string[]
  /** Whether what was copied reads as it does over HTTP. */
  readonly isEqual: readonly boolean[]
  /** Codes of a copy over a copy, of what lies in an interrupted one, and of what was removed. */
  readonly refused: readonly string[]
}

export async function copyAndRead({ store, table }: CopiedFrom): Promise<Copied> {
  const { copyToOpfs, DenseStore, fromOpfs, fromUrl, listOpfs, openAny, opfsFiles, removeOpfs, Table } = await recask()
  await remove('copied')
  let progress = { done: 0, total: 0 }
  await copyToOpfs(fromUrl(store), 'copied/images', { onProgress: (now) => (progress = now) })
  await copyToOpfs(fromUrl(table), '/copied/tables/', { name: 'flights.cstore' })
  const entries = (await listOpfs('copied')).map(({ name, bytes }) => [name, bytes] as const)
  const files = [...(await opfsFiles('copied')).keys()].sort()

  const records = async (place: ReturnType<typeof fromOpfs>) => {
    const opened = await DenseStore.open(place)
    const digest = await sha256(bytesOf((await opened.gather({})).data))
    await opened.close()
    return digest
  }
  const values = async (place: ReturnType<typeof fromOpfs>) => {
    const opened = await Table.open(place)
    const digests = await Promise.all((await opened.columns()).map(({ data }) => sha256(bytesOf(data))))
    await opened.close()
    return digests.join()
  }
  const isEqual = [
    (await records(fromOpfs('copied/images'))) === (await records(fromUrl(store))),
    (await values(fromOpfs('copied/tables/flights.cstore'))) === (await values(fromUrl(table))),
  ]

  const again = await codeOf(() => copyToOpfs(fromUrl(store), 'copied/images'))
  const root = await navigator.storage.getDirectory()
  await (await root.getDirectoryHandle('copied')).getFileHandle('recask.incomplete', { create: true })
  const interrupted = [
    await codeOf(() => DenseStore.open(fromOpfs('copied/images'))),
    await codeOf(() => Table.open(fromOpfs('copied/tables/flights.cstore'))),
    await codeOf(() => openAny(fromOpfs('copied'))),
    await codeOf(() => opfsFiles('copied')),
  ]
  await removeOpfs('copied')
  return { progress, entries, files, isEqual, refused: [again, ...interrupted, await codeOf(() => listOpfs('copied'))] }
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  const { RecaskError } = await recask()
  try {
    await work()
    return 'no error'
  } catch (error) {
    if (error instanceof RecaskError) {
      return error.code
    }
    throw error
  }
}
