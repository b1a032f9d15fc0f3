import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { FileHandle, FolderHandle } from '../../ts/directory/browser.js'
import { fromFiles, type PickedFiles } from '../../ts/source/files.js'
import { bytesOf, failure, lengthOf, need, pattern } from './at_hand.js'

/** A file as `<input webkitdirectory>` gives it. */
function picked(path: string, bytes: Uint8Array<ArrayBuffer>): File {
  const file = new File([bytes], path.slice(path.lastIndexOf('/') + 1))
  Object.defineProperty(file, 'webkitRelativePath', { value: path.includes('/') ? path : '' })
  return file
}

const part = (length: number) => pattern(length) as Uint8Array<ArrayBuffer>

/** A folder as `showDirectoryPicker` gives it, over what may change. */
function handleOf(name: string, content: Record<string, object>): FileSystemDirectoryHandle {
  const childOf = (child: string, kind: string) => {
    const found = content[child]
    if (!found) throw new DOMException(child, 'NotFoundError')
    if ((found instanceof Blob ? 'file' : 'directory') !== kind) throw new DOMException(child, 'TypeMismatchError')
    return found
  }
  const fileOf = (child: string): FileHandle => ({
    kind: 'file',
    name: child,
    getFile: async () => childOf(child, 'file') as Blob,
  })
  const handle: FolderHandle = {
    kind: 'directory',
    name,
    getFileHandle: async (child) => (childOf(child, 'file'), fileOf(child)),
    getDirectoryHandle: async (child) =>
      handleOf(child, childOf(child, 'directory') as Record<string, object>) as FolderHandle,
    removeEntry: () => Promise.reject(new Error('unused')),
    async *entries() {
      for (const [child, one] of Object.entries(content))
        yield [child, { kind: one instanceof Blob ? 'file' : 'directory', name: child }]
    },
  }
  return handle as FileSystemDirectoryHandle
}

/** What was dropped on a page, some entries at a time. */
function droppedOf(content: Record<string, object>): DataTransferItemList {
  const entryOf = ([name, one]: [string, object]): object => {
    if (one instanceof Blob)
      return { name, isFile: true, isDirectory: false, file: (take: (file: object) => void) => take(one) }
    const createReader = () => {
      const left = Object.entries(one as Record<string, object>).map(entryOf)
      return { readEntries: (take: (entries: object[]) => void) => take(left.splice(0, 1)) }
    }
    return { name, isFile: false, isDirectory: true, createReader }
  }
  return Object.entries(content).map((pair) => ({ webkitGetAsEntry: () => entryOf(pair) })) as unknown as DataTransferItemList
}

const tree = {
  'a.cstore': new Blob([part(10)]),
  train: { images: { '0.chunk': new Blob([part(5000)]), 'store.zr': new Blob([part(73)]) } },
}

const folders: Record<string, () => PickedFiles> = {
  'a list of files with paths': () => [
    picked('top/a.cstore', part(10)),
    picked('top/train/images/0.chunk', part(5000)),
    picked('top/train/images/store.zr', part(73)),
  ],
  'a handle': () => handleOf('top', tree),
  'a dropped folder': () => droppedOf({ top: tree }),
}

for (const [what, make] of Object.entries(folders)) {
  test(`the folder of ${what} lists what is in it, at any depth, and reads it`, async () => {
    const source = fromFiles(make())
    assert.equal(source.kind, 'folder')
    assert.equal(source.name, 'top')
    assert.deepEqual(await source.list(), { files: new Map([['a.cstore', 10]]), folders: ['train'] })
    assert.deepEqual(await source.folder('train').list(), { files: new Map(), folders: ['images'] })
    const images = source.folder('train/images')
    assert.equal(images.name, 'top/train/images')
    const sizes = await images.list()
    assert.deepEqual(sizes, {
      files: new Map([
        ['0.chunk', 5000],
        ['store.zr', 73],
      ]),
      folders: [],
    })
    const brought = await images.read([
      need('0.chunk', 4990, 6000),
      need('store.zr', 0, 0),
      need('0.chunk', 0, 5),
      need('1.chunk', 0, 5),
    ])
    assert.deepEqual(bytesOf(brought[0]), pattern(5000).slice(4990))
    assert.equal(lengthOf(brought[0]), 5000)
    assert.equal(lengthOf(brought[1]), 73)
    assert.deepEqual(bytesOf(brought[2]), pattern(5))
    assert.deepEqual(brought[3], { files: 1, name: '1.chunk', absent: true })
    const table = source.file('a.cstore')
    assert.deepEqual(await table.list(), { files: new Map([['table.cstore', 10]]), folders: [] })
    assert.deepEqual(bytesOf((await table.read([need('table.cstore', 2, 4)]))[0]), pattern(10).slice(2, 4))
    assert.deepEqual(await source.folder('none').list(), { files: new Map(), folders: [] })
    assert.deepEqual(await source.file('none').list(), { files: new Map(), folders: [] })
  })
}

test('one file is a table, however it was picked', async () => {
  const file = picked('t.cstore', part(9))
  const handle = { kind: 'file', name: 't.cstore', getFile: async () => file } as unknown as FileSystemFileHandle
  for (const given of [file, [file], handle, droppedOf({ 't.cstore': file })]) {
    const source = fromFiles(given)
    assert.equal(source.kind, 'file')
    assert.equal(source.name, 't.cstore')
    assert.deepEqual(await source.list(), { files: new Map([['table.cstore', 9]]), folders: [] })
    assert.deepEqual(bytesOf((await source.read([need('table.cstore', 0, 20)]))[0]), pattern(9))
  }
  assert.equal(fromFiles(new Blob([part(9)])).kind, 'file')
  assert.throws(() => fromFiles([]), failure('invalid_argument', /no file/))
})

test('several files without a folder are a folder, and so are several folders', async () => {
  const flat = fromFiles([picked('a.cstore', part(1)), picked('b.cstore', part(2))])
  assert.deepEqual(
    (await flat.list())?.files,
    new Map([
      ['a.cstore', 1],
      ['b.cstore', 2],
    ]),
  )
  const two = fromFiles([picked('x/store.zr', part(1)), picked('y/store.zr', part(2))])
  assert.deepEqual((await two.list())?.folders, ['x', 'y'])
  const dropped = fromFiles(droppedOf({ x: { f: new Blob([]) }, y: {} }))
  assert.deepEqual((await dropped.list())?.folders, ['x', 'y'])
})

test('reads that are near each other are one, and few happen at a time', async () => {
  const reads: string[] = []
  let open = 0
  let most = 0
  class Watched extends Blob {
    override slice(start = 0, end = 0): Blob {
      const piece = super.slice(start, end)
      reads.push(`${start}-${end}`)
      const arrayBuffer = async () => {
        most = Math.max(most, (open += 1))
        await new Promise((resolve) => setImmediate(resolve))
        open -= 1
        return Blob.prototype.arrayBuffer.call(piece)
      }
      return { arrayBuffer } as Blob
    }
  }
  const source = fromFiles(new Watched([part(30_000_000)]))
  const near = await source.read([
    need('t', 70_000, 70_010),
    need('t', 0, 10),
    need('t', 8, 5000),
    need('t', 200_000, 200_001),
  ])
  assert.deepEqual(reads.splice(0).sort(), ['0-70010', '200000-200001'])
  assert.deepEqual(
    near.map((one) => bytesOf(one).length),
    [10, 10, 4992, 1],
  )
  const far = Array.from({ length: 40 }, (_, at) => need('t', at * 700_000, at * 700_000 + 3))
  const brought = await source.read(far)
  assert.equal(reads.length, 40)
  assert.equal(most, 8)
  brought.forEach((one, at) =>
    assert.deepEqual(
      bytesOf(one),
      Uint8Array.from([0, 1, 2], (byte) => ((at * 700_000 + byte) * 31 + ((at * 700_000 + byte) >> 8) * 7) & 0xff),
    ),
  )
})

test('a file that changed after it was picked is an error, until its place is opened again', async () => {
  const content: Record<string, object> = { '0.chunk': new Blob([part(100)]) }
  const source = fromFiles(handleOf('store', content))
  await source.read([need('0.chunk', 0, 10)])
  const gone = content['0.chunk'] as Blob
  gone.slice = () =>
    ({ arrayBuffer: () => Promise.reject(new DOMException('changed', 'NotReadableError')) }) as unknown as Blob
  content['0.chunk'] = new Blob([part(50)])
  const changed = failure('source_changed', /store\/0\.chunk/, /pick it or open it again/)
  await assert.rejects(source.read([need('0.chunk', 20, 30)]), changed)
  await assert.rejects(source.read([need('0.chunk', 20, 30)]), changed)
  const [brought] = await source.reopened().read([need('0.chunk', 20, 30)])
  assert.equal(lengthOf(brought), 50)
})

test('a file that may not be read says so', async () => {
  const blob = new Blob([part(9)])
  blob.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException('no', 'NotAllowedError')) }) as unknown as Blob
  await assert.rejects(fromFiles(blob).read([need('t', 0, 1)]), failure('permission_denied', /picked again/))
})

test('an aborted read ends with the reason of its signal', async () => {
  const source = fromFiles(new Blob([part(100)]))
  await assert.rejects(source.read([need('t', 0, 1)], AbortSignal.abort(new Error('enough'))), /^Error: enough/)
  const stop = new AbortController()
  const reading = source.read([need('t', 0, 1)], stop.signal)
  stop.abort(new Error('later'))
  await assert.rejects(reading, /^Error: later/)
})
