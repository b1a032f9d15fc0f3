import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tableFromArrays, tableFromIPC, tableToIPC, Utf8, vectorFromArray } from 'apache-arrow'

import { addon, code, folder } from './addon.mjs'
import { floats, longs, rain, range, weather } from './tables.mjs'

describe('Arrow', () => {
  test('reads what a selection gives, as a file and as a stream', async (test) => {
    const all = addon.openTablesSync([weather(folder(test)('weather.cstore'), 1000, 300)]).all()
    const rows = all.filterSync('id % 10 = 3', [])
    for (const format of ['file', 'stream']) {
      for (const bytes of [await rows.arrow(format), rows.arrowSync(format)]) {
        const table = tableFromIPC(bytes)
        assert.equal(table.numRows, 100)
        assert.deepEqual(table.schema.fields.map(({ name }) => name), ['id', 'rain', 'city', 'day'])
        assert.deepEqual([...table.getChild('id')], range(100).map((row) => BigInt(row * 10 + 3)))
        assert.deepEqual([...table.getChild('rain')], range(100).map((row) => rain(row * 10 + 3)))
        assert.equal(table.getChild('city').get(0), 'd')
        assert.equal(new Date(table.getChild('day').get(0)).toISOString().slice(0, 10), '1969-09-26')
      }
    }
    assert.equal(tableFromIPC(all.head(0).arrowSync('file')).numRows, 0)
    assert.throws(() => all.arrowSync('feather'), code('invalid_argument'))
  })

  test('gives tables that read as it wrote them', async (test) => {
    const at = folder(test)
    const table = tableFromArrays({
      id: BigInt64Array.from(range(5000), BigInt),
      wind: Float32Array.from(range(5000), (row) => row / 8),
      name: vectorFromArray(range(5000).map((row) => `n${row}`), new Utf8()),
    })
    for (const format of ['file', 'stream']) {
      const [bytes, path] = [tableToIPC(table, format), at(`${format}.cstore`)]
      const writer = await addon.createTable(path, '0.3', false)
      assert.equal(await writer.writeArrow(bytes), 5000)
      assert.equal(writer.writeArrowSync(bytes, null), 5000)
      assert.equal(writer.rows, 10_000)
      await writer.close()
      const made = addon.openTablesSync([path])
      assert.equal(made.fileRecords, 2)
      assert.deepEqual(made.schema().map(({ name, dtype }) => `${name} ${dtype}`), ['id <i8', 'wind <f4', 'name <U5'])
      const columns = made.all().columnsSync()
      assert.deepEqual(longs(columns, 'id').slice(0, 5000), [...table.getChild('id')])
      assert.deepEqual(tableFromIPC(made.all().arrowSync('file')).getChild('name').get(4999), 'n4999')
    }
  })

  test('of several record batches becomes one record, text as wide as the longest', (test) => {
    const path = folder(test)('batches.cstore')
    const [first, ...others] = ['a', 'abc', 'ab'].map((name) => tableFromArrays({ name: vectorFromArray([name], new Utf8()) }))
    const table = first.concat(...others)
    assert.equal(table.batches.length, 3)
    const writer = addon.createTableSync(path, '0.3', false)
    writer.writeArrowSync(tableToIPC(table, 'stream'))
    writer.closeSync()
    const made = addon.openTablesSync([path])
    assert.deepEqual([made.fileRecords, made.length, made.schema()[0].dtype], [1, 3, '<U3'])
  })

  test('has nulls, for which a rule says what is stored', (test) => {
    const path = folder(test)('nulls.cstore')
    const bytes = tableToIPC(tableFromArrays({ x: vectorFromArray([1.5, null, 3]) }))
    const writer = addon.createTableSync(path, '0.3', false)
    assert.throws(() => writer.writeArrowSync(bytes), code('invalid_source'))
    assert.throws(() => writer.writeArrowSync(bytes, { nulls: 'none' }), code('invalid_argument'))
    assert.equal(writer.writeArrowSync(bytes, { nulls: 'nan' }), 3)
    writer.closeSync()
    assert.deepEqual(floats(addon.openTablesSync([path]).all().columnsSync(), 'x'), [1.5, NaN, 3])
  })

  test('bytes that are damaged anywhere are an error, and never a crash', async (test) => {
    const at = folder(test)
    const table = tableFromArrays({ id: Int32Array.from(range(50)), name: vectorFromArray(range(50).map(String), new Utf8()) })
    for (const format of ['file', 'stream']) {
      const whole = tableToIPC(table, format)
      const writer = addon.createTableSync(at(`${format}.cstore`), '0.3', false)
      for (let cut = 0; cut < whole.length; cut += 13) tries(writer, whole.slice(0, cut))
      for (let at = 0; at < whole.length; at += 5) {
        for (const flip of [0xff, 0x80]) {
          const damaged = whole.slice()
          damaged[at] ^= flip
          tries(writer, damaged)
        }
      }
      assert.throws(() => writer.writeArrowSync(new Uint8Array(0)), code('invalid_source'))
      assert.throws(() => writer.writeArrowSync('text'), code('invalid_argument'))
      writer.abortSync()
    }
  })
})

function tries(writer, bytes) {
  try {
    writer.writeArrowSync(bytes)
  } catch (error) {
    assert.match(error.message, /^recask:\{"code":"(invalid_source|invalid_dtype|column_not_found|dtype_mismatch|shape_mismatch|invalid_argument|too_large|unsupported)"/)
  }
}
