/** Values that compress as pictures and tokens do, byte for byte those of `native/benches/data`. */

import type { Case } from '../cases.js'
import { Numbers } from './numbers.js'

const SEED = 0x9e37_79b9_7f4a_7c15n

/** All records of a case, one after the other: a slow walk with noise in large records, skewed symbols in small. */
export function recordsOf({ recordBytes, records }: Case): Uint8Array {
  const numbers = new Numbers(SEED ^ BigInt(recordBytes))
  return recordBytes > 4096 ? walk(numbers, recordBytes * records) : symbols(numbers, recordBytes * records)
}

function walk(numbers: Numbers, count: number): Uint8Array {
  const bytes = new Uint8Array(count)
  let level = 128
  for (let at = 0; at < count; at += 1) {
    numbers.next()
    level = Math.min(Math.max(level + numbers.below(5) - 2, 16), 240)
    bytes[at] = level + ((numbers.high >>> 8) % 3)
  }
  return bytes
}

function symbols(numbers: Numbers, count: number): Uint8Array {
  const tokens = new Int32Array(count / 4)
  for (let at = 0; at < tokens.length; at += 1) {
    numbers.next()
    tokens[at] = (31 - Math.clz32(numbers.below(50_000) + 1)) * 37 + (numbers.high % 8)
  }
  return new Uint8Array(tokens.buffer)
}

/** Sequences of 1 to 511 of the tokens. */
export function sequencesOf(of: Case): Int32Array[] {
  const tokens = new Int32Array(recordsOf(of).buffer)
  const numbers = new Numbers(7n)
  let start = 0
  return Array.from({ length: of.records }, () => {
    numbers.next()
    const length = numbers.below(511) + 1
    start = start + length > tokens.length ? 0 : start
    return tokens.subarray(start, (start += length))
  })
}

/** Columns of a table, from row `start` on. */
export function columnsOf(numbers: Numbers, start: number, count: number) {
  const event = BigInt64Array.from({ length: count }, (_, row) => BigInt(start + row))
  const energy = Float64Array.from({ length: count }, () => numbers.unit())
  const pt = Float32Array.from({ length: count }, () => numbers.unit())
  const layer = Int16Array.from({ length: count }, () => Math.floor(numbers.unit() * 40))
  return { event, energy, pt, layer }
}
