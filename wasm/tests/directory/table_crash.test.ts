/** A table whose writer ends at any moment has the rows of the last commit, or those of the next. */

import assert from 'node:assert/strict'
import { test } from 'node:test'

import { opfsTable } from '../../ts/directory/opfs.js'
import { type PreparedDirectory, change, finish } from '../../ts/directory/prepared.js'
import type { RawTable, RawTableWriter } from '../../ts/raw.js'
import { CRASHES, FakeDisk, type FakeFolder } from './fake_opfs.js'
import { rawModule } from './raw_module.js'
import { readingTable } from './reading.js'

const raw = await rawModule()

const FOLDER = 'tables'
const NAME = 'sales.cstore'

/** Rows and in how many pieces they are; `undefined` where there is no table. */
type State = string | undefined

interface Crashed {
  readonly folder: FakeFolder
  allowed: readonly State[]
  readonly when: string
}

/** Does something to a table and gives the disks that a crash would have left meanwhile. */
async function crashes(disk: FakeDisk, work: () => Promise<void>): Promise<Crashed[]> {
  const before = read(disk.folder(FOLDER))
  const crashed: Crashed[] = []
  disk.changed = (action, name) => {
    for (const crash of CRASHES) {
      crashed.push({ folder: disk.crashed(crash).folder(FOLDER), allowed: [before], when: `${action} of ${name}, writes ${crash}` })
    }
  }
  await work()
  disk.changed = () => {}
  const after = read(disk.folder(FOLDER))
  crashed.forEach((crash) => (crash.allowed = [before, after]))
  return crashed
}

function read(folder: FakeFolder): State {
  const size = folder.sizes().get(NAME)
  if (size === undefined || (size === 0 && folder.sizes().has(`${NAME}.draft`))) {
    return undefined
  }
  const place = {
    sizes: () => new Map([['table.cstore', size]]),
    read: (_: string, start: number, end: number) => folder.read(NAME, start, end),
  }
  return readingTable(raw, place, contentOf)
}

function contentOf(table: RawTable): string {
  const rows = table.all()
  const values = rows.columns().flatMap(({ bytes }) => [...new Int32Array(bytes.slice().buffer)])
  rows.free()
  return `${values.join()} in ${table.fileRecords}`
}

async function written(
  folder: FakeFolder,
  begin: (directory: PreparedDirectory) => RawTableWriter,
  ...records: (readonly number[])[]
): Promise<void> {
  const directory = await opfsTable(folder, NAME)
  const writer = await change(directory, () => begin(directory))
  for (const values of records) {
    await change(directory, () => writer.write(['amount'], ['<i4'], [new Uint8Array(Int32Array.from(values).buffer)]))
    await change(directory, () => writer.commit())
  }
  await finish(directory, () => writer.close())
  writer.free()
}

const create = (directory: PreparedDirectory) => raw.createTable(directory, '0.3', false)
const append = (directory: PreparedDirectory) => raw.appendTable(directory)

async function compacted(folder: FakeFolder): Promise<void> {
  const directory = await opfsTable(folder, NAME)
  await change(directory, () => raw.compactTable(directory, () => true))
  await directory.close()
}

test('a new table is not there or has its rows', async () => {
  const disk = new FakeDisk()
  const crashed = await crashes(disk, () => written(disk.folder(FOLDER), create, [1, 2]))
  assert.equal(read(disk.folder(FOLDER)), '1,2 in 1')
  // From the header to the first commit the file is a table that says that it has no rows, or is damaged.
  const before = crashed.filter(({ folder }) => (folder.sizes().get(NAME) ?? 0) === 0)
  assert.ok(before.some(({ folder }) => folder.sizes().has(NAME)))
  for (const { folder, allowed, when } of before) {
    assert.ok(allowed.includes(read(folder)), when)
    await written(folder, create, [3])
    assert.equal(read(folder), '3 in 1', when)
    assert.deepEqual([...folder.sizes().keys()], [NAME], when)
  }
})

test('a new table that is given up is not there, at no moment as a damaged one', async () => {
  const disk = new FakeDisk()
  const crashed = await crashes(disk, async () => {
    const directory = await opfsTable(disk.folder(FOLDER), NAME)
    const writer = await change(directory, () => create(directory))
    await finish(directory, () => writer.abort())
    writer.free()
  })
  assert.deepEqual([...disk.folder(FOLDER).sizes()], [])
  const empty = crashed.filter(({ folder }) => folder.sizes().get(NAME) === 0)
  assert.ok(empty.length > 0)
  for (const { folder, when } of empty) assert.equal(read(folder), undefined, when)
})

test('rows that are appended are there or not', async () => {
  const disk = new FakeDisk()
  await written(disk.folder(FOLDER), create, [1, 2])
  const crashed = await crashes(disk, () => written(disk.folder(FOLDER), append, [3, 4]))
  assert.equal(read(disk.folder(FOLDER)), '1,2,3,4 in 2')
  assert.ok(crashed.length > 10)
  for (const { folder, allowed, when } of crashed) {
    const state = read(folder)
    assert.ok(allowed.includes(state), `${when}: found ${state}`)
    await written(folder, append, [5])
    assert.equal(read(folder)?.startsWith(`${state?.split(' ')[0]},5 in`), true, when)
  }
})

test('a compaction replaces the table in one step', async () => {
  const disk = new FakeDisk()
  await written(disk.folder(FOLDER), create, [1, 2], [3], [4, 5])
  const crashed = await crashes(disk, () => compacted(disk.folder(FOLDER)))
  assert.equal(read(disk.folder(FOLDER)), '1,2,3,4,5 in 1')
  assert.deepEqual([...disk.folder(FOLDER).sizes().keys()], [NAME])
  for (const { folder, allowed, when } of crashed) {
    const state = read(folder)
    assert.ok(allowed.includes(state), `${when}: found ${state}`)
    await compacted(folder)
    assert.equal(read(folder), '1,2,3,4,5 in 1', when)
  }
})

test('a compaction that finds no space leaves the table, and no draft', async () => {
  const disk = new FakeDisk()
  const folder = disk.folder(FOLDER)
  await written(folder, create, [1, 2], [3])
  disk.options.quota = disk.used() + 10
  const directory = await opfsTable(folder, NAME)
  await assert.rejects(change(directory, () => raw.compactTable(directory, () => true)), { code: 'device_full' })
  await directory.close()
  assert.equal(read(folder), '1,2,3 in 2')
  assert.deepEqual([...folder.sizes().keys()], [NAME])
})
