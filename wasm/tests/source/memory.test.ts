import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fromMemory, type MemoryFile } from '../../ts/source/memory.js'
import { bytesOf, lengthOf, need, pattern } from './at_hand.js'

test('paths of the Map are folders and files', async () => {
  const files = new Map<string, MemoryFile>([
    ['images/store.zr', pattern(73)],
    ['images/0.chunk', pattern(5000).buffer as ArrayBuffer],
    ['deep/er/t.cstore', new Blob([pattern(9) as Uint8Array<ArrayBuffer>])],
    ['top.cstore', pattern(4)],
  ])
  const source = fromMemory(files)
  assert.deepEqual(await source.list(), { files: new Map([['top.cstore', 4]]), folders: ['images', 'deep'] })
  const images = source.folder('images')
  assert.deepEqual(
    (await images.list())?.files,
    new Map([
      ['store.zr', 73],
      ['0.chunk', 5000],
    ]),
  )
  const brought = await images.read([need('0.chunk', 4000, 9000), need('store.zr', 0, 0), need('none', 0, 1)])
  assert.deepEqual(bytesOf(brought[0]), pattern(5000).slice(4000))
  assert.equal(lengthOf(brought[1]), 73)
  assert.deepEqual(brought[2], { files: 1, name: 'none', absent: true })
  const table = source.file('deep/er/t.cstore')
  assert.deepEqual(bytesOf((await table.read([need('table.cstore', 1, 3)]))[0]), pattern(9).slice(1, 3))
  assert.equal(table.name, 'deep/er/t.cstore')
})

test('bytes are read where they are, without a copy', async () => {
  const bytes = pattern(100)
  const source = fromMemory(new Map([['a', bytes]]))
  const [brought] = await source.read([need('a', 10, 20)])
  assert.equal(bytesOf(brought).buffer, bytes.buffer)
  assert.equal(bytesOf(brought).byteOffset, 10)
})

test('what changes in the Map shows at once', async () => {
  const files = new Map<string, MemoryFile>([['a', pattern(10)]])
  const source = fromMemory(files)
  await source.list()
  files.set('a', pattern(20)).set('b', pattern(5))
  assert.equal(lengthOf((await source.read([need('a', 0, 1)]))[0]), 20)
  assert.deepEqual(
    (await source.list())?.files,
    new Map([
      ['a', 20],
      ['b', 5],
    ]),
  )
})

test('an empty file is there: nothing crashes in memory', async () => {
  const source = fromMemory(
    new Map([
      ['store.zr', new Uint8Array()],
      ['0.chunk', new Uint8Array()],
    ]),
  )
  assert.deepEqual(
    (await source.list())?.files,
    new Map([
      ['store.zr', 0],
      ['0.chunk', 0],
    ]),
  )
  assert.equal(lengthOf((await source.read([need('store.zr', 0, 5)]))[0]), 0)
})

test('a writer finds what is there as bytes, and what it writes is in the Map and can be read', async () => {
  const files = new Map<string, MemoryFile>([
    ['s/store.zr', new Blob([pattern(73) as Uint8Array<ArrayBuffer>])],
    ['s/0.chunk', pattern(8).buffer as ArrayBuffer],
    ['other/x', new Blob([])],
  ])
  const source = fromMemory(files)
  const directory = await source.folder('s').directory?.()
  assert.ok(directory)
  assert.equal(directory.open('store.zr', false, false).getSize(), 73)
  directory.open('0.chunk', false, false).write(Uint8Array.of(1, 2, 3), { at: 8 })
  await directory.settle()
  await directory.close()
  assert.deepEqual(
    bytesOf((await source.folder('s').read([need('0.chunk', 6, 20)]))[0]),
    Uint8Array.of(...pattern(8).slice(6), 1, 2, 3),
  )
  assert.ok(files.get('other/x') instanceof Blob)
})

test('a table is written under its own name', async () => {
  const files = new Map<string, MemoryFile>()
  const directory = await fromMemory(files).file('t/flights.cstore').directory?.({ create: true })
  assert.ok(directory)
  directory.open('table.cstore', true, true).write(pattern(6), { at: 0 })
  await directory.settle()
  await directory.close()
  assert.deepEqual([...files.keys()], ['t/flights.cstore'])
  assert.equal((await fromMemory(files).file('t/flights.cstore').list())?.files.get('table.cstore'), 6)
})
