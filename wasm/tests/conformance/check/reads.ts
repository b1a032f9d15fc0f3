/** Cases that read golden stores. */

import type { DenseStore, OpenOptions, RaggedStore, TypedArray } from '../../../ts/interface.js'
import { bytesOf, isEqual, joined, sha256, storedBytes } from '../bytes.js'
import type {
  Contents,
  Fault,
  Figures,
  Kind,
  OneRecord,
  OpenedAs,
  Picked,
  Refusal,
  StoreCase,
  Verified,
} from '../cases.js'
import { indexOf } from '../cases.js'
import type { Door } from '../door.js'
import { Difference, isRefusal, same, sameFaults, settle, tried } from '../settle.js'

export type AnyStore = DenseStore | RaggedStore

export async function opened<Place>(door: Door<Place>, test: StoreCase<'open', OpenedAs>): Promise<void> {
  const { expect } = test
  await withStore(door, test, async (open) => {
    await settle(
      async () => {
        const store = await open()
        if (isRefusal(expect) && !door.lists) {
          await mayBeLate(store, expect)
        }
        return store
      },
      expect,
      (store, wanted) => {
        same('records', store.length, wanted.records)
        same('codec', store.codec, wanted.codec)
        same('identity', door.inside.identityHex(store), wanted.identity_hex)
        if (wanted.dtype !== undefined) {
          same('dtype', store.dtype, wanted.dtype)
        }
        same('item shape', store.kind === 'dense' ? store.itemShape : undefined, wanted.item_shape)
      },
    )
  })
}

/**
 * Without a listing nothing tells at once that a file is missing or shorter than the headers say, or that there is a dictionary which
 * nobody needs. Such a store opens, and its verification reports the error. This holds for no other error, nor for cases
 * that do anything but open.
 */
async function mayBeLate(store: AnyStore, { error }: Refusal): Promise<void> {
  const isLate =
    error === 'truncated_file' ||
    error === 'missing_file' || (error === 'corrupt_dictionary' && store.codec !== 'zstd_dict')
  if (!isLate) {
    return
  }
  const { faults } = await store.verify()
  const found = faults.find(({ code }) => code === error)
  if (found !== undefined) {
    throw Object.assign(new Error(found.message), found, { name: 'RecaskError' })
  }
}

export async function read<Place>(door: Door<Place>, test: StoreCase<'read', Contents>): Promise<void> {
  await withStore(door, test, (open) =>
    settle(open, test.expect, async (store, wanted) => {
      const found = await contents(store)
      same('records', store.length, wanted.records)
      sameFaults(found.faults, wanted.faults)
      if (wanted.sha256_each !== undefined) {
        same('digests', await Promise.all(found.readable.map(sha256)), wanted.sha256_each)
      }
      if (wanted.shapes !== undefined) {
        same('shapes', found.shapes, wanted.shapes)
      }
      same('digest of the readable records', await sha256(joined(found.readable)), wanted.sha256)
    }),
  )
}

export async function gathered<Place>(door: Door<Place>, test: StoreCase<'gather', Picked>): Promise<void> {
  const index = pick(test)
  await withStore(door, test, (open) =>
    settle(
      async () => {
        const store = await open()
        if (store.kind === 'ragged') {
          const batch = await store.gather(index)
          const shapes = Array.from({ length: batch.length }, (_, at) => batch.record(at).shape)
          return { bytes: storedBytes(batch.data, store.dtype), shape: undefined, shapes }
        }
        const batch = await store.gather(index)
        const again = likewise(batch.data)
        await store.gatherInto(index, again)
        if (!isEqual(bytesOf(again), bytesOf(batch.data))) {
          throw new Difference('gather and gatherInto differ')
        }
        return { bytes: storedBytes(batch.data, store.dtype), shape: batch.shape, shapes: undefined }
      },
      test.expect,
      async ({ bytes, shape, shapes }, wanted) => {
        same('shape', shape, wanted.shape)
        same('shapes', shapes, wanted.shapes)
        same('digest', await sha256(bytes), wanted.sha256)
      },
    ),
  )
}

/** An array of the same type and length, full of something else. */
function likewise(values: TypedArray): TypedArray {
  const other = values.slice()
  bytesOf(other).fill(0xa5)
  return other
}

export async function recordRead<Place>(door: Door<Place>, test: StoreCase<'record', OneRecord>): Promise<void> {
  const index = pick(test)
  await withStore(door, test, (open) =>
    settle(
      async () => one(await open(), index),
      test.expect,
      async ({ shape, bytes }, wanted) => {
        same('shape', shape, wanted.shape)
        same('digest', await sha256(bytes), wanted.sha256)
      },
    ),
  )
}

export async function stats<Place>(door: Door<Place>, test: StoreCase<'stats', Figures>): Promise<void> {
  await withStore(door, test, (open) =>
    settle(
      async () => (await open()).stats(),
      test.expect,
      (found, wanted) => {
        same('records', found.records, wanted.records)
        same('live bytes', found.liveBytes, wanted.live_bytes)
        same('chunk bytes', found.chunkBytes, wanted.chunk_bytes)
        same('reclaimable', found.reclaimable, wanted.reclaimable)
      },
    ),
  )
}

export async function verified<Place>(door: Door<Place>, test: StoreCase<'verify', Verified>): Promise<void> {
  await withStore(door, test, (open) =>
    settle(
      async () => (await open()).verify(),
      test.expect,
      (found, wanted) => {
        same('records', found.records, wanted.records)
        same('number of faults', found.found, wanted.faults.length)
        same('sound', found.ok, wanted.faults.length === 0)
        sameFaults(found.faults, wanted.faults)
      },
    ),
  )
}

/** Gives something the store of a case to open, and closes it afterwards. */
async function withStore<Place, T>(
  door: Door<Place>,
  { store, kind, codec }: StoreCase<string, T>,
  work: (open: () => Promise<AnyStore>) => Promise<void>,
): Promise<void> {
  const place = await door.original(store)
  let open: AnyStore | undefined
  try {
    await work(async () => (open = await openAs(door, place, kind, codec === undefined ? {} : { codec: codec as OpenOptions['codec'] })))
  } finally {
    await open?.close()
  }
}

export function openAs<Place>(door: Door<Place>, place: Place, kind: Kind, options: OpenOptions): Promise<AnyStore> {
  const { DenseStore, RaggedStore } = door.recask
  return kind === 'dense' ? DenseStore.open(place, options) : RaggedStore.open(place, options)
}

function pick<T>({ index }: StoreCase<string, T>): ReturnType<typeof indexOf> {
  if (index === undefined) {
    throw new Error('the case has no index')
  }
  return indexOf(index)
}

/** Every record, read on its own. */
export async function contents(store: AnyStore): Promise<{
  readable: Uint8Array<ArrayBuffer>[]
  shapes: (readonly number[])[]
  faults: Fault[]
}> {
  const found = { readable: [] as Uint8Array<ArrayBuffer>[], shapes: [] as (readonly number[])[], faults: [] as Fault[] }
  for (let record = 0; record < store.length; record += 1) {
    const outcome = await tried(() => one(store, record))
    if ('error' in outcome) {
      found.faults.push(outcome.error)
    } else {
      found.readable.push(outcome.answer.bytes)
      found.shapes.push(outcome.answer.shape)
    }
  }
  return found
}

/** Shape and bytes of one record. */
async function one(
  store: AnyStore,
  index: ReturnType<typeof indexOf>,
): Promise<{ shape: readonly number[]; bytes: Uint8Array<ArrayBuffer> }> {
  if (store.kind === 'ragged') {
    const batch = await store.gather(index)
    same('records of a batch of one', batch.length, 1)
    const { shape, data } = batch.record(0)
    return { shape, bytes: storedBytes(data, store.dtype) }
  }
  const { data, shape } = await store.gather(index)
  same('records of a batch of one', shape[0], 1)
  return { shape: shape.slice(1), bytes: storedBytes(data, store.dtype) }
}
