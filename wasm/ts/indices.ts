import { nameOf } from './element.js'
import { invalid, RecaskError } from './errors.js'
import type { Index, Integer, Slice } from './interface.js'
import type { RawIndex } from './raw.js'

/** An index as WebAssembly takes it. What lies outside of the store is found there. */
export function indexOf(index: Index): RawIndex {
  if (typeof index === 'number') return Float64Array.of(whole(index))
  if (Array.isArray(index)) return listOf(index)
  if (index instanceof Float64Array) {
    index.forEach(whole)
    return index
  }
  if (index instanceof Int32Array || index instanceof Uint32Array) return Float64Array.from(index)
  if (index instanceof BigUint64Array) return index
  if (index instanceof BigInt64Array) return Float64Array.from(index, small)
  if (isSlice(index)) return [bound(index.start), bound(index.stop), bound(index.step)]
  throw invalid(
    'records are chosen by a number, an array of numbers or booleans, an Int32Array, Uint32Array, Float64Array, ' +
      `BigInt64Array or BigUint64Array, or a slice with start, stop and step; this is ${nameOf(index)}`,
  )
}

function listOf(list: readonly unknown[]): RawIndex {
  if (typeof list[0] !== 'boolean') return Float64Array.from(list, whole)
  return Uint8Array.from(list, (flag) => {
    if (typeof flag !== 'boolean') throw invalid(`a mask has booleans only, not ${nameOf(flag)}`)
    return flag ? 1 : 0
  })
}

function isSlice(index: unknown): index is Slice {
  return typeof index === 'object' && index !== null && !ArrayBuffer.isView(index) && !(Symbol.iterator in index)
}

function bound(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  // Bounds are cut to what there is, however far outside they lie.
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number === 'number' && (Number.isInteger(number) || Math.abs(number) === Infinity)) {
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(number, Number.MAX_SAFE_INTEGER))
  }
  return whole(value)
}

function whole(value: unknown): number {
  if (typeof value === 'bigint') return small(value)
  if (typeof value !== 'number') throw invalid(`an index is a number, not ${nameOf(value)}`)
  if (!Number.isInteger(value)) throw invalid(`an index is a whole number, not ${value}`)
  if (!Number.isSafeInteger(value)) throw outside(value)
  return value
}

function small(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw outside(value)
  return number
}

function outside(value: Integer): RecaskError {
  return new RecaskError('index_out_of_range', `index ${value} is beyond 2^53, where no store has records`)
}

/** How many records an index chooses of `length`. */
export function countOf(index: RawIndex, length: number): number {
  if (index instanceof Uint8Array) return index.reduce((sum, flag) => sum + flag, 0)
  if (!Array.isArray(index)) return index.length
  const [start, stop, step = 1] = index
  if (step === 0) return 0
  const clip = (bound: number | undefined, absent: number) => {
    if (bound === undefined) return absent
    const from = bound < 0 ? bound + length : bound
    return Math.min(Math.max(from, step > 0 ? 0 : -1), step > 0 ? length : length - 1)
  }
  const [first, last] = step > 0 ? [clip(start, 0), clip(stop, length)] : [clip(start, length - 1), clip(stop, -1)]
  return Math.max(0, Math.ceil((last - first) / step))
}

/** An integer from 0 to 2^64, of steps, seeds and records. */
export function wide(value: Integer, what: string): bigint {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) {
    throw invalid(`${what} is a whole number (above 2^53 a bigint), not ${String(value)}`)
  }
  const integer = BigInt(value)
  if (integer < 0n || integer >= 1n << 64n) throw invalid(`${what} is from 0 to 2^64, not ${integer}`)
  return integer
}

/** A number of things. */
export function counted(value: number, what: string, least = 0): number {
  if (!Number.isSafeInteger(value) || value < least) throw invalid(`${what} is a whole number from ${least}, not ${String(value)}`)
  return value
}
