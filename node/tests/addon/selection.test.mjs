import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { addon, code, folder, list } from './addon.mjs'
import { floats, longs, rain, range, weather } from './tables.mjs'

function opened(test, count = 1000, most = 300) {
  const table = addon.openTablesSync([weather(folder(test)('weather.cstore'), count, most)])
  return { table, all: table.all() }
}

describe('selections', () => {
  test('compose, and count within what was selected', (test) => {
    const { all } = opened(test)
    const some = all.select(['rain', 'id']).rows([100, undefined, undefined]).head(50).tail(3).rows(list(-1, 0))
    assert.equal(some.length, 2)
    assert.deepEqual(some.names(), ['rain', 'id'])
    assert.deepEqual([...some.rowNumbers()], [149, 147])
    const columns = some.columnsSync()
    assert.deepEqual(columns.map(({ name, dtype }) => [name, dtype]), [['rain', '<f8'], ['id', '<i8']])
    assert.deepEqual(longs(columns, 'id'), [149n, 147n])
    assert.deepEqual(floats(columns, 'rain'), [rain(149), rain(147)])
    assert.equal(all.length, 1000)
    assert.equal(all.head(5000).length, 1000)
    assert.equal(all.rows(Uint8Array.from({ length: 1000 }, (_, row) => Number(row === 7))).columnsSync()[0].bytes[0], 7)
  })

  test('are refused where there is no such column or row', (test) => {
    const { all } = opened(test)
    assert.throws(() => all.select(['none']), code('column_not_found'))
    assert.throws(() => all.rows(list(1000)), code('index_out_of_range'))
    assert.throws(() => all.head(-1), code('invalid_argument'))
    assert.throws(() => all.tail(0.5), code('invalid_argument'))
    for (const wrong of [7, 'text', null, {}, [1, 2], [1, 2, 'x'], new Int8Array(2)]) {
      assert.throws(() => all.rows(wrong), code('invalid_argument'), String(wrong))
    }
  })

  test('filter by expressions with parameters of both kinds', async (test) => {
    const { all } = opened(test)
    const cases = [
      ['id >= 990', [], (row) => row >= 990],
      ['id % ? = $2', [100, 7n], (row) => row % 100 === 7],
      ['rain > :low AND rain < :high', { low: 10.25, high: 11 }, (row) => rain(row) > 10.25 && rain(row) < 11],
      ['city = ?', ['bé'], () => false],
      ['city = :city', { city: 'b' }, (row) => row % 26 === 1],
      ["day < DATE '1970-01-01'", undefined, (row) => row < 100],
      ['id < 3 AND ?', [true], (row) => row < 3],
      ['id = ?', [-(2n ** 80n)], () => false],
    ]
    for (const [expression, parameters, passes] of cases) {
      const expected = range(1000, passes)
      for (const rows of [await all.filter(expression, parameters), all.filterSync(expression, parameters)]) {
        assert.deepEqual([...rows.rowNumbers()], expected, expression)
        assert.equal(rows.length, expected.length)
      }
    }
    const within = await all.rows([999, undefined, -2]).select(['rain']).filter('id < 6', null)
    assert.deepEqual([...within.rowNumbers()], [5, 3, 1])
    assert.deepEqual(within.names(), ['rain'])
  })

  test('say where a filter is wrong', async (test) => {
    const { all } = opened(test)
    const wrong = (error) => code('invalid_filter')(error) && JSON.parse(error.message.slice(7)).character === 6
    assert.throws(() => all.filterSync('id > none', []), wrong)
    await assert.rejects(all.filter('id > none', []), wrong)
    assert.throws(() => all.filterSync('id > ?', []), code('invalid_filter'))
    assert.throws(() => all.filterSync('id > 1', [7]), code('invalid_filter'))
    for (const parameters of [7, 'text', [null], [undefined], [{}], { a: [] }, [() => 1], [2n ** 200n]]) {
      assert.throws(() => all.filterSync('id > 1', parameters), code('invalid_argument'))
    }
  })

  test('have figures', async (test) => {
    const { all } = opened(test, 100, 30)
    const figures = await all.summaries(true)
    const [id, wet, city, day] = figures
    assert.deepEqual({ ...id }, { name: 'id', dtype: '<i8', count: 100, missing: 0, minimum: 0, maximum: 99, sum: 4950, mean: 49.5, deviation: id.deviation })
    assert.ok(Math.abs(id.deviation - Math.sqrt(833.25)) < 1e-9)
    const values = range(100, (row) => !Number.isNaN(rain(row))).map(rain)
    assert.deepEqual([wet.missing, wet.minimum, wet.maximum], [100 - values.length, 0, 24.75])
    assert.ok(Math.abs(wet.sum - values.reduce((sum, value) => sum + value)) < 1e-9)
    assert.deepEqual([city.minimum, city.maximum, city.sum, city.mean], ['aé', 'z', null, null])
    assert.deepEqual([day.minimum, day.maximum], [-100, -1])
    assert.deepEqual(all.summariesSync(true), figures)
    assert.ok(Number.isNaN(all.summariesSync(false)[1].mean))
    assert.deepEqual(all.head(0).summariesSync(false)[0].minimum, null)
    assert.deepEqual({ ...(await all.distinct('city')) }, { count: 26, isExact: true })
    assert.deepEqual(all.distinctSync('id'), { count: 100, isExact: true })
    assert.throws(() => all.distinctSync('none'), code('column_not_found'))
  })

  test('give integers beyond 2^53 as big integers', (test) => {
    const path = folder(test)('big.cstore')
    const writer = addon.createTableSync(path, '0.3', false)
    const values = BigInt64Array.of(2n ** 63n - 1n, 2n ** 63n - 1n, 1n)
    writer.writeSync(['x'], ['<i8'], [new Uint8Array(values.buffer)])
    writer.closeSync()
    const [{ minimum, maximum, sum }] = addon.openTablesSync([path]).all().summariesSync(false)
    assert.deepEqual([minimum, maximum, sum], [1, 2n ** 63n - 1n, 2n ** 64n - 1n])
  })

  test('can be used no more once the table is closed, but calls that run end', async (test) => {
    const { table, all } = opened(test, 200_000, 50_000)
    const running = all.columns()
    const closing = table.close()
    assert.equal(longs(await running, 'id').at(-1), 199_999n)
    await closing
    await table.close()
    table.closeSync()
    for (const call of [() => all.names(), () => all.head(1), () => all.columnsSync(), () => all.columns(), () => all.filter('1 = 1', []), () => table.all(), () => table.verifySync()]) {
      assert.throws(call, code('invalid_argument'))
    }
    assert.equal(table.length, 200_000)
    assert.equal(table.schema().length, 4)
  })
})

describe('long calls', () => {
  test('tell of their progress', async (test) => {
    const { all } = opened(test, 300_000, 100_000)
    for (const call of [
      (...watch) => all.columns(...watch),
      (...watch) => all.filter('rain > 2', [], ...watch),
      (...watch) => all.arrow('file', ...watch),
    ]) {
      const told = []
      await call(null, (done, total) => told.push([done, total]))
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.ok(told.length > 0)
      assert.ok(told.every(([done, total]) => done > 0 && done <= 300_000 && total === 300_000), String(told))
    }
  })

  test('are stopped', async (test) => {
    const { table, all } = opened(test)
    const stop = new addon.NativeStop()
    stop.stop()
    for (const call of [
      () => all.columns(stop),
      () => all.filter('rain > 2', [], stop),
      () => all.summaries(true, stop),
      () => all.distinct('id', stop),
      () => all.arrow('stream', stop),
      () => all.exportAs('/nowhere/at/all.parquet', {}, stop),
      () => table.verify(stop),
    ]) {
      await assert.rejects(call(), code('interrupted'))
    }
  })
})
