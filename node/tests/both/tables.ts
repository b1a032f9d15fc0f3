import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function tables({ recask }: Door): void {
  const { Table } = recask

  /** A hundred rows in two records. */
  async function weather() {
    const place = nowhere('weather.cstore')
    const writer = await Table.create(place)
    for (const first of [0, 50]) {
      await writer.write({
        day: { data: BigInt64Array.from({ length: 50 }, (_, i) => BigInt(first + i)), dtype: '<M8[D]' },
        rain: Float64Array.from({ length: 50 }, (_, i) => (first + i) / 10),
        city: { data: Uint8Array.from({ length: 100 }, (_, i) => (i % 2 ? 0 : 97 + ((i >> 1) % 3))), dtype: '|S2' },
      })
    }
    assert.equal(writer.rows, 100)
    await writer.close()
    return place
  }

  describe('tables', () => {
    it('are written record by record and read by columns', async () => {
      const table = await Table.open(await weather())
      assert.deepEqual(
        [table.kind, table.length, table.fileRecords, table.columnNames],
        ['table', 100, 2, ['day', 'rain', 'city']],
      )
      assert.deepEqual(table.schema, [
        { name: 'day', dtype: '<M8[D]' },
        { name: 'rain', dtype: '<f8' },
        { name: 'city', dtype: '|S2' },
      ])
      const { data, dtype } = await table.column('day')
      assert.ok(data instanceof BigInt64Array)
      assert.deepEqual([data[99], dtype, recask.dateUnit(dtype)], [99n, '<M8[D]', 'D'])
      await table.close()
    })

    it('are selected by columns, rows and filters before anything is read', async () => {
      const table = await Table.open(await weather())
      const dry = table.filter('rain < ?', [0.5]).select(['rain'])
      assert.deepEqual(dry.columnNames, ['rain'])
      assert.equal(await dry.count(), 5)
      assert.deepEqual([...(await dry.rowNumbers())], [0, 1, 2, 3, 4])
      assert.deepEqual(
        [...(await table.filter('rain >= :low AND rain < :high', { low: 1, high: 1.25 }).rowNumbers())],
        [10, 11, 12],
      )
      assert.deepEqual([...(await table.rows([5, -1]).rowNumbers())], [5, 99])
      assert.deepEqual([...(await table.tail(3).head(2).rowNumbers())], [97, 98])
      assert.deepEqual([...(await table.filter("city = 'b'").head(2).rowNumbers())], [1, 4])
      await fails(() => table.select(['none']), { code: 'column_not_found', message: /day, rain, city/ })
      await fails(() => table.filter(7 as unknown as string), 'invalid_argument')
      const error = await fails(() => table.filter('rain < ').count(), 'invalid_filter')
      assert.equal(typeof (error as unknown as { character: unknown }).character, 'number')
      await fails(() => table.rows([100]).count(), 'index_out_of_range')
      await table.close()
    })

    it('come as an object of columns and as rows', async () => {
      const table = await Table.open(await weather())
      const { rain, day } = await table.head(3).object()
      assert.deepEqual(
        [[...rain!], [...day!]],
        [
          [0, 0.1, 0.2],
          [0n, 1n, 2n],
        ],
      )
      assert.deepEqual(await table.rows([1, 98]).toRows(), [
        { day: 1n, rain: 0.1, city: 'b' },
        { day: 98n, rain: 9.8, city: 'a' },
      ])
      assert.deepEqual(await table.head(0).toRows(), [])
      await table.close()
    })

    it('are summed up', async () => {
      const table = await Table.open(await weather())
      const [rain] = await table.select(['rain']).summaries()
      assert.deepEqual([rain!.count, rain!.minimum, rain!.maximum, rain!.mean], [100, 0, 9.9, 4.95])
      assert.deepEqual(await table.distinct('city'), { count: 3, isExact: true })
      await fails(() => table.distinct('none'), 'column_not_found')
      await table.close()
    })

    it('keep the index that they were asked with', async () => {
      const table = await Table.open(await weather())
      const wanted = Float64Array.of(1, 2)
      const rows = table.rows(wanted)
      wanted.fill(50)
      assert.deepEqual([...(await rows.rowNumbers())], [1, 2])
      await table.close()
    })

    it('are several files as one', async () => {
      const table = await Table.open([await weather(), await weather()])
      assert.deepEqual([table.length, table.fileRecords], [200, 4])
      assert.deepEqual([...(await table.rows([150]).column('rain')).data], [5])
      assert.deepEqual((await table.verify()).ok, true)
      await table.close()
      await fails(() => Table.open([]), 'invalid_argument')
    })

    it('go on behind their last row, and are put together', async () => {
      const place = await weather()
      const writer = await Table.append(place)
      assert.equal(writer.rows, 100)
      const row = {
        day: { data: BigInt64Array.of(100n), dtype: '<M8[D]' },
        rain: Float64Array.of(1),
        city: { data: Uint8Array.of(122, 0), dtype: '|S2' },
      }
      await writer.write(row)
      await writer.commit()
      await writer.close()
      await Table.compact(place)
      const table = await Table.open(place)
      assert.deepEqual([table.length, table.fileRecords], [101, 1])
      const report = await table.verify()
      assert.deepEqual([report.ok, report.rows, report.records], [true, 101, 1])
      await table.close()
    })

    it('forget what was not committed where writing is given up', async () => {
      const place = nowhere('some.cstore')
      const writer = await Table.create(place)
      await writer.write({ a: Int32Array.of(1) })
      await writer.commit()
      await writer.write({ a: Int32Array.of(2) })
      await writer.abort()
      await fails(() => writer.write({ a: Int32Array.of(3) }), { code: 'invalid_argument', message: /closed/ })
      const table = await Table.open(place)
      assert.deepEqual([...(await table.column('a')).data], [1])
      await table.close()
    })

    it('take what is written as it is at the call, in order', async () => {
      const place = nowhere('some.cstore')
      const writer = await Table.create(place)
      const values = Int32Array.of(0)
      await Promise.all(
        Array.from({ length: 10 }, (_, i) => {
          values[0] = i
          return writer.write({ a: values })
        }),
      )
      await writer.close()
      const table = await Table.open(place)
      assert.deepEqual([...(await table.column('a')).data], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      await table.close()
    })

    it('refuse columns that do not fit together', async () => {
      const writer = await Table.create(nowhere('some.cstore'))
      await writer.write({ a: Int32Array.of(1), b: Uint8Array.of(1) })
      await fails(() => writer.write({ a: Int32Array.of(1, 2), b: Uint8Array.of(1) }), 'shape_mismatch')
      await fails(() => writer.write({ a: Int32Array.of(1) }), 'shape_mismatch')
      await fails(() => writer.write({ a: 'text' as unknown as Int32Array }), { code: 'dtype_mismatch', message: /'a'/ })
      await fails(() => writer.write(undefined as unknown as {}), 'invalid_argument')
      assert.equal(writer.rows, 1)
      await writer.close()
    })

    it('refuse to be read once they are closed, their selections too', async () => {
      const table = await Table.open(await weather())
      const some = table.filter('rain > 1')
      assert.equal(await some.count(), 89)
      await table.close()
      await table.close()
      const isClosed = { code: 'invalid_argument', message: /closed/ }
      await fails(() => table.count(), isClosed)
      await fails(() => some.count(), isClosed)
      await fails(() => some.columns(), isClosed)
      await fails(() => some.head(1).toRows(), isClosed)
      await fails(() => table.verify(), isClosed)
      assert.equal(table.length, 100)
    })

    it('are missing where nothing is', async () => {
      const place = nowhere('none.cstore')
      await fails(() => Table.open(place), 'store_not_found')
      await fails(() => Table.append(place), 'store_not_found')
      const there = await weather()
      await fails(() => Table.create(there), 'store_exists')
    })
  })
}
