/** Files into stores and tables, and out of them. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import * as recask from 'recask'
import { DenseStore, exportTo, RaggedStore, Table } from 'recask'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'

/** A NumPy array of two by three. */
function npy(): string {
  const place = nowhere('array.npy')
  const header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }".padEnd(117) + '\n'
  const values = new Uint8Array(Int16Array.of(1, 2, 3, 4, 5, 6).buffer)
  writeFileSync(place, Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(header), values]))
  return place
}

/** An IDX file of three pictures of two by two. */
function idx(): string {
  const place = nowhere('pictures-idx3-ubyte')
  writeFileSync(place, Buffer.from([0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 2, ...Array.from({ length: 12 }, (_, i) => i)]))
  return place
}

function csv(): string {
  const place = nowhere('rain.csv')
  writeFileSync(place, 'day,rain,city\n2012-01-01,0.5,Ulm\n2012-01-02,,Köln\n')
  return place
}

describe('imports', () => {
  it('make a dense store of a NumPy array, and back', async () => {
    const dest = nowhere()
    const progress: number[] = []
    const made = await recask.importNpy(npy(), dest, { codec: 'zstd', level: 5, onProgress: ({ done }) => progress.push(done) })
    assert.deepEqual(made, { path: dest, kind: 'dense', dtype: '<i2', itemShape: [3], codec: 'zstd', records: 2 })
    const store = await DenseStore.open(dest)
    assert.deepEqual([...(await store.gather(1)).data], [4, 5, 6])
    await store.close()
    const out = nowhere('out.npy')
    assert.equal(await exportTo(dest, out, { index: [1, 0, 1] }), 3)
    const again = nowhere()
    assert.equal(recask.importNpySync(out, again).records, 3)
    assert.equal(await recask.appendSource(again, npy()), 2)
    assert.equal(recask.appendSourceSync(again, out), 3)
    const grown = await DenseStore.open(again)
    assert.deepEqual([...(await grown.gather({})).data].slice(0, 12), [4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3])
    assert.equal(grown.length, 8)
    await grown.close()
  })

  it('make a dense store of IDX', async () => {
    const made = await recask.importIdx(idx(), nowhere())
    assert.deepEqual([made.kind, made.itemShape, made.records], ['dense', [2, 2], 3])
    assert.equal(recask.importIdxSync(idx(), nowhere()).records, 3)
  })

  it('make a folder of an archive, and of JSON lines', async () => {
    const [dest, out] = [nowhere(), nowhere('all.npz')]
    const lines = nowhere('lines.jsonl')
    writeFileSync(lines, '{"id": 1, "tokens": [1, 2, 3]}\n{"id": 2, "tokens": [4]}\n')
    const made = (await recask.importJsonl(lines, dest)) as readonly recask.Imported[]
    assert.deepEqual(made.map(({ name, kind, records }) => [name, kind, records]).sort(), [
      ['id', 'dense', 2],
      ['tokens', 'ragged', 2],
    ])
    const tokens = await RaggedStore.open(`${dest}/tokens`)
    assert.deepEqual((await tokens.gather({})).shapes, [[3], [1]])
    await tokens.close()
    const only = recask.importJsonlSync(lines, nowhere(), { fields: ['id'] }) as readonly recask.Imported[]
    assert.equal(only.length, 1)
    await exportTo(`${dest}/id`, out)
    assert.equal((await recask.importNpz(out, nowhere())).length, 1)
    assert.equal(recask.importNpzSync(out, nowhere()).length, 1)
  })

  it('make a table of CSV, JSON lines, Parquet and Arrow', async () => {
    const dest = nowhere('rain.cstore')
    await fails(() => recask.importCsv(csv(), dest), { code: 'invalid_source', message: /rain/ })
    assert.equal(existsSync(dest), false)
    assert.equal(await recask.importCsv(csv(), dest, { nulls: 'nan' }), 2)
    const table = await Table.open(dest)
    const wanted = [
      { day: 15340n, rain: 0.5, city: 'Ulm' },
      { day: 15341n, rain: NaN, city: 'Köln' },
    ]
    assert.deepEqual(await table.toRows(), wanted)
    for (const [ending, load] of [
      ['parquet', recask.importParquet],
      ['arrow', recask.importArrow],
      ['csv', recask.importCsv],
    ] as const) {
      const [file, copy] = [nowhere(`rain.${ending}`), nowhere('copy.cstore')]
      assert.equal(await table.export(file), 2)
      await fails(() => table.export(file), 'store_exists')
      assert.equal(table.exportSync(file, { replace: true }), 2)
      assert.equal(await load(file, copy, { nulls: 'nan', columns: ['city', 'rain'] }), 2)
      const read = await Table.open(copy)
      assert.deepEqual(
        await read.toRows(),
        wanted.map(({ rain, city }) => ({ city, rain })),
        ending,
      )
      await read.close()
    }
    const lines = nowhere('rain.jsonl')
    await table.select(['day', 'city']).export(lines)
    assert.equal(await recask.importJsonl(lines, nowhere('lines.cstore')), 2)
    assert.equal(await exportTo(dest, nowhere('rain.parquet')), 2)
    await table.close()
  })

  it('stop where a signal says so, and leave nothing', async () => {
    const dest = nowhere()
    await assert.rejects(recask.importNpy(npy(), dest, { signal: AbortSignal.abort(new Error('no')) }), /no/)
    assert.equal(existsSync(dest), false)
  })

  it('name a source that they do not understand', async () => {
    const place = nowhere('odd.npy')
    writeFileSync(place, 'something else')
    await fails(() => recask.importNpy(place, nowhere()), 'invalid_source')
    await fails(() => recask.importParquet(place, nowhere('odd.cstore')), 'invalid_source')
    await assert.rejects(recask.importNpy(nowhere('none.npy'), nowhere()), { name: 'RecaskError' })
  })
})

describe('Arrow', () => {
  it('goes out as a file or a stream, and comes in', async () => {
    const place = nowhere('some.cstore')
    const writer = await Table.create(place)
    await writer.write({ a: Int32Array.of(1, 2, 3), b: BigInt64Array.of(4n, 5n, 6n) })
    await writer.close()
    const table = await Table.open(place)
    const file = await table.arrow()
    assert.equal(Buffer.from(file.subarray(0, 6)).toString(), 'ARROW1')
    const stream = await table.select(['b']).arrow({ format: 'stream' })
    assert.notEqual(Buffer.from(stream.subarray(0, 6)).toString(), 'ARROW1')
    const copy = nowhere('copy.cstore')
    assert.equal(await Table.fromArrow(copy, file), 3)
    const again = await Table.open(copy)
    assert.deepEqual(await again.toRows(), await table.toRows())
    await again.close()
    const other = nowhere('other.cstore')
    assert.equal(await Table.fromArrow(other, stream), 3)
    await fails(() => Table.fromArrow(nowhere('bad.cstore'), Uint8Array.of(1, 2, 3)), 'invalid_source')
    await fails(() => Table.fromArrow(nowhere('bad.cstore'), 'x' as never), 'invalid_argument')
    await table.close()
  })

  it('is read again from the file that it was written to', async () => {
    const place = nowhere('some.cstore')
    const writer = await Table.create(place)
    await writer.write({ a: Int32Array.of(1, 2, 3) })
    await writer.close()
    const table = await Table.open(place)
    const out = nowhere('some.arrow')
    writeFileSync(out, await table.arrow())
    assert.equal(await recask.importArrow(out, nowhere('copy.cstore')), 3)
    assert.ok(readFileSync(out).length > 0)
    await table.close()
  })
})
