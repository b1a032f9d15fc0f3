import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromMemory, RecaskError, Table } from 'recask-wasm'
import { tableFile } from './golden.js'

const withCode = (code: string, message = /./) => (error: unknown) => {
  assert.ok(error instanceof RecaskError, String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  return true
}

/** A table of so many rows in pieces of 1000: `id` counts, `half` is half of it, `word` is one of three. */
async function made(rows: number, files = new Map<string, Uint8Array>(), name = 'numbers.cstore'): Promise<Table> {
  const writer = await Table.create(fromMemory(files).file(name))
  for (let first = 0; first < rows; first += 1000) {
    const id = BigInt64Array.from({ length: Math.min(1000, rows - first) }, (_, i) => BigInt(first + i))
    const word = new TextEncoder().encode(Array.from(id, (n) => ['cat', 'dog', 'owl'][Number(n % 3n)]).join(''))
    await writer.write({ id, half: Float64Array.from(id, (n) => Number(n) / 2), word: { data: word, dtype: '|S3' } })
  }
  await writer.close()
  return Table.open(fromMemory(files).file(name))
}

test('a golden table', async () => {
  const table = await Table.open(fromMemory(tableFile('oneshot_all_dtypes.cstore')).file('oneshot_all_dtypes.cstore'))
  assert.deepEqual([table.kind, table.length, table.fileRecords], ['table', 17, 1])
  const columns = await table.columns()
  assert.deepEqual(columns.map(({ name, dtype }) => ({ name, dtype })), table.schema)
  for (const { name, dtype, data } of columns) {
    const width = /\|S|<U|c/.test(dtype) ? data.length / 17 : 1
    assert.equal(data.length, 17 * width, name)
  }
  assert.equal((await table.verify()).ok, true)
  assert.equal((await table.verify()).rows, 17)
  await table.close()
  await assert.rejects(table.columns(), withCode('invalid_argument', /closed/))
})

test('columns and rows are chosen before anything is read', async () => {
  const table = await made(2500)
  assert.equal(table.fileRecords, 3)
  const chosen = table.select(['half', 'id']).rows({ start: 10, stop: 2000, step: 100 }).tail(15).head(2)
  assert.deepEqual(chosen.columnNames, ['half', 'id'])
  assert.equal(await chosen.count(), 2)
  assert.deepEqual(await chosen.rowNumbers(), Float64Array.of(510, 610))
  assert.deepEqual(await chosen.columns(), [
    { name: 'half', dtype: '<f8', data: Float64Array.of(255, 305) },
    { name: 'id', dtype: '<i8', data: BigInt64Array.of(510n, 610n) },
  ])
  assert.deepEqual((await table.rows([-1, 0]).column('word')).data, new TextEncoder().encode('catcat'))
  assert.throws(() => table.select(['nothing']), withCode('column_not_found', /id, half, word/))
  assert.throws(() => table.head(-1), withCode('invalid_argument'))
  await assert.rejects(table.rows([2500]).count(), withCode('index_out_of_range'))
})

test('a filter is looked for window by window', async () => {
  const table = await made(5000)
  const told: number[] = []
  const found = table.filter('id >= ? AND word = ?', [2999, 'owl'])
  assert.equal(await found.count({ onProgress: ({ done, total }) => told.push(done, total) }), 667)
  assert.deepEqual(told.slice(-2), [5000, 5000])
  assert.ok(told.length > 2)
  assert.deepEqual((await found.head(2).column('id')).data, BigInt64Array.of(2999n, 3002n))
  const few = found.filter('half < :most', { most: 1501 }).select(['id'])
  assert.deepEqual((await few.columns())[0]!.data, BigInt64Array.of(2999n))
  const backwards = table.rows({ step: -1 }).filter('id < 5')
  assert.deepEqual(await backwards.rowNumbers(), Float64Array.of(4, 3, 2, 1, 0))
  assert.equal(await table.filter('id < 0').count(), 0)
  await assert.rejects(table.filter('id >').count(), (error) => withCode('invalid_filter')(error) && (error as RecaskError).character! > 0)
  await assert.rejects(table.head(0).filter('nothing = 1').count(), (error) => error instanceof RecaskError)
  const reason = new Error('enough')
  await assert.rejects(table.filter('id = 1').count({ signal: AbortSignal.abort(reason) }), reason)
})

test('figures of columns', async () => {
  const table = await made(2000)
  const [id, half, word] = await table.summaries()
  assert.deepEqual([id!.count, id!.minimum, id!.maximum, id!.sum], [2000, 0, 1999, 1999000])
  assert.deepEqual([half!.minimum, half!.maximum, half!.mean], [0, 999.5, 499.75])
  assert.deepEqual([word!.minimum, word!.maximum, word!.sum], ['cat', 'owl', null])
  assert.deepEqual(await table.distinct('word'), { count: 3, isExact: true })
  await assert.rejects(table.select(['id']).distinct('word'), withCode('column_not_found'))
})

test('several files are one table', async () => {
  const files = new Map<string, Uint8Array>()
  await made(10, files, 'a.cstore')
  await made(5, files, 'b.cstore')
  const table = await Table.open(['a.cstore', 'b.cstore'].map((name) => fromMemory(files).file(name)))
  assert.equal(table.length, 15)
  assert.deepEqual((await table.rows([9, 10]).column('id')).data, BigInt64Array.of(9n, 0n))
  await assert.rejects(Table.open([]), withCode('invalid_argument'))
})

test('appends, aborts and compacts', async () => {
  const files = new Map<string, Uint8Array>()
  const place = () => fromMemory(files).file('t.cstore')
  const writer = await Table.create(place(), { layout: '0.5', statistics: true })
  await writer.write({ x: Float32Array.of(1, 2) })
  await writer.commit()
  await writer.write({ x: Float32Array.of(3) })
  assert.equal(writer.rows, 3)
  await writer.abort()
  assert.equal((await Table.open(place())).length, 2)
  const more = await Table.append(place())
  await more.write({ x: Float32Array.of(4) })
  await assert.rejects(more.write({ x: Int8Array.of(4) }), withCode('dtype_mismatch'))
  await more.close()
  await Table.compact(place())
  const table = await Table.open(place())
  assert.deepEqual([table.fileRecords, (await table.column('x')).data], [1, Float32Array.of(1, 2, 4)])
  await assert.rejects(Table.create(place()), withCode('store_exists'))
})

test('refuses columns that are none', async () => {
  const writer = await Table.create(fromMemory(new Map()).file('t.cstore'))
  await assert.rejects(writer.write({ x: [1, 2] as never }), withCode('dtype_mismatch', /Array/))
  await assert.rejects(writer.write({ x: { data: new Uint8Array(7), dtype: '|S5' } }), withCode('shape_mismatch'))
  await assert.rejects(writer.write({ x: { data: new Uint8Array(8), dtype: '<f4' } }), withCode('dtype_mismatch'))
  await assert.rejects(writer.write({ x: Int8Array.of(1), y: Int8Array.of(1, 2) }), withCode('shape_mismatch'))
  await writer.abort()
})

test('a type in the other byte order takes values in ours', async () => {
  const files = new Map<string, Uint8Array>()
  const writer = await Table.create(fromMemory(files).file('t.cstore'))
  await writer.write({ x: { data: Int16Array.of(1, -2), dtype: '>i2' } })
  await writer.close()
  const table = await Table.open(fromMemory(files).file('t.cstore'))
  assert.deepEqual((await table.column('x')).data, Int16Array.of(1, -2))
})
