import assert from 'node:assert/strict'
import { test } from 'node:test'

import { GrowingFile } from '../../ts/directory/growing.js'
import { memoryStore, memoryTable } from '../../ts/directory/memory.js'
import { change } from '../../ts/directory/prepared.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

test('the map shows what is there after every call', async () => {
  const meta = bytes(1, 2, 3)
  const map = new Map([['images/meta.zr', meta], ['labels/meta.zr', bytes(9)]])
  const directory = memoryStore(map, 'images')
  assert.deepEqual(directory.names(), ['meta.zr'])
  await change(directory, () => {
    directory.open('meta.zr', false, false).write(bytes(7), { at: 1 })
    const chunk = directory.open('0.chunk', true, true)
    chunk.write(bytes(5), { at: 2 })
    chunk.write(bytes(6), { at: 3 })
  })
  assert.deepEqual(map.get('images/meta.zr'), bytes(1, 7, 3))
  assert.deepEqual(map.get('images/0.chunk'), bytes(0, 0, 5, 6))
  assert.deepEqual(meta, bytes(1, 2, 3))
  await change(directory, () => directory.remove('0.chunk'))
  assert.deepEqual([...map.keys()], ['images/meta.zr', 'labels/meta.zr'])
  await directory.close()
})

test('a call that fails shows what it did, too', async () => {
  const map = new Map<string, Uint8Array>()
  const directory = memoryStore(map)
  const failing = () => {
    directory.open('recask.journal', true, false).write(bytes(1), { at: 0 })
    throw new Error('no')
  }
  await assert.rejects(change(directory, failing), { message: 'no' })
  assert.deepEqual([...map], [['recask.journal', bytes(1)]])
  await directory.close()
})

test('closing leaves contents without room behind them', async () => {
  const map = new Map<string, Uint8Array>()
  const directory = memoryStore(map)
  await change(directory, () => void directory.open('0.chunk', true, true).write(new Uint8Array(1000), { at: 0 }))
  await change(directory, () => void directory.open('0.chunk', false, false).write(bytes(1), { at: 1000 }))
  await directory.close()
  await directory.close()
  assert.equal(map.get('0.chunk')!.length, 1001)
  assert.equal(map.get('0.chunk')!.buffer.byteLength, 1001)
})

test('a place is written by one at a time', async () => {
  const map = new Map<string, Uint8Array>()
  const first = memoryStore(map, 'a')
  const second = memoryStore(map, 'a/')
  const other = memoryStore(map, 'b')
  const table = memoryTable(map, 'a')
  assert.throws(() => second.names(), { name: 'NoModificationAllowedError' })
  assert.deepEqual(other.names(), [])
  assert.deepEqual(table.names(), [])
  await second.close()
  assert.throws(() => memoryStore(map, 'a').names(), { name: 'NoModificationAllowedError' })
  await first.close()
  assert.deepEqual(memoryStore(map, 'a').names(), [])
  assert.throws(() => first.names(), { message: /closed/ })
})

test('a table is one file of the map, and a draft takes its place', async () => {
  const map = new Map([['t/a.cstore', bytes(1)], ['t/b.cstore', bytes(2)]])
  const directory = memoryTable(map, 't/a.cstore')
  assert.throws(() => directory.open('table.cstore', true, true), { name: 'AlreadyExists' })
  await change(directory, () => {
    directory.open('table.cstore.draft', true, true).write(bytes(3), { at: 0 })
    directory.rename('table.cstore.draft', 'table.cstore')
    assert.throws(() => directory.rename('table.cstore.draft', 'table.cstore'), { name: 'NotFoundError' })
  })
  await directory.close()
  assert.deepEqual([...map], [['t/a.cstore', bytes(3)], ['t/b.cstore', bytes(2)]])
})

test('files grow and shrink, with zeros in every gap', () => {
  const file = new GrowingFile(bytes(1, 2, 3))
  file.truncate(1)
  file.truncate(3)
  assert.deepEqual(file.exact(), bytes(1, 0, 0))
  file.write(bytes(4), { at: 5 })
  assert.deepEqual(file.exact(), bytes(1, 0, 0, 0, 0, 4))
  file.truncate(2)
  file.write(bytes(6), { at: 4 })
  assert.deepEqual(file.view(), bytes(1, 0, 0, 0, 6))
  const part = new Uint8Array(4)
  assert.equal(file.read(part, { at: 3 }), 2)
  assert.deepEqual(part, bytes(0, 6, 0, 0))
  assert.equal(file.read(part, { at: 9 }), 0)
  assert.throws(() => file.write(bytes(1), { at: 2 ** 52 }), { name: 'QuotaExceededError' })
  assert.equal(file.getSize(), 5)
})
