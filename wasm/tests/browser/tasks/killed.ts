/** A writer in the origin private file system that is killed, and the one that comes next. */

import type { DenseStore } from '../../../ts/interface.js'
import { recask } from '../package.js'
import { access, fresh } from './opfs.js'

/** Records of one append. */
const APPENDED = 50

/** Starts the module, and makes room: what comes then is only the writer's. */
export async function beginWriting(path: string): Promise<void> {
  const { init } = await recask()
  await init()
  await fresh(path)
}

/** Creates a store and appends to it without end, counting on from 0. */
export async function writeOn(path: string): Promise<never> {
  const { DenseStore: Dense, fromOpfs } = await recask()
  const store = await Dense.create(fromOpfs(path), { dtype: '<i4', codec: 'zstd' })
  for (let round = 1; ; round += 1) {
    await append(store)
    if (round % 4 === 0) {
      await store.sync()
    }
    if (round % 7 === 0) {
      await store.delete({ start: store.length - APPENDED })
      await store.compact()
    }
  }
}

function append(store: DenseStore): Promise<number> {
  return store.append(Int32Array.from({ length: APPENDED }, (_, at) => store.length + at))
}

export interface Found {
  /** How many whole appends the killed writer left; `undefined` where there was no store yet. */
  readonly appends: number | undefined
  /** The files of a store that was made or continued, and closed. */
  readonly names: readonly string[]
}

/** Opens what was left, or makes a store where there is none, and goes on. */
export async function writeAfter(path: string): Promise<Found> {
  const { DenseStore: Dense, fromOpfs, listOpfs } = await recask()
  const place = fromOpfs(path)
  await ended(path)
  await read(path).catch(notFound)
  const left = await Dense.open(place, { write: true }).catch(notFound)
  const appends = left && left.length / APPENDED
  const store = left ?? (await Dense.create(place, { dtype: '<i4', codec: 'zstd' }))
  await append(store)
  await store.close()
  const records = await read(path)
  if (records !== ((appends ?? 0) + 1) * APPENDED) {
    throw new Error(`${records} records`)
  }
  return { appends, names: (await listOpfs(path)).map(({ name }) => name) }
}

/** How many records there are; they count on from 0. */
async function read(path: string): Promise<number> {
  const { DenseStore: Dense, fromOpfs } = await recask()
  const store = await Dense.open(fromOpfs(path))
  const { data } = await store.gather({})
  const { faults } = await store.verify()
  await store.close()
  const isWhole = (data as Int32Array).every((value, at) => value === at) && data.length % APPENDED === 0
  if (!isWhole || faults.length > 0) {
    throw new Error(`${data.length} records of ${path} are not what was written: ${JSON.stringify(faults)}`)
  }
  return data.length
}

/** Waits for the end of the killed writer: the browser takes a moment for it. */
async function ended(path: string): Promise<void> {
  const root = await navigator.storage.getDirectory()
  const folder = await root.getDirectoryHandle(path)
  for (let tries = 0; ; tries += 1) {
    try {
      const lock = await access(await folder.getFileHandle('recask.lock'))
      lock.close()
      return
    } catch (error) {
      const { name } = error as DOMException
      if (name === 'NotFoundError') {
        return
      }
      if (name !== 'NoModificationAllowedError' || tries === 100) {
        throw error
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function notFound(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'store_not_found') {
    throw error
  }
}
