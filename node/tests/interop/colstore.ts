/** Tables that Node.js wrote in colstore 0.3.0 and 0.5.1, each in its layout, and theirs in Node.js, value by value. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ColumnInput, Table, type TypedArray } from 'recask'
import { nowhere } from '../support/place.js'
import { type Service, start } from './service.js'

/** A column as the service sends and takes it. */
type Plain = [name: string, dtype: string, hex: string]

const ROWS = 100
const numbers = Array.from({ length: ROWS }, (_, i) => i)

const COLUMNS: Readonly<Record<string, { readonly data: TypedArray; readonly dtype: string }>> = {
  flag: { data: Uint8Array.from(numbers, (i) => Number(i % 3 === 0)), dtype: '|b1' },
  tiny: { data: Int8Array.from(numbers, (i) => i - 50), dtype: '|i1' },
  byte: { data: Uint8Array.from(numbers, (i) => 2 * i), dtype: '|u1' },
  short: { data: Int16Array.from(numbers, (i) => (i - 50) * 600), dtype: '<i2' },
  half: { data: Uint16Array.from(numbers, (i) => 0x3c00 + i), dtype: '<f2' },
  int: { data: Int32Array.from(numbers, (i) => (i - 50) * 2 ** 24), dtype: '<i4' },
  wide: { data: BigInt64Array.from(numbers, (i) => BigInt(i - 50) * 2n ** 56n), dtype: '<i8' },
  unsigned: { data: BigUint64Array.from(numbers, (i) => 2n ** 64n - 1n - BigInt(i)), dtype: '<u8' },
  single: { data: Float32Array.from(numbers, (i) => (i % 10 === 0 ? NaN : i / 8)), dtype: '<f4' },
  double: { data: Float64Array.from(numbers, (i) => Math.sqrt(i) * (i % 2 ? 1 : -1)), dtype: '<f8' },
  day: { data: BigInt64Array.from(numbers, (i) => BigInt(i * 365)), dtype: '<M8[D]' },
  moment: { data: BigInt64Array.from(numbers, (i) => (i === 7 ? -(2n ** 63n) : BigInt(i) * 10n ** 15n)), dtype: '<M8[ns]' },
  code: { data: Buffer.concat(numbers.map((i) => Buffer.from(`c${i}`.padEnd(4, '\0')))), dtype: '|S4' },
  word: { data: characters(numbers.map((i) => ['é', '中文', '🙂a', ''][i % 4]!)), dtype: '<U2' },
}

for (const { release, layout, variable } of [
  { release: '0.3.0', layout: '0.3', variable: 'RECASK_COLSTORE_030_PYTHON' },
  { release: '0.5.1', layout: '0.5', variable: 'RECASK_COLSTORE_051_PYTHON' },
] as const) {
  describe(`colstore ${release}`, () => {
    let colstore: Service
    before(() => {
      colstore = start('colstore_peer.py', variable)
    })
    after(() => colstore.stop())

    /** What colstore finds in a file, and what Node.js does. */
    async function expectRows(path: string, expected: readonly Plain[], records: number): Promise<void> {
      const rows = Buffer.from(expected[0]![2], 'hex').length / COLUMNS[expected[0]![0]]!.data.BYTES_PER_ELEMENT
      const { rows: found, records: pieces } = await colstore.ask<{ rows: number; records: number }>('info', { path })
      assert.deepEqual([found, pieces], [rows, records])
      assert.equal(await colstore.ask('open', { path }), rows)
      assert.deepEqual(await colstore.ask('read'), expected)
      await colstore.ask('close')
      await using table = await Table.open(path)
      assert.deepEqual([table.length, table.fileRecords], [rows, records])
      assert.deepEqual((await table.columns()).map(plain), expected)
    }

    for (const statistics of layout === '0.5' ? [false, true] : [false]) {
      it(`reads every type that Node.js wrote${statistics ? ', with statistics' : ''}`, async () => {
        const path = nowhere('ours.cstore')
        const writer = await Table.create(path, { layout, statistics })
        await writer.write(COLUMNS)
        await writer.close()
        await expectRows(
          path,
          Object.entries(COLUMNS).map(([name, column]) => plain({ name, ...column })),
          1,
        )
        if (!statistics) return
        // Statistics leave records out; what is left must be right.
        const found = await colstore
          .ask<Plain[]>('open', { path })
          .then(() => colstore.ask<Plain[]>('query', { expression: 'int > 0 and tiny < 40', columns: ['int', 'tiny'] }))
        await colstore.ask('close')
        await using table = await Table.open(path)
        const own = await table.filter('int > 0 and tiny < 40').select(['int', 'tiny']).columns()
        assert.deepEqual(own.map(plain), found)
        assert.equal(own[0]!.data.length, 39)
      })
    }

    it('writes every type that Node.js reads', async () => {
      const path = nowhere('theirs.cstore')
      const columns = Object.entries(COLUMNS).map(([name, column]) => plain({ name, ...column }))
      await colstore.ask('store', { path, columns })
      await expectRows(path, columns, 1)
      await using table = await Table.open(path)
      const [row] = await table.rows(7).toRows()
      assert.deepEqual(
        [row!['flag'], row!['tiny'], row!['wide'], row!['single'], row!['day'], row!['code'], row!['word'], row!['half']],
        [false, -43, -43n * 2n ** 56n, 0.875, 2555n, 'c7', '', 1 + 7 / 1024],
      )
    })

    it('takes turns with Node.js on one table', async () => {
      const path = nowhere('both.cstore')
      const piece = (from: number, to: number) => {
        // 0.3.0 writes no times in several records.
        const names = ['flag', 'int', 'wide', 'double', 'code'] as const
        return Object.fromEntries(
          names.map((name) => {
            const { data, dtype } = COLUMNS[name]!
            const width = data.length / ROWS
            return [name, { data: data.slice(from * width, to * width), dtype }] as [
              string,
              ColumnInput & { dtype: string; data: TypedArray },
            ]
          }),
        )
      }
      const plainly = (columns: ReturnType<typeof piece>) =>
        Object.entries(columns).map(([name, column]) => plain({ name, ...column }))
      const first = await Table.create(path, { layout })
      await first.write(piece(0, 10))
      await first.write(piece(10, 25))
      await first.close()
      await colstore.ask('begin', { path, mode: 'update' })
      await colstore.ask('write', { columns: plainly(piece(25, 60)) })
      await colstore.ask('end')
      const second = await Table.append(path)
      await second.write(piece(60, 100))
      await second.close()
      await expectRows(path, plainly(piece(0, 100)), 4)
      await Table.compact(path)
      await expectRows(path, plainly(piece(0, 100)), 1)
    })
  })
}

function plain({ name, dtype, data }: { readonly name: string; readonly dtype: string; readonly data: TypedArray }): Plain {
  return [name, dtype, Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex')]
}

/** Texts of two characters each, as NumPy has them. */
function characters(texts: readonly string[]): Uint8Array {
  const points = texts.flatMap((text) => {
    const [first = 0, second = 0] = Array.from(text, (character) => character.codePointAt(0)!)
    return [first, second]
  })
  return new Uint8Array(Uint32Array.from(points).buffer)
}
