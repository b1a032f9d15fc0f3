import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'

import { addon, code, folder } from './addon.mjs'
import { bytesOf, longs, range, weather } from './tables.mjs'

const ids = (...numbers) => [bytesOf(BigInt64Array.from(numbers, BigInt))]
const read = (path) => longs(addon.openTablesSync([path]).all().columnsSync(), 'id').map(Number)

describe('writing tables', () => {
  test('calls take effect in the order in which they were made', async (test) => {
    const path = folder(test)('ids.cstore')
    const writer = await addon.createTable(path, '0.5', true)
    const calls = range(40).map((number) => writer.write(['id'], ['<i8'], ids(number)))
    writer.writeSync(['id'], ['<i8'], ids(40))
    await Promise.all(calls)
    assert.equal(writer.rows, 41)
    await writer.close()
    assert.deepEqual(read(path), range(41))
    const table = addon.openTablesSync([path])
    assert.deepEqual([table.layout, table.fileRecords, table.files], ['0.5', 41, 1])
  })

  test('values are copied before the call returns', async (test) => {
    const path = folder(test)('ids.cstore')
    const writer = addon.createTableSync(path, '0.3', false)
    const values = ids(1, 2, 3)
    const written = writer.write(['id'], ['<i8'], values)
    values[0].fill(0xff)
    structuredClone(values[0].buffer, { transfer: [values[0].buffer] })
    await written
    assert.throws(() => writer.writeSync(['id'], ['<i8'], values), code('invalid_argument'))
    writer.closeSync()
    assert.deepEqual(read(path), [1, 2, 3])
  })

  test('what was not committed is gone after an abort, and stays after a commit', async (test) => {
    const at = folder(test)
    const [never, half] = [at('never.cstore'), at('half.cstore')]
    const first = addon.createTableSync(never, '0.3', false)
    await first.write(['id'], ['<i8'], ids(1))
    await first.abort()
    await first.abort()
    await first.close()
    assert.ok(!existsSync(never))
    const second = await addon.createTable(half, '0.3', false)
    second.writeSync(['id'], ['<i8'], ids(1))
    await second.commit()
    second.commitSync()
    second.writeSync(['id'], ['<i8'], ids(2))
    second.abortSync()
    assert.deepEqual(read(half), [1])
    const third = await addon.appendTable(half)
    assert.equal(third.rows, 1)
    third.writeSync(['id'], ['<i8'], ids(7, 8))
    await third.close()
    assert.deepEqual(read(half), [1, 7, 8])
    assert.throws(() => third.writeSync(['id'], ['<i8'], ids(1)), code('invalid_argument'))
    assert.throws(() => third.write(['id'], ['<i8'], ids(1)), code('invalid_argument'))
    assert.throws(() => third.commit(), code('invalid_argument'))
  })

  test('refuses what is no record of the table', async (test) => {
    const path = folder(test)('ids.cstore')
    const writer = addon.createTableSync(path, '0.3', false)
    writer.writeSync(['id'], ['<i8'], ids(1))
    for (const [names, dtypes, values, expected] of [
      [['other'], ['<i8'], ids(1), 'column_not_found'],
      [['id'], ['<i4'], ids(1), 'dtype_mismatch'],
      [['id', 'more'], ['<i8', '<i8'], [...ids(1), ...ids(1)], 'shape_mismatch'],
      [['id'], ['<i8'], [new Uint8Array(7)], 'buffer_size'],
      [['id'], ['nothing'], ids(1), 'invalid_dtype'],
      [['id'], ['<i8'], [], 'invalid_argument'],
      [['id'], ['<i8'], [7], 'invalid_argument'],
    ]) {
      assert.throws(() => writer.writeSync(names, dtypes, values), code(expected))
      await assert.rejects(async () => writer.write(names, dtypes, values), code(expected))
    }
    assert.equal(writer.rows, 1)
    writer.commitSync()
    assert.throws(() => addon.appendTableSync(path), code('store_busy'))
    await assert.rejects(addon.createTable(path, '0.3', false), code('store_exists'))
    writer.closeSync()
    assert.throws(() => addon.createTableSync(path + '2', '0.4', false), code('invalid_argument'))
    assert.throws(() => addon.createTableSync(path + '2', '0.3', true), code('invalid_argument'))
  })

  test('rows of another table become a record', async (test) => {
    const at = folder(test)
    const source = addon.openTablesSync([weather(at('weather.cstore'), 100, 30)]).all()
    const writer = addon.createTableSync(at('some.cstore'), '0.3', false)
    await writer.writeSelection(source.filterSync('id >= 95', []).select(['id', 'rain']))
    writer.writeSelectionSync(source.select(['id', 'rain']).head(2))
    await writer.close()
    const table = addon.openTablesSync([at('some.cstore')])
    assert.deepEqual(read(at('some.cstore')), [95, 96, 97, 98, 99, 0, 1])
    assert.equal(table.fileRecords, 2)
  })

  test('compaction makes one record of all, and a stopped one changes nothing', async (test) => {
    const path = weather(folder(test)('weather.cstore'), 500, 7)
    const stop = new addon.NativeStop()
    stop.stop()
    await assert.rejects(addon.compactTable(path, stop), code('interrupted'))
    assert.equal(addon.openTablesSync([path]).fileRecords, 72)
    const told = []
    await addon.compactTable(path, null, (done, total) => told.push([done, total]))
    addon.compactTableSync(path)
    assert.equal(addon.openTablesSync([path]).fileRecords, 1)
    assert.deepEqual(read(path), range(500))
    assert.throws(() => addon.compactTableSync(path + '2'), code('store_not_found'))
  })

  test('several files, a folder and a pattern are one table', (test) => {
    const at = folder(test)
    weather(at('a_2.cstore'), 3)
    weather(at('a_10.cstore'), 2)
    for (const paths of [[at('a_2.cstore'), at('a_10.cstore')], [at('.')], [at('*.cstore')]]) {
      const table = addon.openTablesSync(paths)
      assert.deepEqual(longs(table.all().columnsSync(), 'id'), [0n, 1n, 2n, 0n, 1n])
      assert.equal(table.files, 2)
    }
  })
})
