import assert from 'node:assert/strict'
import { test } from 'node:test'

import { opfsTable } from '../../ts/directory/opfs.js'
import { type PreparedDirectory, change } from '../../ts/directory/prepared.js'
import { FakeDisk } from './fake_opfs.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

test('a table has its own name, and other tables beside it stay untouched', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('tables')
  folder.put('other.cstore', bytes(1))
  const directory = await opfsTable(folder, 'mine.cstore')
  assert.equal(directory.has('table.cstore'), false)
  await change(directory, () => void directory.open('table.cstore', true, true).write(bytes(5), { at: 0 }))
  assert.throws(() => directory.open('table.cstore', true, true), { name: 'AlreadyExists', message: /mine\.cstore/ })
  await directory.close()
  assert.deepEqual(
    [...folder.files()],
    [
      ['other.cstore', bytes(1)],
      ['mine.cstore', bytes(5)],
    ],
  )
})

test('an empty table is one that was never begun only beside its draft', async () => {
  const folder = new FakeDisk().folder('tables')
  folder.put('damaged.cstore', bytes())
  folder.put('begun.cstore', bytes())
  folder.put('begun.cstore.draft', bytes())
  const damaged = await opfsTable(folder, 'damaged.cstore')
  assert.equal(damaged.open('table.cstore', false, false).getSize(), 0)
  assert.throws(() => damaged.open('table.cstore', true, true), { name: 'AlreadyExists' })
  await damaged.close()
  const begun = await opfsTable(folder, 'begun.cstore')
  assert.equal(begun.has('table.cstore'), false)
  await begun.close()
  assert.deepEqual([...folder.files().keys()], ['damaged.cstore'])
})

test('whoever writes a table has its draft, which a killed compaction may have left', async () => {
  const folder = new FakeDisk().folder('tables')
  folder.put('a.cstore', bytes(1))
  folder.put('a.cstore.draft', bytes(9, 9))
  const first = await opfsTable(folder, 'a.cstore')
  assert.equal(first.has('table.cstore.draft'), false)
  const second = await opfsTable(folder, 'a.cstore')
  assert.throws(() => second.has('table.cstore'), { name: 'NoModificationAllowedError' })
  await second.close()
  assert.ok(folder.files().has('a.cstore.draft'))
  await first.close()
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(1)]])
})

test('a table that somebody else made since the folder was looked at is not overwritten', async () => {
  const folder = new FakeDisk().folder('tables')
  const directory = await opfsTable(folder, 'a.cstore')
  folder.put('a.cstore', bytes(1, 2))
  await assert.rejects(change(directory, () => directory.open('table.cstore', true, true)), { name: 'AlreadyExists' })
  await directory.close()
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(1, 2)]])
})

test('a draft takes the place of the table in one step', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('tables')
  folder.put('a.cstore', bytes(1, 2, 3))
  folder.put('a.cstore.draft', bytes(9, 9))
  const directory = await opfsTable(folder, 'a.cstore')
  const seen: number[][] = []
  disk.changed = () => seen.push([...disk.crashed('lost').folder('tables').files().get('a.cstore')!])
  await change(directory, () => {
    if (directory.has('table.cstore.draft')) {
      directory.remove('table.cstore.draft')
    }
    const draft = directory.open('table.cstore.draft', true, true)
    assert.equal(draft.getSize(), 0)
    draft.write(bytes(4, 5), { at: 0 })
    draft.flush()
    directory.rename('table.cstore.draft', 'table.cstore')
    assert.equal(directory.has('table.cstore.draft'), false)
    assert.equal(directory.open('table.cstore', false, false).getSize(), 2)
    assert.deepEqual(folder.files().get('a.cstore'), bytes(1, 2, 3))
  })
  assert.deepEqual(new Set(seen.map(String)), new Set(['1,2,3', '4,5']))
  await change(directory, () => void directory.open('table.cstore', false, false).write(bytes(6), { at: 2 }))
  await directory.close()
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(4, 5, 6)]])
})

test('a draft that cannot be moved is dropped, and the table stays', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('tables')
  folder.put('a.cstore', bytes(1, 2, 3))
  const directory = await opfsTable(folder, 'a.cstore')
  disk.before = (action) => {
    if (action === 'move') {
      throw new DOMException('taken', 'NoModificationAllowedError')
    }
  }
  const replace = () => {
    directory.open('table.cstore.draft', true, true).write(bytes(4), { at: 0 })
    directory.rename('table.cstore.draft', 'table.cstore')
  }
  await assert.rejects(change(directory, replace), { code: 'store_busy', message: /a\.cstore/ })
  assert.throws(() => directory.has('table.cstore'), { message: /open it again/ })
  await directory.close()
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(1, 2, 3)]])
  assert.equal(disk.open, 0)
})

test('where files cannot be moved, replacing a table is refused before anything is written', async () => {
  for (const draft of [[], [7]]) {
    const folder = new FakeDisk({ cannotMove: true }).folder('tables')
    folder.put('a.cstore', bytes(1))
    if (draft.length > 0) {
      folder.put('a.cstore.draft', bytes(...draft))
    }
    const directory = await opfsTable(folder, 'a.cstore')
    const start = () => directory.open('table.cstore.draft', true, false)
    await assert.rejects(change(directory, start), { code: 'unsupported' })
    await directory.close()
    assert.deepEqual(folder.files().get('a.cstore'), bytes(1))
  }
})

test('a table that is being written is taken, and so is one that two want to create', async () => {
  const folder = new FakeDisk().folder('tables')
  const create = (directory: PreparedDirectory) =>
    change(directory, () => void directory.open('table.cstore', true, true).write(bytes(1), { at: 0 }))
  const [first, second] = [await opfsTable(folder, 'a.cstore'), await opfsTable(folder, 'a.cstore')]
  await create(first)
  await assert.rejects(create(second), { name: 'NoModificationAllowedError' })
  const third = await opfsTable(folder, 'a.cstore')
  assert.throws(() => third.has('table.cstore'), { name: 'NoModificationAllowedError' })
  await Promise.all([first.close(), second.close(), third.close()])
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(1)]])
})
