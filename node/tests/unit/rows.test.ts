import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ColumnData } from '../../../wasm/ts/interface.js'
import { dateUnit, NOT_A_TIME } from '../../ts/dates.js'
import { rowsOf } from '../../ts/rows.js'

/** Values of one column, as rows have them. */
function cells(dtype: string, data: ColumnData['data']): unknown[] {
  return rowsOf([{ name: 'a', dtype, data }]).map(({ a }) => a)
}

const points = (text: string, width: number, littleEndian: boolean) => {
  const view = new DataView(new ArrayBuffer(width * 4))
  Array.from(text).forEach((character, at) => view.setUint32(at * 4, character.codePointAt(0)!, littleEndian))
  return new Uint8Array(view.buffer)
}

describe('rows of columns', () => {
  it('have a value of every column', () => {
    const rows = rowsOf([
      { name: 'a', dtype: '<i4', data: Int32Array.of(1, 2) },
      { name: 'b', dtype: '<i8', data: BigInt64Array.of(3n, 4n) },
    ])
    assert.deepEqual(rows, [
      { a: 1, b: 3n },
      { a: 2, b: 4n },
    ])
    assert.deepEqual(rowsOf([]), [])
  })

  it('have truth, numbers and pairs of numbers', () => {
    assert.deepEqual(cells('|b1', Uint8Array.of(0, 1)), [false, true])
    assert.deepEqual(cells('<f2', Uint16Array.of(0x3c00, 0xc000)), [1, -2])
    assert.deepEqual(cells('<c8', Float32Array.of(1, 2, 3, 4)), [
      [1, 2],
      [3, 4],
    ])
    assert.deepEqual(cells('<M8[s]', BigInt64Array.of(NOT_A_TIME)), [NOT_A_TIME])
  })

  it('have texts without the zeros behind them', () => {
    const bytes = Uint8Array.from([...Buffer.from('a\0b\0'), ...Buffer.from('é\0\0'), ...new Uint8Array(4)])
    assert.deepEqual(cells('|S4', bytes), ['a\0b', 'é', ''])
    for (const isLittle of [true, false]) {
      const data = Uint8Array.from([...points('𝄞x', 3, isLittle), ...points('', 3, isLittle), ...points('abc', 3, isLittle)])
      assert.deepEqual(cells(isLittle ? '<U3' : '>U3', data), ['𝄞x', '', 'abc'])
    }
    assert.deepEqual(cells('<U1', new Uint8Array(Uint32Array.of(0xd800, 0xffffffff).buffer)), ['\ufffd', '\ufffd'])
  })

  it('have bytes of what has no value of its own', () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6)
    assert.deepEqual(cells('|V3', data), [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)])
  })
})

describe('units of dates', () => {
  it('are those of the type', () => {
    assert.equal(dateUnit('<M8[ns]'), 'ns')
    assert.equal(dateUnit('>m8[D]'), 'D')
    assert.equal(dateUnit('<M8[25s]'), '25s')
    for (const dtype of ['<i8', '<f8', '|S8', '']) assert.equal(dateUnit(dtype), undefined)
  })
})
