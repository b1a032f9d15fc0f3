import { elementOf } from '../../wasm/ts/element.js'
import { float16ToFloat32 } from '../../wasm/ts/half.js'
import type { ColumnData, TypedArray } from '../../wasm/ts/interface.js'
import type { Cell, Row } from './interface.js'

/** Columns as an object for each row. */
export function rowsOf(columns: readonly ColumnData[]): Row[] {
  const readers = columns.map((column) => [column.name, cellsOf(column)] as const)
  const [first] = columns
  if (!first) return []
  const length = first.data.length / elementOf(first.dtype).width
  return Array.from({ length }, (_, row) => Object.fromEntries(readers.map(([name, cell]) => [name, cell(row)])))
}

/** Reads the values of a column one by one. */
export function cellsOf({ dtype, data }: ColumnData): (row: number) => Cell {
  const { width } = elementOf(dtype)
  const kind = dtype.charAt(1)
  const part = (row: number) => data.subarray(row * width, (row + 1) * width)
  switch (kind) {
    case 'b':
      return (row) => data[row] !== 0
    case 'U':
      return (row) => characters(part(row), dtype.startsWith('>'))
    case 'S':
      return (row) => text(part(row))
    case 'c':
      return (row) => [Number(data[row * width]), Number(data[row * width + 1])]
    case 'f': {
      const values = data instanceof Uint16Array ? float16ToFloat32(data) : data
      return (row) => values[row]!
    }
    default:
      return width === 1 && kind !== 'V' ? (row) => data[row]! : (row) => part(row).slice() as Uint8Array
  }
}

/** NumPy pads texts with zeros. */
function characters(values: TypedArray, isSwapped: boolean): string {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  const points = Array.from({ length: values.byteLength / 4 }, (_, at) => view.getUint32(at * 4, !isSwapped))
  const end = points.findLastIndex((point) => point !== 0) + 1
  return points.slice(0, end).map(character).join('')
}

/** What is no character, as a surrogate alone, is shown as such. */
function character(point: number): string {
  return point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ? '\ufffd' : String.fromCodePoint(point)
}

function text(values: TypedArray): string {
  const bytes = values as Uint8Array
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  return Buffer.from(bytes.buffer, bytes.byteOffset, end).toString()
}
