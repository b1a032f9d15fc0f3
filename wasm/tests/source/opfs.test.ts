import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { FileHandle, FolderHandle } from '../../ts/directory/browser.js'
import { fromOpfs } from '../../ts/source/opfs.js'
import { FakeDisk } from '../directory/fake_opfs.js'
import { bytesOf, failure, lengthOf, need, pattern } from './at_hand.js'

function disk(): FakeDisk {
  const made = new FakeDisk()
  const images = made.folder('digits').child('images')
  images.put('store.zr', pattern(73))
  images.put('0.chunk', pattern(5000))
  images.put('meta.zr', new Uint8Array())
  made.folder('tables').put('flights.cstore', pattern(40))
  return made
}

const place = (folder: FolderHandle) => folder as FileSystemDirectoryHandle

/** The file system as `navigator.storage` has it. */
async function within<T>(root: FolderHandle, work: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator')
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    value: { storage: { getDirectory: async () => root } },
  })
  try {
    return await work()
  } finally {
    if (before) Object.defineProperty(globalThis, 'navigator', before)
    else Reflect.deleteProperty(globalThis, 'navigator')
  }
}

test('folders are listed without what an interrupted writer left, and read', async () => {
  const source = fromOpfs(place(disk().folder('digits'))).folder('images')
  assert.equal(source.name, 'digits/images')
  assert.deepEqual(await source.list(), {
    files: new Map([
      ['store.zr', 73],
      ['0.chunk', 5000],
    ]),
    folders: [],
  })
  const brought = await source.read([
    need('0.chunk', 4990, 6000),
    need('meta.zr', 0, 10),
    need('store.zr', 0, 0),
    need('1.loc', 0, 1),
  ])
  assert.deepEqual(bytesOf(brought[0]), pattern(5000).slice(4990))
  assert.deepEqual(brought[1], { files: 1, name: 'meta.zr', absent: true })
  assert.equal(lengthOf(brought[2]), 73)
  assert.deepEqual(brought[3], { files: 1, name: '1.loc', absent: true })
})

test('a path leads to a folder, or to a table, of the file system of the page', async () => {
  await within(disk().root, async () => {
    assert.deepEqual(await fromOpfs('').list(), { files: new Map(), folders: ['digits', 'tables'] })
    assert.equal((await fromOpfs('/digits/images/').list())?.files.size, 2)
    const table = fromOpfs('tables/flights.cstore')
    assert.equal(table.kind, 'file')
    assert.deepEqual(await table.list(), { files: new Map([['table.cstore', 40]]), folders: [] })
    assert.deepEqual(await fromOpfs('no/where').list(), { files: new Map(), folders: [] })
  })
  await assert.rejects(fromOpfs('x').list(), failure('unsupported', /origin private file system/))
  assert.throws(() => fromOpfs('a/../b'), failure('invalid_argument'))
})

test('a store is read while another writes it, as it is then', async () => {
  const made = disk()
  const images = made.folder('digits').child('images')
  const source = fromOpfs(place(images))
  const handle = await images.getFileHandle('0.chunk')
  const writer = await handle.createSyncAccessHandle?.()
  assert.ok(writer)
  assert.deepEqual(bytesOf((await source.read([need('0.chunk', 0, 10)]))[0]), pattern(5000).slice(0, 10))
  writer.write(pattern(5010).slice(5000), { at: 5000 })
  const [brought] = await source.read([need('0.chunk', 5000, 5010)])
  assert.deepEqual(bytesOf(brought), pattern(5010).slice(5000))
  writer.close()
})

/** A folder with one file that becomes unreadable as a `Blob` with every write, as browsers have it. */
function restless(writes: number): FileSystemDirectoryHandle {
  const getFile = async () => {
    const blob = new Blob([pattern(100) as Uint8Array<ArrayBuffer>])
    if (writes-- <= 0) return blob
    const arrayBuffer = () => Promise.reject(new DOMException('written since', 'NotReadableError'))
    return { size: blob.size, slice: () => ({ arrayBuffer }) } as unknown as Blob
  }
  const file: FileHandle = { kind: 'file', name: '0.chunk', getFile }
  return { kind: 'directory', name: 'store', getFileHandle: async () => file } as unknown as FileSystemDirectoryHandle
}

test('a file that is written between looking and reading is looked at again', async () => {
  const brought = await fromOpfs(restless(3)).read([need('0.chunk', 10, 20)])
  assert.deepEqual(brought.map(bytesOf), [pattern(100).slice(10, 20)])
  await assert.rejects(fromOpfs(restless(1e9)).read([need('0.chunk', 10, 20)]), failure('store_busy', /all the time/))
})

test('where synchronous handles can be shared they are, for one round of reads', async () => {
  const bytes = pattern(1000)
  const seen: string[] = []
  let isTaken = false
  const handle = {
    getSize: () => bytes.length,
    read: (buffer: Uint8Array, { at }: { at: number }) => {
      seen.push(`${at}+${buffer.length}`)
      buffer.set(bytes.subarray(at, at + buffer.length))
      return Math.min(buffer.length, bytes.length - at)
    },
    close: () => seen.push('close'),
  }
  const createSyncAccessHandle = async ({ mode }: { mode: string }) => {
    seen.push(`open ${mode}`)
    if (isTaken) throw new DOMException('taken', 'NoModificationAllowedError')
    return handle
  }
  const getFile = async () => (seen.push('getFile'), new Blob([bytes as Uint8Array<ArrayBuffer>]))
  const file = { kind: 'file', name: '0.chunk', createSyncAccessHandle, getFile }
  const source = fromOpfs({
    kind: 'directory',
    name: 'store',
    getFileHandle: async () => file,
  } as unknown as FileSystemDirectoryHandle)
  Object.defineProperty(globalThis, 'FileSystemSyncAccessHandle', { configurable: true, value: { prototype: { mode: '' } } })
  try {
    const brought = await source.read([need('0.chunk', 0, 5), need('0.chunk', 900, 2000)])
    assert.deepEqual(brought.map(bytesOf), [bytes.slice(0, 5), bytes.slice(900)])
    assert.deepEqual(seen.splice(0), ['open read-only', '0+1000', 'close'])
    isTaken = true
    assert.deepEqual(bytesOf((await source.read([need('0.chunk', 0, 5)]))[0]), bytes.slice(0, 5))
    assert.deepEqual(seen.splice(0), ['open read-only', 'getFile'])
    isTaken = false
    await assert.rejects(source.read([need('0.chunk', 0, 5)], AbortSignal.abort(new Error('stop'))), /stop/)
    handle.read = () => 1
    await assert.rejects(source.read([need('0.chunk', 0, 5)]), failure('source_changed', /store\/0\.chunk/))
    assert.deepEqual(seen.splice(0), ['open read-only', 'close'])
  } finally {
    Reflect.deleteProperty(globalThis, 'FileSystemSyncAccessHandle')
  }
})

test('a writer gets the folder, made where it is to be, and a table its name', async () => {
  const made = disk()
  await within(made.root, async () => {
    await assert.rejects(fromOpfs('new/store').directory?.() as Promise<unknown>, failure('store_not_found', /new\/store/))
    const directory = await fromOpfs('new/store').directory?.({ create: true })
    assert.ok(directory)
    await directory.close()
    const table = await fromOpfs('tables').file('flights.cstore').directory?.()
    assert.equal(table?.open('table.cstore', false, false).getSize(), 40)
    await table?.close()
  })
  assert.deepEqual((await fromOpfs(place(made.root)).folder('new').list())?.folders, ['store'])
})
