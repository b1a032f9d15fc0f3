/** What is written in the browser and read by others: computed where it is written and where it is compared. */

export const ITEM = [28, 28]

/** A record of images. */
export function image(number: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: 28 * 28 }, (_, at) => (number * 31 + Math.floor(at / 28)) % 251)
}

/** A record of tokens, of every length up to 40. */
export function tokens(number: number): Int32Array<ArrayBuffer> {
  return Int32Array.from({ length: (number % 40) + 1 }, (_, at) => (at * at + number) % 500)
}

/** One record of a table. */
export interface Rows {
  readonly time: BigInt64Array<ArrayBuffer>
  readonly delay: Float64Array<ArrayBuffer>
  readonly carrier: Uint8Array<ArrayBuffer>
}

export function rows(first: number, count: number): Rows {
  return {
    time: BigInt64Array.from({ length: count }, (_, at) => BigInt(first + at) * 1_000_000_007n),
    delay: Float64Array.from({ length: count }, (_, at) => ((first + at) % 13) / 3),
    carrier: Uint8Array.from({ length: count }, (_, at) => (first + at) % 26),
  }
}

/** Numbers of the records or rows that there are in the end, in order. */
export interface Kept {
  readonly images: readonly number[]
  readonly tokens: readonly number[]
  readonly rows: number
}
