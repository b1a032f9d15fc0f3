import assert from 'node:assert/strict'
import { test } from 'node:test'

import { copyInto } from '../../ts/directory/copy.js'
import { entriesOf, filesOf, removeFrom } from '../../ts/directory/files.js'
import { opfsStore } from '../../ts/directory/opfs.js'
import type { Progress } from '../../ts/interface.js'
import type { Need } from '../../ts/raw.js'
import type { Source } from '../../ts/source/source.js'
import { FakeDisk } from './fake_opfs.js'

type Tree = { readonly [name: string]: Uint8Array | Tree }

const bytes = (...values: number[]) => Uint8Array.from(values)

/** A source over a tree; the longest read that it saw is in `most`. */
function sourceOf(tree: Tree, name = 'https://example.org/data'): Source & { most: number } {
  const files = new Map<string, Uint8Array>()
  const folders: string[] = []
  for (const [name, content] of Object.entries(tree)) {
    if (content instanceof Uint8Array) files.set(name, content)
    else folders.push(name)
  }
  const source: Source & { most: number } = {
    most: 0,
    kind: 'folder',
    name,
    coalescing: { gap: 0, max: 0 },
    list: async () => ({ files: new Map([...files].map(([name, { length }]) => [name, length])), folders }),
    folder: (name) => sourceOf(tree[name] as Tree, name),
    file: () => source,
    reopened: () => source,
    read: async (requests: readonly Need[]) =>
      requests.map(({ files: id, name, start, end }) => {
        source.most = Math.max(source.most, end - start)
        const content = files.get(name)!
        return { files: id, name, start, bytes: content.subarray(start, end), length: content.length }
      }),
  }
  return source
}

const LARGE = Uint8Array.from({ length: (9 << 20) + 5 }, (_, at) => at % 251)
const TREE: Tree = {
  images: { 'store.zr': bytes(1), 'meta.zr': bytes(2, 3), '0.chunk': LARGE, 'recask.lock': bytes() },
  'labels.cstore': bytes(4),
}

test('a folder of streams arrives as it is, block by block', async () => {
  for (const isPage of [false, true]) {
    const target = new FakeDisk({ isPage }).folder('copy')
    const seen: Progress[] = []
    const source = sourceOf(TREE)
    await copyInto(source, target, { onProgress: (progress) => seen.push(progress) })
    const files = await filesOf(target)
    assert.deepEqual([...files.keys()].sort(), ['images/0.chunk', 'images/meta.zr', 'images/store.zr', 'labels.cstore'])
    assert.deepEqual(new Uint8Array(await files.get('images/0.chunk')!.arrayBuffer()), LARGE)
    assert.ok(source.most <= 4 << 20)
    const total = LARGE.length + 4
    assert.deepEqual(seen.at(-1), { done: total, total })
    assert.ok(seen.length >= 6)
  }
})

test('a table gets the name that it has, or is given', async () => {
  const table = { ...sourceOf({ 'table.cstore': bytes(7) }, 'https://example.org/a/sales.cstore'), kind: 'file' as const }
  const disk = new FakeDisk()
  await copyInto(table, disk.folder('one'))
  await copyInto(table, disk.folder('two'), { name: 'b.cstore' })
  // A host that lists nothing tells how long it is.
  await copyInto({ ...table, list: async () => undefined }, disk.folder('three'))
  assert.deepEqual([...disk.folder('three').files()], [['sales.cstore', bytes(7)]])
  const nothing = { ...table, list: async () => undefined, read: async () => [{ files: 0, name: 'table.cstore', absent: true as const }] }
  await assert.rejects(copyInto(nothing, disk.folder('four')), { code: 'missing_file' })
  assert.deepEqual([...disk.folder('one').files()], [['sales.cstore', bytes(7)]])
  assert.deepEqual([...disk.folder('two').files()], [['b.cstore', bytes(7)]])
})

test('a copy that was interrupted anywhere is not opened, and is made anew', async () => {
  const disk = new FakeDisk()
  const small: Tree = { 'store.zr': bytes(1, 2), 'meta.zr': bytes(3), '0.chunk': bytes(4, 5) }
  const crashed: FakeDisk[] = []
  disk.changed = () => crashed.push(disk.crashed('kept'))
  await copyInto(sourceOf(small), disk.folder('copy'))
  crashed.pop()
  assert.ok(crashed.length > 8)
  for (const after of crashed) {
    const folder = after.folder('copy')
    await assert.rejects(opfsStore(folder), { code: 'incomplete_store' })
    await assert.rejects(filesOf(folder), { code: 'incomplete_store' })
    assert.deepEqual((await entriesOf(after.root)).map(({ isIncomplete }) => isIncomplete), [true])
    await copyInto(sourceOf(small), folder)
    assert.deepEqual(Object.fromEntries(folder.files()), small)
  }
})

test('a copy that fails or is stopped leaves nothing', async () => {
  const disk = new FakeDisk({ quota: 5 << 20 })
  const target = disk.folder('copy')
  await assert.rejects(copyInto(sourceOf(TREE), target), { code: 'device_full' })
  assert.deepEqual(await entriesOf(target), [])

  const stop = new AbortController()
  const reason = new Error('enough')
  const onProgress = () => stop.abort(reason)
  await assert.rejects(copyInto(sourceOf({ a: LARGE }), target, { signal: stop.signal, onProgress }), reason)
  assert.deepEqual(await entriesOf(target), [])

  const shrinking = { ...sourceOf({ a: bytes(1, 2) }), list: async () => ({ files: new Map([['a', 3]]), folders: [] }) }
  await assert.rejects(copyInto(shrinking, target), { code: 'source_changed', file: 'a' })
  const silent = { ...sourceOf({}), list: async () => undefined }
  await assert.rejects(copyInto(silent, target), { code: 'invalid_argument', message: /recask\.json/ })
  assert.deepEqual(await entriesOf(target), [])
  assert.equal(disk.open, 0)
})

test('a folder with anything in it is not copied over', async () => {
  const target = new FakeDisk().folder('copy')
  target.put('mine', bytes(1))
  await assert.rejects(copyInto(sourceOf(TREE), target), { code: 'store_exists' })
  assert.deepEqual([...target.files()], [['mine', bytes(1)]])
})

test('folders are listed with their sizes, and removed', async () => {
  const disk = new FakeDisk()
  await copyInto(sourceOf({ a: { x: bytes(1, 2) }, b: bytes(3) }), disk.folder('copy'))
  disk.root.put('c', bytes(4, 5, 6))
  assert.deepEqual(await entriesOf(disk.root), [
    { name: 'c', kind: 'file', bytes: 3, isIncomplete: false },
    { name: 'copy', kind: 'folder', bytes: 3, isIncomplete: false },
  ])
  const taken = await (await disk.folder('copy').getFileHandle('b')).createSyncAccessHandle!()
  await assert.rejects(removeFrom(disk.root, 'copy'), { code: 'store_busy' })
  taken.close()
  await removeFrom(disk.root, 'copy')
  await assert.rejects(removeFrom(disk.root, 'copy'), { code: 'missing_file' })
  assert.deepEqual((await entriesOf(disk.root)).map(({ name }) => name), ['c'])
})

test('what only a writer has is not among the files to save', async () => {
  const folder = new FakeDisk().folder('store')
  for (const name of ['recask.lock', 'recask.journal', 'dict.zr', 'a.cstore', 'a.cstore.draft']) {
    folder.put(name, bytes())
  }
  folder.put('b.cstore', bytes(2))
  folder.put('b.cstore.draft', bytes(2, 3))
  folder.put('meta.zr', bytes(1))
  folder.put('0.chunk', bytes())
  assert.deepEqual([...(await filesOf(folder)).keys()].sort(), ['0.chunk', 'b.cstore', 'meta.zr'])
})

test('damaged files that are empty are among those to save', async () => {
  const folder = new FakeDisk().folder('store')
  for (const name of ['dict.zr', 'meta.zr', 'a.cstore']) {
    folder.put(name, bytes())
  }
  assert.deepEqual([...(await filesOf(folder)).keys()].sort(), ['a.cstore', 'dict.zr', 'meta.zr'])
})
