import { RecaskError } from './errors.js'
import type { TypedArray } from './interface.js'

interface ArrayType {
  new (buffer: ArrayBufferLike, offset: number, length: number): TypedArray
  readonly BYTES_PER_ELEMENT: number
  readonly name: string
}

/** What JavaScript makes of an element type. */
export interface Element {
  /** NumPy's name with the bytes in little-endian order; texts and structures stay as they are stored. */
  readonly dtype: string
  /** Of one element, in bytes. */
  readonly itemSize: number
  readonly array: ArrayType
  /** Entries of the array for one element: two for complex numbers, the bytes of texts and structures. */
  readonly width: number
  /** The size of the pieces whose bytes have to be reversed; 1 where none have. */
  readonly swapped: number
}

/** Runtimes that have no numbers of 16 bits get the bits of them, for {@link float16ToFloat32}. */
const HALF = (globalThis.Float16Array ?? Uint16Array) as ArrayType

const ARRAYS: Readonly<Record<string, ArrayType>> = {
  b1: Uint8Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  f2: HALF,
  i4: Int32Array,
  u4: Uint32Array,
  f4: Float32Array,
  f8: Float64Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
  M8: BigInt64Array,
  m8: BigInt64Array,
  c8: Float32Array,
  c16: Float64Array,
}

/** `dtype` as NumPy and the core write it. `itemSize` in bytes; structures do not say it themselves. */
export function elementOf(dtype: string, itemSize = itemSizeOf(dtype)): Element {
  const [, order, kind = 'V', digits] = SCALAR.exec(dtype) ?? []
  const array = ARRAYS[kind + (kind === 'M' || kind === 'm' ? 8 : digits)] ?? Uint8Array
  const unit = kind === 'c' ? itemSize / 2 : 'SUV'.includes(kind) ? 1 : itemSize
  const isSwapped = order === '>' && unit > 1
  return {
    dtype: isSwapped ? `<${dtype.slice(1)}` : dtype,
    itemSize,
    array,
    width: itemSize / array.BYTES_PER_ELEMENT,
    swapped: isSwapped ? unit : 1,
  }
}

const SCALAR = /^([<>|=])([biufcMmSUV])(\d*)/

function itemSizeOf(dtype: string): number {
  const [, , kind, digits] = SCALAR.exec(dtype) ?? []
  if (kind === 'M' || kind === 'm') return 8
  return Math.max(1, Number(digits ?? 1) * (kind === 'U' ? 4 : 1))
}

/** The values in `bytes`, which are given away: in place where they lie well. */
export function valuesOf(bytes: Uint8Array, element: Element): TypedArray {
  const { array, swapped } = element
  const lying = bytes.byteOffset % array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice()
  reverse(lying, swapped)
  return new array(lying.buffer, lying.byteOffset, lying.byteLength / array.BYTES_PER_ELEMENT)
}

/** Reverses every piece of `size` bytes. */
export function reverse(bytes: Uint8Array, size: number): void {
  if (size < 2) return
  for (let start = 0; start < bytes.length; start += size) bytes.subarray(start, start + size).reverse()
}

/** The bytes of values as they are to be stored: a view, or a copy in the other byte order. */
export function storedBytesOf(values: unknown, element: Element, what: string): Uint8Array {
  const bytes = bytesOf(values, element, what)
  if (element.swapped < 2) return bytes
  const stored = bytes.slice()
  reverse(stored, element.swapped)
  return stored
}

/** The bytes of an array of the right type: a view. */
export function bytesOf(values: unknown, element: Element, what: string): Uint8Array {
  const wanted = element.array.name
  if (!ArrayBuffer.isView(values) || values instanceof DataView) {
    throw new RecaskError('dtype_mismatch', `${what} take a ${wanted}, not ${nameOf(values)}`)
  }
  const given = arrayNameOf(values)
  if (given !== wanted && !(element.dtype.endsWith('f2') && given === 'Uint16Array')) {
    throw new RecaskError(
      'dtype_mismatch',
      `${what} have the type ${element.dtype}, which takes a ${wanted}, not ${nameOf(values)}`,
    )
  }
  refuseDetached(values, what)
  if (values.byteLength % element.itemSize !== 0) {
    const message = `${what} of ${element.dtype} have ${element.itemSize} bytes each, but ${values.byteLength} were given`
    throw new RecaskError('shape_mismatch', message)
  }
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/** A detached buffer looks as if it were empty. */
function refuseDetached(values: ArrayBufferView, what: string): void {
  try {
    new Uint8Array(values.buffer, 0, 0)
  } catch {
    throw new RecaskError('invalid_argument', `the buffer of ${what} is detached: it was transferred elsewhere`)
  }
}

/** What somebody gave, for messages. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return typeof value === 'object' ? (value.constructor?.name ?? 'an object') : `a ${typeof value}`
}

/** NumPy's name of the type that an array has; `undefined` for what is no array of numbers. */
export function dtypeOf(values: unknown): string | undefined {
  return TYPES[arrayNameOf(values) ?? '']
}

/** Which array of numbers this is, also where it is of a class that extends it, as `Buffer` of Node.js does. */
function arrayNameOf(values: unknown): string | undefined {
  return TAG.call(values)
}

const TAG = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)!.get as (
  this: unknown,
) => string | undefined

const TYPES: Readonly<Record<string, string>> = {
  Int8Array: '|i1',
  Uint8Array: '|u1',
  Int16Array: '<i2',
  Uint16Array: '<u2',
  Int32Array: '<i4',
  Uint32Array: '<u4',
  Float16Array: '<f2',
  Float32Array: '<f4',
  Float64Array: '<f8',
  BigInt64Array: '<i8',
  BigUint64Array: '<u8',
}
