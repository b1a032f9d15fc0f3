import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { tableFromIPC } from 'apache-arrow'

import { addon, ALL, code, folder, list } from './addon.mjs'
import { bytesOf, floats, longs, range, weather } from './tables.mjs'

const data = (name) => fileURLToPath(new URL(`../../../native/cli/data/${name}`, import.meta.url))
const real = (name) => fileURLToPath(new URL(`../../../tests/golden/real/${name}`, import.meta.url))

describe('imports of tables', () => {
  test('a Parquet file', async (test) => {
    const at = folder(test)
    const told = []
    assert.equal(await addon.importTable(data('flights-20k.parquet'), at('a.cstore'), {}, null, (...figures) => told.push(figures)), 20_000)
    assert.ok(told.every(([done, total]) => done <= total && total > 0))
    assert.equal(addon.importTableSync(data('flights-20k.parquet'), at('b.cstore'), { format: 'parquet', columns: ['delay', 'time'], statistics: true }), 20_000)
    const [a, b] = [at('a.cstore'), at('b.cstore')].map((path) => addon.openTablesSync([path]))
    assert.deepEqual([a.layout, b.layout, a.fileRecords], ['0.3', '0.5', 1])
    assert.deepEqual(b.schema().map(({ name }) => name), ['delay', 'time'])
    const [delay] = a.all().select(['delay']).columnsSync()
    assert.deepEqual(b.all().columnsSync()[0].bytes, delay.bytes)
    const late = a.all().filterSync('delay > 60', []).length
    assert.ok(late > 100 && late < 5000)
    assert.equal(b.all().filterSync('delay > 60', []).length, late)
  })

  test('CSV, also packed and without a header', (test) => {
    const at = folder(test)
    assert.equal(addon.importTableSync(real('seattle-weather.csv'), at('weather.cstore'), { format: 'csv' }), 1461)
    const weather = addon.openTablesSync([at('weather.cstore')])
    assert.deepEqual(weather.schema().slice(0, 2).map(({ name, dtype }) => `${name} ${dtype}`), ['date <M8[D]', 'precipitation <f8'])
    writeFileSync(at('rows.csv.gz'), gzipSync('1;a\n2;\n'))
    const options = { delimiter: ';', header: false, nulls: 'empty', utf8: true, width: 3 }
    assert.equal(addon.importTableSync(at('rows.csv.gz'), at('rows.cstore'), options), 2)
    assert.deepEqual(addon.openTablesSync([at('rows.cstore')]).schema().map(({ name, dtype }) => `${name} ${dtype}`), ['column0 <i8', 'column1 |S3'])
    assert.equal(addon.importTableSync(at('rows.csv.gz'), at('rows.cstore'), { ...options, mode: 'append' }), 2)
    assert.equal(addon.importTableSync(at('rows.csv.gz'), at('rows.cstore'), { ...options, mode: 'append' }), 2)
    assert.equal(addon.openTablesSync([at('rows.cstore')]).length, 6)
    assert.equal(addon.importTableSync(at('rows.csv.gz'), at('rows.cstore'), { ...options, mode: 'replace' }), 2)
    assert.throws(() => addon.importTableSync(at('rows.csv.gz'), at('rows.cstore'), options), code('store_exists'))
    assert.throws(() => addon.importTableSync(at('rows.csv.gz'), at('no.cstore'), { ...options, nulls: 'refuse' }), code('invalid_source'))
    assert.ok(!existsSync(at('no.cstore')))
  })

  test('Arrow files and streams under the same name, and JSON lines', async (test) => {
    const at = folder(test)
    assert.equal(await addon.importTable(real('flights-200k.arrow'), at('flights.cstore'), { format: 'arrow' }), 200_000)
    const flights = addon.openTablesSync([at('flights.cstore')]).all()
    writeFileSync(at('stream.bin'), flights.head(1000).arrowSync('stream'))
    assert.equal(addon.importTableSync(at('stream.bin'), at('some.cstore'), { format: 'arrow' }), 1000)
    const expected = tableFromIPC(readFileSync(real('flights-200k.arrow')))
    const name = expected.schema.fields[0].name
    assert.deepEqual([...tableFromIPC(addon.openTablesSync([at('some.cstore')]).all().arrowSync('file')).getChild(name)], [...expected.slice(0, 1000).getChild(name)])
    writeFileSync(at('x.jsonl'), '{"x": 1.5, "id": 9007199254740993}\n{"x": 2, "id": 1}\n')
    assert.equal(addon.importTableSync(at('x.jsonl'), at('x.cstore'), {}), 2)
    const columns = addon.openTablesSync([at('x.cstore')]).all().columnsSync()
    assert.deepEqual([floats(columns, 'x'), longs(columns, 'id')], [[1.5, 2], [9007199254740993n, 1n]])
  })

  test('what is stopped or damaged leaves nothing', async (test) => {
    const at = folder(test)
    const stop = new addon.NativeStop()
    stop.stop()
    await assert.rejects(addon.importTable(data('flights-20k.parquet'), at('a.cstore'), {}, stop), code('interrupted'))
    const whole = readFileSync(data('flights-20k.parquet'))
    for (const cut of [0, 4, 1000, whole.length - 1]) {
      writeFileSync(at('cut.parquet'), whole.subarray(0, cut))
      assert.throws(() => addon.importTableSync(at('cut.parquet'), at('a.cstore'), { format: 'parquet' }), code('invalid_source'))
    }
    assert.throws(() => addon.importTableSync(at('none.csv'), at('a.cstore'), {}), code('invalid_source'))
    for (const wrong of [{ format: 'xml' }, { mode: 'none' }, { nulls: 'none' }, { width: 0 }, { delimiter: 'two' }, { layout: '1' }]) {
      assert.throws(() => addon.importTableSync(real('seattle-weather.csv'), at('a.cstore'), wrong), code('invalid_argument'))
    }
    assert.deepEqual(readdirSync(at('.')), ['cut.parquet'])
  })
})

describe('imports of stores', () => {
  test('arrays of an archive', async (test) => {
    const at = folder(test)
    const made = await addon.importStores(data('digits.npz'), at('digits'), { codec: 'zstd', level: 5 })
    const [images, labels] = made
    assert.deepEqual(made.map(({ kind, codec, records }) => [kind, codec, records]), Array(2).fill(['dense', 'zstd', 1797]))
    const store = addon.openStoreSync(images.path, {})
    assert.deepEqual([store.length, store.dtype, [...store.itemShape]], [images.records, images.dtype, images.itemShape])
    const [only] = addon.importStoresSync(data('digits.npz'), at('some'), { fields: [labels.name] })
    assert.deepEqual([only.name, only.codec, only.path], [labels.name, 'raw', at(`some/${labels.name}`)])
    assert.deepEqual(addon.openStoreSync(only.path, {}).gatherDenseSync(ALL), addon.openStoreSync(labels.path, {}).gatherDenseSync(ALL))
  })

  test('a NumPy array and an IDX file become the destination itself', (test) => {
    const at = folder(test)
    const header = `{'descr': '<i2', 'fortran_order': False, 'shape': (3, 2), }`.padEnd(118 - 1) + '\n'
    const magic = Uint8Array.of(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, 118, 0)
    writeFileSync(at('a.npy'), Buffer.concat([magic, Buffer.from(header), bytesOf(Int16Array.of(1, 2, 3, 4, 5, 6))]))
    const [array] = addon.importStoresSync(at('a.npy'), at('a'), {})
    assert.deepEqual({ ...array }, { path: at('a'), kind: 'dense', dtype: '<i2', itemShape: [2], codec: 'raw', records: 3 })
    assert.equal(addon.appendSourceSync(at('a'), at('a.npy')), 3)
    assert.equal(addon.openStoreSync(at('a'), {}).length, 6)
    writeFileSync(at('t10k-idx1-ubyte.gz'), gzipSync(Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 4, 9, 8, 7, 6)))
    const [labels] = addon.importStoresSync(at('t10k-idx1-ubyte.gz'), at('labels'), {})
    assert.deepEqual([labels.dtype, labels.itemShape, labels.records], ['|u1', [], 4])
    assert.deepEqual([...addon.openStoreSync(at('labels'), {}).gatherDenseSync(ALL).bytes], [9, 8, 7, 6])
  })

  test('JSON lines with a dictionary, and a folder that comes out as it went in', async (test) => {
    const at = folder(test)
    const made = await addon.importStores(data('cmudict.jsonl.gz'), at('words'), { train: 'fast' })
    assert.ok(made.length >= 2 && made.some(({ codec }) => codec === 'zstd_dict'))
    assert.equal(new Set(made.map(({ records }) => records)).size, 1)
    mkdirSync(at('in/sub'), { recursive: true })
    const files = { 'b.txt': 'bytes', 'sub/a.bin': '\0\x01', 'é.txt': 'text' }
    for (const [name, text] of Object.entries(files)) writeFileSync(at(`in/${name}`), text)
    const stores = addon.importStoresSync(at('in'), at('kept'), {})
    assert.deepEqual(stores.map(({ name, kind, records }) => [name, kind, records]), [['files', 'ragged', 3], ['names', 'ragged', 3]])
    assert.equal(await addon.exportTo(at('kept'), at('out')), 3)
    for (const [name, text] of Object.entries(files)) assert.equal(readFileSync(at(`out/${name}`), 'utf8'), text)
  })

  test('say what is wrong, and leave nothing', async (test) => {
    const at = folder(test)
    for (const wrong of [{ codec: 'none' }, { codec: 'raw', level: 3 }, { codec: 'zstd_dict' }, { codec: 'zstd', train: 'fast' }, { train: 'none' }, { level: 0.5 }]) {
      assert.throws(() => addon.importStoresSync(data('digits.npz'), at('a'), wrong), code('invalid_argument'), JSON.stringify(wrong))
    }
    assert.throws(() => addon.importStoresSync(data('digits.npz'), at('a'), { fields: ['none'] }), code('invalid_argument'))
    assert.throws(() => addon.importStoresSync(at('nothing'), at('a'), {}), code('invalid_source'))
    const stop = new addon.NativeStop()
    stop.stop()
    await assert.rejects(addon.importStores(data('digits.npz'), at('a'), {}, stop), code('interrupted'))
    assert.deepEqual(readdirSync(at('.')), [])
  })
})

describe('exports', () => {
  test('rows in every format, which import as they were', async (test) => {
    const at = folder(test)
    const rows = addon.openTablesSync([weather(at('weather.cstore'), 200)]).all().filterSync('id % 2 = 0', [])
    for (const ending of ['parquet', 'arrow', 'arrows', 'csv', 'tsv', 'jsonl', 'npz']) {
      const path = at(`rows.${ending}`)
      assert.equal(await rows.exportAs(path, {}), 100)
      assert.throws(() => rows.exportAsSync(path, {}), code('store_exists'))
      assert.equal(await rows.exportAs(path, { replace: true }), 100)
      assert.equal(addon.importTableSync(path, at(`${ending}.cstore`), {}), 100)
      const back = addon.openTablesSync([at(`${ending}.cstore`)]).all().columnsSync()
      assert.deepEqual(longs(back, 'id'), range(200, (row) => row % 2 === 0).map(BigInt), ending)
      assert.deepEqual(floats(back, 'rain'), floats(rows.columnsSync(), 'rain'), ending)
    }
    assert.equal(rows.exportAsSync(at('plain.txt'), { format: 'csv', header: false, delimiter: '|' }), 100)
    assert.match(readFileSync(at('plain.txt'), 'utf8'), /^0\|0/)
    assert.equal(addon.exportToSync(at('weather.cstore'), at('all.csv')), 200)
    assert.equal(await addon.exportTo(at('weather.cstore'), at('some.csv'), null, null, list(1, -1)), 2)
    for (const options of [{ format: 'xml' }, { compression: 'none at all' }, { delimiter: '' }]) {
      assert.throws(() => rows.exportAsSync(at('x.csv'), options), code('invalid_argument'))
    }
    assert.throws(() => rows.exportAsSync(at('x.xml'), {}), code('invalid_argument'))
  })

  test('records of a store and of a folder of stores', async (test) => {
    const at = folder(test)
    const [images] = addon.importStoresSync(data('digits.npz'), at('digits'), {})
    const told = []
    assert.equal(await addon.exportTo(images.path, at('some.npy'), null, (...figures) => told.push(figures), [undefined, 10, 1]), 10)
    assert.ok(told.every(([, total]) => total === 10))
    const [back] = addon.importStoresSync(at('some.npy'), at('back'), {})
    const head = addon.openStoreSync(images.path, {}).gatherDenseSync([undefined, 10, 1])
    assert.deepEqual(addon.openStoreSync(back.path, {}).gatherDenseSync(ALL), head)
    assert.equal(addon.exportToSync(at('digits'), at('all.npz')), 1797)
    assert.throws(() => addon.exportToSync(at('nothing'), at('x.npz')), code('store_not_found'))
    assert.throws(() => addon.exportToSync(images.path, at('x.xml')), code('invalid_argument'))
    assert.throws(() => addon.exportToSync(images.path, at('x.npy'), list(5000)), code('index_out_of_range'))
  })
})
