import assert from 'node:assert/strict'
import { test } from 'node:test'

import { opfsStore, opfsTable } from '../../ts/directory/opfs.js'
import { type PreparedDirectory, change, finish } from '../../ts/directory/prepared.js'
import { FakeDisk, type FakeFolder } from './fake_opfs.js'

const bytes = (...values: number[]) => Uint8Array.from(values)

/** As the core creates a store. */
function createStore(directory: PreparedDirectory): void {
  for (const name of ['recask.journal', 'meta.zr', '0.chunk', 'store.zr']) {
    const file = directory.open(name, true, name !== 'recask.journal')
    file.write(bytes(name.length), { at: 0 })
    file.flush()
  }
  directory.remove('recask.journal')
}

async function storeIn(folder: FakeFolder): Promise<void> {
  const directory = await opfsStore(folder)
  await change(directory, () => createStore(directory))
  await directory.close()
}

const sorted = (names: Iterable<string>) => [...names].sort()

test('a creation is made twice at most, and leaves only what it made', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  const directory = await opfsStore(folder)
  assert.deepEqual(directory.names(), [])
  let calls = 0
  await change(directory, () => {
    calls += 1
    createStore(directory)
  })
  assert.equal(calls, 2)
  await directory.close()
  await directory.close()
  assert.deepEqual(sorted(folder.files().keys()), ['0.chunk', 'meta.zr', 'store.zr'])
  assert.equal(disk.open, 0)
})

test('a creation that fails leaves an empty folder', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  const directory = await opfsStore(folder)
  const failing = () => {
    createStore(directory)
    directory.names().forEach((name) => directory.remove(name))
    throw new Error('no')
  }
  await assert.rejects(finish(directory, failing), { message: 'no' })
  assert.deepEqual([...folder.files()], [])
  assert.equal(disk.open, 0)
})

test('a dictionary is made only when it is wanted', async () => {
  const folder = new FakeDisk().folder('store')
  const directory = await opfsStore(folder)
  await change(directory, () => createStore(directory))
  assert.equal(folder.files().has('dict.zr'), false)
  await change(directory, () => void directory.open('dict.zr', true, true).write(bytes(1), { at: 0 }))
  await directory.close()
  assert.deepEqual(folder.files().get('dict.zr'), bytes(1))
})

test('the next chunk and segment are open before they are wanted', async () => {
  const folder = new FakeDisk().folder('store')
  await storeIn(folder)
  const directory = await opfsStore(folder)
  for (const name of ['1.chunk', '0.loc', 'recask.journal']) {
    assert.equal(directory.has(name), false)
    assert.ok(folder.files().has(name))
    assert.throws(() => directory.open(name, false, false), { name: 'NotFoundError' })
  }
  let calls = 0
  const append = (chunk: string, segment: string) =>
    change(directory, () => {
      calls += 1
      directory.open(chunk, true, false).write(bytes(1), { at: 0 })
      directory.open(segment, true, false).write(bytes(2), { at: 0 })
    })
  await append('1.chunk', '0.loc')
  assert.equal(calls, 1)
  await append('2.chunk', '1.loc')
  assert.equal(calls, 2)
  await append('4.chunk', '1.loc')
  assert.equal(calls, 4)
  await directory.close()
  assert.deepEqual(sorted(folder.files().keys()), [
    '0.chunk',
    '0.loc',
    '1.chunk',
    '1.loc',
    '2.chunk',
    '4.chunk',
    'meta.zr',
    'store.zr',
  ])
})

test('what is removed is empty at once, durably, and loses its name before the call resolves', async () => {
  const folder = new FakeDisk().folder('store')
  await storeIn(folder)
  folder.put('9.chunk', bytes(1, 2, 3))
  const directory = await opfsStore(folder)
  await change(directory, () => {
    directory.remove('9.chunk')
    assert.deepEqual(folder.disk.crashed('lost').folder('store').files().get('9.chunk'), bytes())
    assert.equal(directory.has('9.chunk'), false)
    assert.ok(!directory.names().includes('9.chunk'))
    assert.throws(() => directory.remove('9.chunk'), { name: 'NotFoundError' })
  })
  assert.equal(folder.files().has('9.chunk'), false)
  await change(directory, () => void directory.open('9.chunk', true, true).write(bytes(7), { at: 0 }))
  await directory.close()
  assert.deepEqual(folder.files().get('9.chunk'), bytes(7))
})

test('empty files of a killed writer count as absent', async () => {
  const folder = new FakeDisk().folder('store')
  for (const name of ['recask.lock', 'recask.journal', 'meta.zr', 'store.zr', 'dict.zr', '0.chunk', '0.loc', '1.chunk']) {
    folder.put(name, bytes())
  }
  const directory = await opfsStore(folder)
  assert.deepEqual(directory.names(), [])
  assert.equal(directory.has('store.zr'), false)
  assert.equal(directory.has('dict.zr'), false)
  await change(directory, () => {
    createStore(directory)
    assert.equal(folder.files().has('dict.zr'), false)
  })
  assert.deepEqual(sorted(directory.names()), ['0.chunk', 'meta.zr', 'store.zr'])
  await directory.close()
})

test('empty files that no writer left are damaged ones, and stay', async () => {
  const folder = new FakeDisk().folder('store')
  const names = ['0.chunk', 'dict.zr', 'meta.zr', 'store.zr']
  names.forEach((name) => folder.put(name, bytes()))
  const directory = await opfsStore(folder)
  assert.deepEqual(sorted(directory.names()), names)
  for (const name of names) {
    assert.throws(() => directory.open(name, true, true), { name: 'AlreadyExists' })
  }
  await directory.close()
  assert.deepEqual(sorted(folder.files().keys()), names)
})

test('the lock stays as long as there may be an empty file that a writer left', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  // One that cannot be removed.
  const directory = await opfsStore(folder)
  assert.ok(folder.files().has('1.chunk'))
  disk.before = (action, name) => {
    if (action === 'remove' && name === 'recask.journal') {
      throw new DOMException('taken for long', 'InvalidStateError')
    }
  }
  await directory.close()
  disk.before = () => {}
  assert.deepEqual(sorted(folder.files().keys()), ['0.chunk', 'meta.zr', 'recask.journal', 'recask.lock', 'store.zr'])

  // Some that could not be looked at.
  const reader = await (await folder.getFileHandle('meta.zr')).createSyncAccessHandle!()
  await (await opfsStore(folder)).close()
  assert.ok(folder.files().has('recask.lock'))
  reader.close()

  // An empty chunk of which nobody said whether it is the store's.
  folder.put('5.chunk', bytes())
  await (await opfsStore(folder)).close()
  assert.deepEqual(sorted(folder.files().keys()), ['0.chunk', '5.chunk', 'meta.zr', 'recask.lock', 'store.zr'])
  const again = await opfsStore(folder)
  await change(again, () => directoryWrites(again))
  await again.close()
  assert.deepEqual(sorted(folder.files().keys()), ['0.chunk', 'meta.zr', 'store.zr'])
})

/** As the core begins to write. */
function directoryWrites(directory: PreparedDirectory): void {
  directory.open('recask.journal', true, false).write(bytes(1), { at: 0 })
  directory.remove('recask.journal')
}

test('an empty chunk is there if the store says so', async () => {
  const folder = new FakeDisk().folder('store')
  await storeIn(folder)
  folder.put('0.chunk', bytes())
  const directory = await opfsStore(folder)
  assert.equal(directory.open('0.chunk', false, false).getSize(), 0)
  assert.ok(directory.names().includes('0.chunk'))
  await directory.close()
  assert.ok(folder.files().has('0.chunk'))
})

test('an empty chunk that the store does not have goes as soon as somebody writes, not before', async () => {
  const folder = new FakeDisk().folder('store')
  await storeIn(folder)
  const names = ['4.chunk', '6.loc']
  folder.put('recask.lock', bytes())
  names.forEach((name) => folder.put(name, bytes()))
  const directory = await opfsStore(folder)
  await change(directory, () => directory.open('0.chunk', false, false))
  assert.deepEqual(names.filter((name) => folder.files().has(name)), names)
  await change(directory, () => directory.open('recask.journal', true, false))
  assert.deepEqual(names.filter((name) => folder.files().has(name)), [])
  await directory.close()
})

test('names that no store has are listed and left alone', async () => {
  const folder = new FakeDisk().folder('store')
  folder.put('notes.txt', bytes(1))
  folder.put('01.chunk', bytes(1))
  folder.child('more')
  const directory = await opfsStore(folder)
  assert.deepEqual(sorted(directory.names()), ['01.chunk', 'more', 'notes.txt'])
  await directory.close()
  assert.deepEqual(sorted(folder.files().keys()), ['01.chunk', 'notes.txt'])
})

test('a second writer is told that the files are taken, and takes nothing', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const first = await opfsStore(folder)
  const before = disk.open
  const second = await opfsStore(folder)
  assert.equal(disk.open, before)
  for (const call of [() => second.names(), () => second.has('store.zr'), () => second.open('meta.zr', false, false)]) {
    await assert.rejects(change<unknown>(second, call), { name: 'NoModificationAllowedError' })
  }
  await second.close()
  await first.close()
  const third = await opfsStore(folder)
  assert.ok(third.has('store.zr'))
  await third.close()
})

test('a file that somebody else has open makes the whole store taken', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const other = await (await folder.getFileHandle('meta.zr')).createSyncAccessHandle!()
  const directory = await opfsStore(folder)
  assert.throws(() => directory.names(), { name: 'NoModificationAllowedError' })
  assert.equal(disk.open, 1)
  assert.equal(folder.files().has('recask.lock'), false)
  other.close()
})

test('a reader that has files for a moment is waited for', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const take = async (name: string) => {
    const reader = await (await folder.getFileHandle(name)).createSyncAccessHandle!()
    setTimeout(() => reader.close(), 30)
  }
  await take('meta.zr')
  const directory = await opfsStore(folder)
  assert.ok(directory.has('meta.zr'))
  await directory.close()

  folder.put('a.cstore', bytes(1))
  const table = await opfsTable(folder, 'a.cstore')
  disk.before = (action) => {
    if (action === 'move') {
      disk.before = () => {}
      throw new DOMException('taken', 'NoModificationAllowedError')
    }
  }
  await change(table, () => {
    table.open('table.cstore.draft', true, true).write(bytes(2), { at: 0 })
    table.rename('table.cstore.draft', 'table.cstore')
  })
  await table.close()
  assert.deepEqual(folder.files().get('a.cstore'), bytes(2))
})

test('a table that somebody else changed before the draft took its place is kept', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('tables')
  folder.put('a.cstore', bytes(1))
  const directory = await opfsTable(folder, 'a.cstore')
  disk.before = (action) => {
    if (action === 'move') {
      folder.put('a.cstore', bytes(1, 2))
      throw new DOMException('taken', 'NoModificationAllowedError')
    }
  }
  const replace = () => {
    directory.open('table.cstore.draft', true, true).write(bytes(4), { at: 0 })
    directory.rename('table.cstore.draft', 'table.cstore')
  }
  await assert.rejects(change(directory, replace), { code: 'store_busy', message: /changed/ })
  await directory.close()
  assert.deepEqual([...folder.files()], [['a.cstore', bytes(1, 2)]])
})

test('a page is told to use a worker, and nothing is left', async () => {
  const folder = new FakeDisk({ isPage: true }).folder('store')
  await assert.rejects(opfsStore(folder), { code: 'unsupported', message: /worker/ })
  await assert.rejects(opfsTable(folder, 'a.cstore'), { code: 'unsupported', message: /worker/ })
  assert.deepEqual([...folder.files()], [])
})

test('a full device fails the write, with an error, a number or nothing from the browser', async () => {
  for (const isPrivate of [false, true]) {
    const folder = new FakeDisk({ quota: 100, isPrivate }).folder('store')
    await storeIn(folder)
    const directory = await opfsStore(folder)
    const file = directory.open('0.chunk', false, false)
    assert.throws(() => file.write(new Uint8Array(101), { at: 0 }), { name: 'QuotaExceededError' })
    assert.throws(() => file.truncate(101), { name: 'QuotaExceededError' })
    assert.equal(file.getSize(), 1)
    file.truncate(0)
    assert.equal(file.write(new Uint8Array(50), { at: 3 }), 50)
    await directory.close()
  }
})

test('a file that cannot be made is the answer to the call that wants it', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const directory = await opfsStore(folder)
  disk.before = (action, name) => {
    if (action === 'create' && name === '7.chunk') {
      throw new DOMException('full', 'QuotaExceededError')
    }
  }
  const write = () => directory.open('7.chunk', true, false)
  await assert.rejects(change(directory, write), { name: 'QuotaExceededError' })
  disk.before = () => {}
  await change(directory, write)
  await directory.close()
})

test('calls take turns, and an aborted one does nothing', async () => {
  const folder = new FakeDisk().folder('store')
  const directory = await opfsStore(folder)
  const order: string[] = []
  const first = change(directory, () => {
    createStore(directory)
    order.push('first')
  })
  const second = change(directory, () => order.push('second'))
  const reason = new Error('enough')
  const third = change(directory, () => order.push('third'), { signal: AbortSignal.abort(reason) })
  const last = finish(directory, () => void order.push('last'))
  await assert.rejects(third, reason)
  await Promise.all([first, second, last])
  assert.deepEqual(order, ['first', 'second', 'last'])
})

test('what is closed was flushed, if it was changed', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const directory = await opfsStore(folder)
  const flushed: string[] = []
  disk.before = (action, name) => void (action === 'flush' && flushed.push(name))
  const meta = directory.open('meta.zr', false, false)
  meta.write(bytes(2), { at: 1 })
  meta.flush()
  directory.open('0.chunk', false, false).write(bytes(2), { at: 1 })
  directory.open('store.zr', false, false).truncate(0)
  await directory.close()
  assert.deepEqual(sorted(flushed), ['0.chunk', 'meta.zr', 'store.zr'])
  assert.deepEqual(disk.crashed('lost').folder('store').files().get('0.chunk'), bytes(7, 2))
})

test('a failed flush at the end is told, and everything is given back', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder('store')
  await storeIn(folder)
  const directory = await opfsStore(folder)
  directory.open('0.chunk', false, false).write(bytes(2), { at: 1 })
  disk.before = (action) => {
    if (action === 'flush') {
      throw new DOMException('full', 'QuotaExceededError')
    }
  }
  await assert.rejects(directory.close(), { code: 'device_full' })
  assert.equal(disk.open, 0)
})
