import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

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
  images.put('recask.lock', new Uint8Array())
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
      ['recask.lock', 0],
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
    assert.equal((await fromOpfs('/digits/images/').list())?.files.size, 3)
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

test('an empty file is damaged where no writer was', async () => {
  const folder = new FakeDisk().folder('damaged')
  for (const name of ['meta.zr', 'a.cstore']) folder.put(name, new Uint8Array())
  const source = fromOpfs(place(folder))
  assert.deepEqual((await source.list())?.files, new Map([['meta.zr', 0], ['a.cstore', 0]]))
  assert.equal(lengthOf((await source.read([need('meta.zr', 0, 1)]))[0]), 0)
  assert.equal((await source.file('a.cstore').list())?.files.size, 1)
  folder.put('a.cstore.draft', new Uint8Array())
  folder.put('recask.lock', new Uint8Array())
  assert.deepEqual([...(await source.list())?.files.keys() ?? []].sort(), ['a.cstore.draft', 'recask.lock'])
  assert.equal((await source.file('a.cstore').list())?.files.size, 0)
})

test('a file that a writer removes while it is looked at is none', async () => {
  const folder = new FakeDisk().folder('store')
  folder.put('recask.journal', new Uint8Array())
  const getFileHandle: FolderHandle['getFileHandle'] = async (name) => {
    // The writer closes between the look at the file and the one at its lock.
    if (name === 'recask.lock') await folder.removeEntry('recask.journal').catch(() => {})
    return folder.getFileHandle(name)
  }
  const closing = { kind: folder.kind, name: folder.name, getFileHandle, entries: () => folder.entries() }
  const [brought] = await fromOpfs(place(closing as unknown as FolderHandle)).read([need('recask.journal', 0, 100)])
  assert.deepEqual(brought, { files: 1, name: 'recask.journal', absent: true })
})

test('what lies in an interrupted copy is neither read nor written', async () => {
  const made = disk()
  made.folder('digits').put('recask.incomplete', new Uint8Array())
  await within(made.root, async () => {
    const refused = failure('incomplete_store', /copying to digits was interrupted/)
    for (const source of [fromOpfs('digits'), fromOpfs('digits/images'), fromOpfs('').folder('digits/images')]) {
      await assert.rejects(source.list(), refused)
      await assert.rejects(source.read([need('store.zr', 0, 1)]), refused)
      await assert.rejects(source.directory?.() as Promise<unknown>, refused)
    }
    await assert.rejects(fromOpfs('digits/a.cstore').list(), refused)
    await assert.rejects(fromOpfs('digits/a.cstore').directory?.() as Promise<unknown>, refused)
    assert.equal((await fromOpfs('tables/flights.cstore').list())?.files.size, 1)
  })
})

test('a file that was removed since is absent, and one that came in its place is found', async () => {
  const folder = new FakeDisk().folder('store')
  folder.put('0.chunk', pattern(5))
  const source = fromOpfs(place(folder))
  const read = async () => (await source.read([need('0.chunk', 0, 1)]))[0]
  assert.equal(lengthOf(await read()), 5)
  await folder.removeEntry('0.chunk')
  assert.deepEqual(await read(), { files: 1, name: '0.chunk', absent: true })
  folder.put('0.chunk', pattern(7))
  assert.equal(lengthOf(await read()), 7)
})

test('a folder that comes later is found by the same place', async () => {
  const made = new FakeDisk()
  await within(made.root, async () => {
    const source = fromOpfs('later')
    assert.equal((await source.list())?.files.size, 0)
    made.folder('later').put('store.zr', pattern(3))
    assert.equal((await source.list())?.files.size, 1)
  })
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
  return folderWith(file)
}

/** A folder of the browser with one file, and those that are found besides. */
function folderWith(
  file: object & { readonly name: string },
  find: (name: string) => object | undefined = () => undefined,
): FileSystemDirectoryHandle {
  const getFileHandle = async (name: string) => {
    const found = name === file.name ? file : find(name)
    if (!found) throw new DOMException(`there is no ${name}`, 'NotFoundError')
    return found
  }
  return { kind: 'directory', name: 'store', getFileHandle } as unknown as FileSystemDirectoryHandle
}

test('a file that is written between looking and reading is looked at again', async () => {
  const brought = await fromOpfs(restless(3)).read([need('0.chunk', 10, 20)])
  assert.deepEqual(brought.map(bytesOf), [pattern(100).slice(10, 20)])
  await assert.rejects(fromOpfs(restless(1e9)).read([need('0.chunk', 10, 20)]), failure('store_busy', /all the time/))
})

/** A folder whose one file can be opened for reading at once, and what was done to it. */
function shareable() {
  const bytes = pattern(1000)
  const seen: string[] = []
  const state = { bytes, seen, isTaken: false, locks: new Set<string>(), most: Infinity }
  const handle = {
    getSize: () => bytes.length,
    read: (buffer: Uint8Array, { at }: { at: number }) => {
      seen.push(`${at}+${buffer.length}`)
      const count = Math.min(buffer.length, bytes.length - at, state.most)
      buffer.set(bytes.subarray(at, at + count))
      return count
    },
    close: () => seen.push('close'),
  }
  const createSyncAccessHandle = async ({ mode }: { mode: string }) => {
    seen.push(`open ${mode}`)
    if (state.isTaken) throw new DOMException('taken', 'NoModificationAllowedError')
    return handle
  }
  const getFile = async () => (seen.push('getFile'), new Blob([bytes as Uint8Array<ArrayBuffer>]))
  const file = { kind: 'file', name: '0.chunk', createSyncAccessHandle, getFile }
  const folder = folderWith(file, (name) => {
    return state.locks.has(name) ? { ...file, name, getFile: async () => new Blob() } : undefined
  })
  return { ...state, state, source: fromOpfs(folder) }
}

async function whereFilesCanBeShared(work: () => Promise<void>): Promise<void> {
  Object.defineProperty(globalThis, 'FileSystemSyncAccessHandle', { configurable: true, value: { prototype: { mode: '' } } })
  try {
    await work()
  } finally {
    Reflect.deleteProperty(globalThis, 'FileSystemSyncAccessHandle')
  }
}

test('where synchronous handles can be shared they are, for reads that follow each other', async () => {
  await whereFilesCanBeShared(async () => {
    const { source, bytes, seen } = shareable()
    const brought = await source.read([need('0.chunk', 0, 5), need('0.chunk', 900, 2000)])
    assert.deepEqual(brought.map(bytesOf), [bytes.slice(0, 5), bytes.slice(900)])
    const again = await Promise.all([source.read([need('0.chunk', 7, 9)]), source.read([need('0.chunk', 1, 2)])])
    assert.deepEqual(again.flat().map(bytesOf), [bytes.slice(7, 9), bytes.slice(1, 2)])
    assert.deepEqual(seen.splice(0), ['open read-only', '0+1000', '7+2', '1+1'])
    await sleep(60)
    assert.deepEqual(seen.splice(0), ['close'])
    await source.read([need('0.chunk', 0, 5)])
    source.letGo?.()
    await sleep(0)
    assert.deepEqual(seen.splice(0), ['open read-only', '0+5', 'close'])
  })
})

test('a shared handle is opened anew after a while, however much is read', async () => {
  await whereFilesCanBeShared(async () => {
    const { source, seen } = shareable()
    const end = performance.now() + 250
    while (performance.now() < end) await source.read([need('0.chunk', 0, 5)])
    source.letGo?.()
    await sleep(0)
    const count = (what: string) => seen.filter((each) => each === what).length
    assert.ok(count('open read-only') >= 3, `${count('open read-only')} times`)
    assert.equal(count('close'), count('open read-only'))
    assert.ok(count('0+5') > count('open read-only'))
  })
})

test('no handle is shared beside a writer', async () => {
  await whereFilesCanBeShared(async () => {
    const { source, state, bytes, seen } = shareable()
    state.locks.add('recask.lock')
    assert.deepEqual(bytesOf((await source.read([need('0.chunk', 0, 5)]))[0]), bytes.slice(0, 5))
    assert.deepEqual(seen.splice(0), ['getFile'])
    assert.equal((await source.read([need('recask.lock', 0, 0)])).length, 1)
    assert.deepEqual(seen.splice(0), [])
    state.locks.clear()
    await sleep(60)
    // One that other code has open.
    state.isTaken = true
    assert.deepEqual(bytesOf((await source.read([need('0.chunk', 0, 5)]))[0]), bytes.slice(0, 5))
    assert.deepEqual(seen.splice(0), ['open read-only', 'getFile'])
  })
})

test('a read from a shared handle that is stopped or fails gives it back', async () => {
  await whereFilesCanBeShared(async () => {
    const { source, state, seen } = shareable()
    await assert.rejects(source.read([need('0.chunk', 0, 5)], AbortSignal.abort(new Error('stop'))), /stop/)
    assert.deepEqual(seen, [])
    state.most = 1
    await assert.rejects(source.read([need('0.chunk', 0, 5)]), failure('source_changed', /store\/0\.chunk/))
    source.letGo?.()
    await sleep(0)
    assert.deepEqual(seen, ['open read-only', '0+5', 'close'])
  })
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
