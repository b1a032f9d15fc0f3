/**
 * The directories over the real origin private file system. Every function is a test: it runs in a dedicated worker, with the
 * WebAssembly module itself and an empty folder, and rejects where something is not as it should be.
 */

import { copyInto } from '../../ts/directory/copy.js'
import { entriesOf, filesOf, removeFrom } from '../../ts/directory/files.js'
import { opfsStore, opfsTable } from '../../ts/directory/opfs.js'
import { type PreparedDirectory, change, finish } from '../../ts/directory/prepared.js'
import type { RawModule, RawStore } from '../../ts/raw.js'
import type { Source } from '../../ts/source/source.js'
import { same } from '../conformance/settle.js'
import { access } from '../browser/tasks/opfs.js'
import { reading } from './reading.js'

export interface Given {
  readonly raw: RawModule
  readonly folder: FileSystemDirectoryHandle
}

const ALL: [undefined, undefined, undefined] = [undefined, undefined, undefined]
const OPTIONS = { kind: 'dense', dtype: '<i4', itemShape: Float64Array.of(2), codec: 'zstd' }
const RECORD = 8

function records(first: number, count: number): Uint8Array {
  return new Uint8Array(Int32Array.from({ length: 2 * count }, (_, at) => first + (at >> 1)).buffer)
}

function contentOf(store: RawStore): string {
  const { bytes } = store.gatherDense(ALL)
  return new Int32Array(bytes.slice().buffer).filter((_, at) => at % 2 === 0).join()
}

/** The name or code that a call fails with. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown }
    return typeof code === 'string' ? code : name
  }
}

async function closed(directory: PreparedDirectory, store: RawStore): Promise<void> {
  await finish(directory, () => store.close())
  store.free()
}

/** What somebody reads who was given the files. */
async function readBack(raw: RawModule, folder: FileSystemDirectoryHandle): Promise<string> {
  const files = new Map<string, Uint8Array>()
  for (const [name, file] of await filesOf(folder)) {
    files.set(name, new Uint8Array(await file.arrayBuffer()))
  }
  const sizes = new Map([...files].map(([name, { length }]) => [name, length]))
  const place = { sizes: () => sizes, read: (name: string, start: number, end: number) => files.get(name)!.subarray(start, end) }
  return reading(raw, place, contentOf)
}

export async function storeFromBeginningToEnd({ raw, folder }: Given): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => raw.createStore(directory, OPTIONS))
  same('first record', await change(directory, () => store.appendDense(records(0, 1000))), 0)
  same('first record', await change(directory, () => store.appendDense(records(1000, 5))), 1000)
  await change(directory, () => store.delete(Float64Array.from({ length: 1000 }, (_, at) => at)))
  same('records', contentOf(store), '1000,1001,1002,1003,1004')
  const before = store.stats().chunkBytes
  await change(directory, () => store.compact(() => true))
  same('smaller', store.stats().chunkBytes < before, true)
  const verifier = store.verifier()
  while (!(await change(directory, () => verifier.step(store, 2))));
  same('faults', verifier.report(store).found, 0)
  verifier.free()
  await closed(directory, store)
  same('names', [...(await filesOf(folder)).keys()].sort().join(), '0.chunk,0.loc,meta.zr,store.zr')
  same('read back', await readBack(raw, folder), '1000,1001,1002,1003,1004')
  const again = await opfsStore(folder)
  const opened = await change(again, () => raw.openStoreForWriting(again))
  await change(again, () => opened.appendDense(records(7, 1)))
  await closed(again, opened)
  same('read back', await readBack(raw, folder), '1000,1001,1002,1003,1004,7')
  same('entries', (await entriesOf(folder)).length, 4)
}

/** A second writer is refused, whatever it wants, and the first one goes on. */
export async function storeThatIsTaken({ raw, folder }: Given): Promise<void> {
  const first = await opfsStore(folder)
  const store = await change(first, () => raw.createStore(first, OPTIONS))
  await change(first, () => store.appendDense(records(0, 2)))
  const second = await opfsStore(folder)
  same('second writer', await failure(change(second, () => raw.openStoreForWriting(second))), 'store_busy')
  same('second creation', await failure(change(second, () => raw.createStore(second, OPTIONS))), 'store_busy')
  await second.close()
  const root = await navigator.storage.getDirectory()
  same('removal', await failure(removeFrom(root, folder.name)), 'store_busy')
  await closed(first, store)
  same('read back', await readBack(raw, folder), '0,1')
}

/** Leaves a store open, with changes that no sync followed. The worker is to be terminated then. */
export async function storeThatIsLeft({ raw, folder }: Given): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => raw.createStore(directory, OPTIONS))
  await change(directory, () => store.appendDense(records(0, 3)))
  await change(directory, () => store.sync())
  await change(directory, () => store.appendDense(records(3, 2)))
  // It and the files opened ahead stay behind.
  same('lock', (await folder.getFileHandle('recask.lock')).name, 'recask.lock')
}

/** In another worker, over the same folder: everything that was appended is there, and the left files are gone. */
export async function storeThatWasLeft({ raw, folder }: Given): Promise<void> {
  const directory = await released(folder)
  const store = await change(directory, () => raw.openStoreForWriting(directory))
  same('records', contentOf(store), '0,1,2,3,4')
  await closed(directory, store)
  same('names', (await entriesOf(folder)).map(({ name }) => name).join(), '0.chunk,0.loc,meta.zr,store.zr')
}

/** The browser takes a moment to give back what a terminated worker had open. */
async function released(folder: FileSystemDirectoryHandle): Promise<PreparedDirectory> {
  for (let tries = 0; ; tries++) {
    const directory = await opfsStore(folder)
    const problem = await failure(change(directory, () => directory.names()))
    if (problem === undefined || tries === 100) {
      return directory
    }
    await directory.close()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Readers are let in by a writer, and find out that what they had is old. */
export async function readerBesideWriter({ raw, folder }: Given): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => raw.createStore(directory, OPTIONS))
  await change(directory, () => store.appendDense(records(0, 2)))
  const meta = (await filesOf(folder)).get('meta.zr')!
  same('size', (await meta.arrayBuffer()).byteLength, 32)
  await change(directory, () => store.appendDense(records(2, 2)))
  same('old file', await failure(meta.arrayBuffer()), 'NotReadableError')
  same('read back', await readBack(raw, folder), '0,1,2,3')
  await closed(directory, store)
}

/** Payload goes over the end of a chunk of 4 GiB, most of which takes no space. */
export async function overTheEndOfAChunk({ raw, folder }: Given): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => raw.createStore(directory, { ...OPTIONS, codec: 'raw' }))
  await change(directory, () => store.appendDense(records(0, 1)))
  await closed(directory, store)
  const end = 2 ** 32 - 2 * RECORD - 1
  const chunk = await access(await folder.getFileHandle('0.chunk'))
  chunk.truncate(end)
  chunk.close()
  const file = await folder.getFileHandle('meta.zr')
  const header = await (await file.getFile()).arrayBuffer()
  new DataView(header).setUint32(10, end, true)
  const meta = await access(file)
  meta.write(new Uint8Array(header), { at: 0 })
  meta.close()

  const again = await opfsStore(folder)
  const opened = await change(again, () => raw.openStoreForWriting(again))
  await change(again, () => opened.appendDense(records(1, 4)))
  same('records', contentOf(opened), '0,1,2,3,4')
  same('next chunk', (await (await folder.getFileHandle('1.chunk')).getFile()).size, 2 * RECORD)
  await change(again, () => opened.compact(() => true))
  same('records', contentOf(opened), '0,1,2,3,4')
  await closed(again, opened)
  same('read back', await readBack(raw, folder), '0,1,2,3,4')
  same('names', [...(await filesOf(folder)).keys()].sort().join(), '0.chunk,0.loc,meta.zr,store.zr')
}

export async function beyond5GiB({ folder }: Given): Promise<void> {
  const directory = await opfsTable(folder, 'large.cstore')
  const far = 5 * 2 ** 30 + 7
  await change(directory, () => {
    const file = directory.open('table.cstore', true, true)
    file.truncate(far)
    same('size', file.getSize(), far)
    file.write(Uint8Array.of(1, 2, 3), { at: far })
    same('size', file.getSize(), far + 3)
    const bytes = new Uint8Array(6)
    same('bytes at the end', file.read(bytes, { at: far - 1 }), 4)
    same('bytes', bytes.join(), '0,1,2,3,0,0')
    file.read(bytes, { at: far - 2 ** 32 })
    same('bytes 4 GiB before', bytes.join(), '0,0,0,0,0,0')
    directory.remove('table.cstore')
  })
  await directory.close()
  same('entries', (await entriesOf(folder)).length, 0)
}

/** Who calls has limited the space of the site to some megabytes. */
export async function fullDevice({ raw, folder }: Given): Promise<void> {
  const directory = await opfsStore(folder)
  const store = await change(directory, () => raw.createStore(directory, { ...OPTIONS, codec: 'raw' }))
  await change(directory, () => store.appendDense(records(0, 2)))
  const many = records(2, 1 << 19)
  let appended = 0
  let failed: unknown
  while (failed === undefined && appended < 64) {
    failed = await failure(change(directory, () => store.appendDense(many)))
    appended += 1
  }
  same('failure', failed, 'device_full')
  same('length', store.length, 2 + (appended - 1) * (1 << 19))
  await change(directory, () => store.delete(Float64Array.from({ length: store.length - 2 }, (_, at) => at + 2)))
  await change(directory, () => store.compact(() => true))
  await change(directory, () => store.appendDense(records(2, 1)))
  await closed(directory, store)
  same('read back', await readBack(raw, folder), '0,1,2')
}

export async function tableThatIsReplaced({ raw, folder }: Given): Promise<void> {
  const directory = await opfsTable(folder, 'a.cstore')
  const writer = await change(directory, () => raw.createTable(directory, '0.3', false))
  for (const value of [1, 2, 3]) {
    const column = new Uint8Array(Int32Array.of(value, value).buffer)
    await change(directory, () => writer.write(['value'], ['<i4'], [column]))
  }
  await finish(directory, () => writer.close())
  writer.free()
  const before = (await (await folder.getFileHandle('a.cstore')).getFile()).size
  const again = await opfsTable(folder, 'a.cstore')
  await change(again, () => raw.compactTable(again, () => true))
  await again.close()
  same('smaller', (await (await folder.getFileHandle('a.cstore')).getFile()).size < before, true)
  same('names', (await entriesOf(folder)).map(({ name }) => name).join(), 'a.cstore')
  const more = await opfsTable(folder, 'a.cstore')
  const appending = await change(more, () => raw.appendTable(more))
  same('rows', appending.rows, 6)
  await finish(more, () => appending.close())
  appending.free()
}

/** A copy in a worker, whose access handles write in place. */
export async function copyOfASource({ folder }: Given): Promise<void> {
  const bytes = Uint8Array.from({ length: (9 << 20) + 1 }, (_, at) => at % 251)
  const source: Source = {
    kind: 'folder',
    name: 'made up',
    coalescing: { gap: 0, max: 0 },
    list: async () => ({ files: new Map([['0.chunk', bytes.length]]), folders: [] }),
    folder: () => source,
    file: () => source,
    reopened: () => source,
    read: async (needs) => needs.map(({ files, name, start, end }) => ({ files, name, start, bytes: bytes.subarray(start, end) })),
  }
  await copyInto(source, folder)
  const copy = new Uint8Array(await (await filesOf(folder)).get('0.chunk')!.arrayBuffer())
  same('size', copy.length, bytes.length)
  same('equal', copy.every((byte, at) => byte === bytes[at]), true)
  same('copy over it', await failure(copyInto(source, folder)), 'store_exists')
  same('entries', (await entriesOf(folder)).map(({ name }) => name).join(), '0.chunk')
}

/** For a page instead of a worker. */
export async function writingInAPage({ folder }: Given): Promise<void> {
  same('failure', await failure(opfsStore(folder)), 'unsupported')
  same('entries', (await entriesOf(folder)).length, 0)
}
