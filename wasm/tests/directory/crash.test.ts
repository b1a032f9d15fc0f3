/** A writer that ends at any moment, with and without power, leaves the state before or after what it was doing. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { witnessOf } from '../../ts/directory/names.js'
import { opfsStore } from '../../ts/directory/opfs.js'
import { type PreparedDirectory, change, finish } from '../../ts/directory/prepared.js'
import type { RawStore } from '../../ts/raw.js'
import { CRASHES, FakeDisk, type FakeFolder } from './fake_opfs.js'
import { rawModule } from './raw_module.js'
import { type ReadFiles, reading } from './reading.js'

const raw = await rawModule()

const FOLDER = 'store'
/** Bytes of a record: two numbers, which are the same. */
const RECORD = 8
const OPTIONS = { kind: 'dense', dtype: '<i4', itemShape: Float64Array.of(2), codec: 'raw' }

/** The records by their numbers; `undefined` where there is no store. */
type State = string | undefined

interface Step {
  readonly does: (store: RawStore) => unknown
  /** Whether power may fail once it is done. */
  readonly isDurable: boolean
}

/** A disk as a crash left it, and the states in which the store may be found there. */
interface Crashed {
  readonly folder: FakeFolder
  allowed: readonly State[]
  readonly when: string
}

const append = (first: number, count: number): Step => {
  return { does: (store) => store.appendDense(records(first, count)), isDurable: false }
}
const remove = (...which: number[]): Step => ({ does: (store) => store.delete(Float64Array.from(which)), isDurable: true })
const sync: Step = { does: (store) => store.sync(), isDurable: true }
const compact: Step = { does: (store) => store.compact(() => true), isDurable: true }

function records(first: number, count: number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: 2 * count }, (_, at) => first + (at >> 1)).buffer)
}

function contentOf(store: RawStore): string {
  const { bytes } = store.gatherDense([undefined, undefined, undefined])
  return new Int32Array(bytes.slice().buffer).filter((_, at) => at % 2 === 0).join()
}

/** Changes a store step by step; every change of a file leaves a crashed disk for each kind of crash. */
async function crashes(disk: FakeDisk, before: State, begin: (directory: PreparedDirectory) => RawStore, steps: Step[]) {
  const crashed: Crashed[] = []
  const states: State[] = [before]
  let durable = 0
  disk.changed = (action, name) => {
    for (const crash of CRASHES) {
      const folder = disk.crashed(crash).folder(FOLDER)
      const allowed = states.slice(crash === 'kept' ? -1 : durable)
      crashed.push({ folder, allowed, when: `step ${states.length - 1}, ${action} of ${name}, writes ${crash}` })
    }
  }
  const step = async <T>(work: Promise<T>, stateAfter: (value: T) => State, isDurable: boolean): Promise<T> => {
    const first = crashed.length
    const value = await work
    const state = stateAfter(value)
    crashed.slice(first).forEach((crash) => (crash.allowed = [...crash.allowed, state]))
    states.push(state)
    durable = isDurable ? states.length - 1 : durable
    return value
  }
  const directory = await opfsStore(disk.folder(FOLDER))
  const store = await step(change(directory, () => begin(directory)), contentOf, true)
  for (const { does, isDurable } of steps) {
    await step(change(directory, () => does(store)), () => contentOf(store), isDurable)
  }
  await step(finish(directory, () => store.close()), () => states.at(-1), true)
  store.free()
  disk.changed = () => {}
  return { crashed, states }
}

/** What a writer finds, after it repaired what it had to. */
async function written(folder: FakeFolder, begin = openForWriting): Promise<State> {
  const directory = await opfsStore(folder)
  try {
    const store = await change(directory, () => begin(directory))
    const content = contentOf(store)
    await finish(directory, () => store.close())
    store.free()
    return content
  } catch (error) {
    await directory.close()
    return notFound(error)
  }
}

/** What a reader finds. */
function read(files: ReadFiles): State {
  try {
    return reading(raw, files, contentOf)
  } catch (error) {
    return notFound(error)
  }
}

function notFound(error: unknown): undefined {
  assert.equal((error as { code?: string }).code, 'store_not_found', String((error as Error).message))
  return undefined
}

/** The files as the sources of this package show them. */
function withoutLeftovers(folder: FakeFolder): ReadFiles {
  const all = folder.sizes()
  return {
    sizes: () => new Map([...all].filter(([name, size]) => size > 0 || !all.has(witnessOf(name) ?? ''))),
    read: (name, start, end) => folder.read(name, start, end),
  }
}

const create = (directory: PreparedDirectory) => raw.createStore(directory, OPTIONS)
const openForWriting = (directory: PreparedDirectory) => raw.openStoreForWriting(directory)

async function assertSafe({ folder, allowed, when }: Crashed): Promise<void> {
  const isAllowed = (state: State) => assert.ok(allowed.includes(state), `${when}: found ${state}, not one of ${allowed}`)
  isAllowed(read(withoutLeftovers(folder)))
  if (!allowed.includes(undefined)) {
    // Others, who know nothing of leftovers, read the folder as it is.
    isAllowed(read(folder))
  }
  const state = await written(folder)
  isAllowed(state)
  if (state === undefined) {
    assert.equal(await written(folder, create), '', when)
  } else {
    assert.equal(read(folder), state, when)
  }
  const empty = [...folder.sizes()].filter(([name, size]) => size === 0 && name !== '0.chunk')
  assert.deepEqual(empty, [], when)
  const own = [...folder.sizes().keys()].filter((name) => name.startsWith('recask.'))
  assert.deepEqual(own, [], when)
}

test('every moment from the creation of a store to its end', async () => {
  const steps = [append(0, 3), append(3, 2), sync, append(5, 4), remove(1, 4), append(9, 1), compact, append(10, 150)]
  const { crashed, states } = await crashes(new FakeDisk(), undefined, create, steps)
  assert.deepEqual(states.slice(1, 4), ['', '0,1,2', '0,1,2,3,4'])
  assert.equal(states.at(-1), ['0,7,2,3,8,5,6,9', ...Array.from({ length: 150 }, (_, at) => 10 + at)].join())
  assert.ok(crashed.length > 300)
  for (const crash of crashed) await assertSafe(crash)
})

test('every moment of appends over the end of a chunk, and of the compaction that undoes it', async () => {
  const disk = new FakeDisk()
  await nearlyFull(disk.folder(FOLDER))
  const steps = [append(1, 4), append(5, 2), remove(0, 1), compact]
  const { crashed, states } = await crashes(disk, '0', openForWriting, steps)
  assert.equal(states[2], '0,1,2,3,4')
  assert.equal(states.at(-1), '5,6,2,3,4')
  assert.ok(crashed.some(({ folder }) => (folder.sizes().get('1.chunk') ?? 0) > 0))
  for (const crash of crashed) await assertSafe(crash)
  assert.equal(disk.folder(FOLDER).sizes().get('0.chunk'), 5 * RECORD)
  assert.equal(disk.folder(FOLDER).sizes().has('1.chunk'), false)
})

/** A store of one record whose first chunk has room for two more. */
async function nearlyFull(folder: FakeFolder): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => create(directory))
  await change(directory, () => store.appendDense(records(0, 1)))
  await finish(directory, () => store.close())
  store.free()
  const end = 2 ** 32 - 2 * RECORD - 1
  const chunk = await (await folder.getFileHandle('0.chunk')).createSyncAccessHandle!()
  chunk.truncate(end)
  chunk.flush()
  chunk.close()
  const meta = folder.read('meta.zr', 0, 32)
  new DataView(meta.buffer).setUint32(10, end, true)
  folder.put('meta.zr', meta)
}

test('a creation with a dictionary that ends at any moment', async () => {
  const dictionary = new TextEncoder().encode('any bytes may be a dictionary')
  const begin = (directory: PreparedDirectory) => raw.createStore(directory, { ...OPTIONS, codec: 'zstd_dict', dictionary })
  const { crashed } = await crashes(new FakeDisk(), undefined, begin, [append(0, 2), compact])
  for (const { folder, allowed, when } of crashed) {
    assert.ok(allowed.includes(read(withoutLeftovers(folder))), when)
    const state = await written(folder)
    assert.ok(allowed.includes(state), `${when}: found ${state}`)
    if (state === undefined) {
      // A store without a dictionary may follow one with.
      assert.equal(await written(folder, create), '', when)
      assert.equal(folder.sizes().has('dict.zr'), false, when)
    }
  }
})

test('a full device leaves the store as it was, also for the writer that goes on', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder(FOLDER)
  const directory = await opfsStore(folder)
  const store = await change(directory, () => create(directory))
  await change(directory, () => store.appendDense(records(0, 2)))
  for (const room of [0, 3, 20, 60, 120]) {
    disk.options.quota = disk.used() + room
    const appended = change(directory, () => store.appendDense(records(2, 1000)))
    await assert.rejects(appended, { code: 'device_full' }, `with ${room} bytes of room`)
    assert.equal(contentOf(store), '0,1')
  }
  delete disk.options.quota
  await change(directory, () => store.appendDense(records(2, 1)))
  await finish(directory, () => store.close())
  store.free()
  assert.equal(read(folder), '0,1,2')
})

test('a store that is being written is busy, for writers and for who wants to create one there', async () => {
  const folder = new FakeDisk().folder(FOLDER)
  const first = await opfsStore(folder)
  const store = await change(first, () => create(first))
  for (const begin of [create, openForWriting]) {
    const second = await opfsStore(folder)
    await assert.rejects(change(second, () => begin(second)), { code: 'store_busy' })
    await second.close()
  }
  await finish(first, () => store.close())
  store.free()
  const third = await opfsStore(folder)
  await assert.rejects(change(third, () => create(third)), { code: 'store_exists' })
  await third.close()
  assert.equal(await written(folder), '')
})
