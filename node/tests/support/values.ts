/** Element types with values of any bits, as arrays of JavaScript. */

import fc from 'fast-check'
import type { TypedArray } from '../../ts/index.js'

/** What an element type is in JavaScript. */
export interface Type {
  readonly dtype: string
  /** Of one element, in bytes. */
  readonly size: number
  /** The values in these bytes, which belong to nobody else. */
  of(bytes: Uint8Array): TypedArray
}

const views = {
  Int8Array: (bytes: Uint8Array) => new Int8Array(bytes.buffer),
  Uint8Array: (bytes: Uint8Array) => bytes,
  Int16Array: (bytes: Uint8Array) => new Int16Array(bytes.buffer),
  Uint16Array: (bytes: Uint8Array) => new Uint16Array(bytes.buffer),
  Int32Array: (bytes: Uint8Array) => new Int32Array(bytes.buffer),
  Uint32Array: (bytes: Uint8Array) => new Uint32Array(bytes.buffer),
  Float32Array: (bytes: Uint8Array) => new Float32Array(bytes.buffer),
  Float64Array: (bytes: Uint8Array) => new Float64Array(bytes.buffer),
  BigInt64Array: (bytes: Uint8Array) => new BigInt64Array(bytes.buffer),
  BigUint64Array: (bytes: Uint8Array) => new BigUint64Array(bytes.buffer),
}

const TYPES: readonly Type[] = [
  { dtype: '|i1', size: 1, of: views.Int8Array },
  { dtype: '|u1', size: 1, of: views.Uint8Array },
  { dtype: '|b1', size: 1, of: (bytes) => bytes.map((byte) => byte % 2) },
  { dtype: '<i2', size: 2, of: views.Int16Array },
  { dtype: '<u2', size: 2, of: views.Uint16Array },
  { dtype: '<f2', size: 2, of: views.Uint16Array },
  { dtype: '<i4', size: 4, of: views.Int32Array },
  { dtype: '<u4', size: 4, of: views.Uint32Array },
  { dtype: '<f4', size: 4, of: views.Float32Array },
  { dtype: '<f8', size: 8, of: views.Float64Array },
  { dtype: '<i8', size: 8, of: views.BigInt64Array },
  { dtype: '<u8', size: 8, of: views.BigUint64Array },
  { dtype: '<M8[ns]', size: 8, of: views.BigInt64Array },
  { dtype: '<m8[D]', size: 8, of: views.BigInt64Array },
  { dtype: '<c8', size: 8, of: views.Float32Array },
  { dtype: '<c16', size: 16, of: views.Float64Array },
  { dtype: '|S5', size: 5, of: views.Uint8Array },
  { dtype: '|V3', size: 3, of: views.Uint8Array },
  { dtype: '>i2', size: 2, of: views.Int16Array },
  { dtype: '>f4', size: 4, of: views.Float32Array },
  { dtype: '>u8', size: 8, of: views.BigUint64Array },
  { dtype: '>c8', size: 8, of: views.Float32Array },
]

export const type: fc.Arbitrary<Type> = fc.constantFrom(...TYPES).map((type) => ({ ...type, toString: () => type.dtype }))

/** So many elements with bits that follow from the seed, those of every third so few that they compress well. */
export function valuesOf({ size, of }: Type, count: number, seed: number): TypedArray {
  const bytes = new Uint8Array(count * size)
  let state = seed | 1
  for (let at = 0; at < bytes.length; at += 1) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + at
    bytes[at] = (state >>> 24) & (seed % 3 === 0 ? 3 : 255)
  }
  return of(bytes)
}

export function bytesOf(values: TypedArray): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

/** One array of the same kind. */
export function joined(arrays: readonly TypedArray[], { of }: Type): TypedArray {
  return of(new Uint8Array(Buffer.concat(arrays.map(bytesOf))))
}
