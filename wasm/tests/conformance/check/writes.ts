/** Cases that change a store of their own and look at the files afterwards. */

import type { DenseStore, RaggedRecord, RaggedStore, TypedArray } from '../../../ts/interface.js'
import { hex, joined, sha256 } from '../bytes.js'
import type { Kind, Step, WriteCase, Written } from '../cases.js'
import { indexOf } from '../cases.js'
import type { Door, Files } from '../door.js'
import { Difference, compared, raised, same, sameFaults, Skipped } from '../settle.js'
import { type AnyStore, contents, openAs } from './reads.js'

export async function written<Place>(door: Door<Place>, test: WriteCase): Promise<void> {
  if (door.readOnly !== undefined) {
    throw new Skipped(door.readOnly)
  }
  const { expect, kind } = test
  const place = test.copy_of === undefined ? await door.nowhere() : await door.copy(test.copy_of)
  const error = await allSteps(door, test, place)
  same('error', error, expect.error)
  const created = test.steps.some((step) => step.do === 'create')
  await compareFiles(await door.files(place), expect, error !== undefined && created)
  if (expect.records === undefined) {
    return
  }
  const store = await openAs(door, place, kind, {})
  try {
    const found = await contents(store)
    sameFaults(found.faults, [])
    same('records', store.length, expect.records)
    same('digest', await sha256(joined(found.readable)), expect.sha256)
    sameFaults((await store.verify()).faults, [])
  } finally {
    await store.close()
  }
}

/** The code of the error that ended the steps. */
async function allSteps<Place>(door: Door<Place>, test: WriteCase, place: Place): Promise<string | undefined> {
  let store: AnyStore | undefined
  try {
    for (const step of test.steps) {
      if (step.do === 'create') {
        store = await create(door, step.like, test.kind, place)
        continue
      }
      if (step.do === 'reopen') {
        await store?.close()
        store = undefined
      }
      store ??= await openAs(door, place, test.kind, { write: true })
      await change(door, store, step)
    }
    return undefined
  } catch (error) {
    return raised(error).code
  } finally {
    await store?.close()
  }
}

async function create<Place>(door: Door<Place>, like: string, kind: Kind, place: Place): Promise<AnyStore> {
  const model = await openAs(door, await door.original(like), kind, {})
  const dictionary = (await door.golden(like)).get('dict.zr')
  const options = { dtype: model.dtype, codec: model.codec, ...(dictionary !== undefined && { dictionary }) }
  await model.close()
  return model.kind === 'dense'
    ? door.recask.DenseStore.create(place, { ...options, itemShape: model.itemShape })
    : door.recask.RaggedStore.create(place, options)
}

async function change<Place>(door: Door<Place>, store: AnyStore, step: Step): Promise<void> {
  switch (step.do) {
    case 'create':
    case 'reopen':
      return
    case 'append':
      return appendFrom(door, store, step.from, indexOf(step.index))
    case 'append_zeros':
      return append(store, zeros(step.dtype, step.count))
    case 'delete':
      return store.delete(indexOf(step.index))
    case 'compact':
      return store.compact()
  }
}

async function appendFrom<Place>(
  door: Door<Place>,
  store: AnyStore,
  from: string,
  index: ReturnType<typeof indexOf>,
): Promise<void> {
  const source = await openAs(door, await door.original(from), store.kind, {})
  const before = store.length
  const first =
    source.kind === 'dense'
      ? await (store as DenseStore).append((await source.gather(index)).data)
      : await (store as RaggedStore).append(await records(source, index))
  await source.close()
  same('index of the first appended record', first, before)
}

async function records(source: RaggedStore, index: ReturnType<typeof indexOf>): Promise<RaggedRecord[]> {
  const batch = await source.gather(index)
  return Array.from({ length: batch.length }, (_, at) => batch.record(at))
}

async function append(store: AnyStore, values: TypedArray): Promise<void> {
  await (store.kind === 'dense' ? store.append(values) : store.append([values]))
}

function zeros(dtype: string, count: number): TypedArray {
  switch (dtype) {
    case '|u1':
      return new Uint8Array(count)
    case '<i4':
      return new Int32Array(count)
    default:
      throw new Error(`the runner makes no zeros of type ${dtype}`)
  }
}

/** Recask's own files may be there, unless a creation failed: that leaves nothing behind. */
async function compareFiles(all: Files, wanted: Written, failedCreation: boolean): Promise<void> {
  const files = new Map(all)
  const own = [...files.keys()].filter((name) => name.startsWith('recask.'))
  if (failedCreation) {
    same('files left by the failed creation', own, [])
  }
  own.forEach((name) => files.delete(name))
  if (wanted.meta_without_frontier_hex !== undefined) {
    const meta = files.get('meta.zr')
    if (meta === undefined) {
      throw new Difference('meta.zr is missing')
    }
    const around = joined([meta.subarray(0, 6), meta.subarray(14)])
    same('meta.zr without the frontier', hex(around), wanted.meta_without_frontier_hex)
    ;[...files.keys()].filter((name) => !(name in wanted.files)).forEach((name) => files.delete(name))
  }
  same('names', [...files.keys()].sort(compared), Object.keys(wanted.files).sort(compared))
  for (const [name, { size, first, sha256: digest }] of Object.entries(wanted.files)) {
    const content = files.get(name)!
    same(`size of ${name}`, content.length, size)
    same(`digest of ${name}`, await sha256(content.slice(0, first ?? content.length)), digest)
  }
}
