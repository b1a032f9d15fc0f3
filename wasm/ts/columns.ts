/** Columns of tables, as JavaScript has them and as bytes. */

import { bytesOf, dtypeOf, elementOf, nameOf, storedBytesOf, valuesOf } from './element.js'
import { RecaskError } from './errors.js'
import type { ColumnData, ColumnInput } from './interface.js'

/** The values of a column that was read. */
export function columnOf({ name, dtype, bytes }: { name: string; dtype: string; bytes: Uint8Array }): ColumnData {
  const element = elementOf(dtype)
  return { name, dtype: element.dtype, data: valuesOf(bytes, element) }
}

/** The bytes of a column in the order that its type says. */
export function typed(name: string, input: ColumnInput): { dtype: string; bytes: Uint8Array } {
  const what = `the values of '${name}'`
  if (ArrayBuffer.isView(input)) {
    const dtype = dtypeOf(input)
    if (dtype === undefined) throw new RecaskError('dtype_mismatch', `${what} are an array of numbers, not ${nameOf(input)}`)
    return { dtype, bytes: bytesOf(input, elementOf(dtype), what) }
  }
  if (typeof input?.dtype !== 'string') {
    throw new RecaskError('dtype_mismatch', `${what} are an array of numbers or { data, dtype }, not ${nameOf(input)}`)
  }
  return { dtype: input.dtype, bytes: storedBytesOf(input.data, elementOf(input.dtype), what) }
}
