/** Golden tables, and small ones of tests. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { addon } from './addon.mjs'

export const golden = fileURLToPath(new URL('../../../tests/golden/cstore/', import.meta.url))
export const manifest = JSON.parse(readFileSync(join(golden, 'manifest.json'), 'utf8'))

export function bytesOf(array) {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}

/** Rows `0..count`: their number, a float, a text of two characters and a day, in records of at most `most` rows. */
export function weather(path, count, most = count) {
  const writer = addon.createTableSync(path, '0.3', false)
  for (let first = 0; first < count; first += most) {
    const rows = Array.from({ length: Math.min(most, count - first) }, (_, row) => first + row)
    writer.writeSync(
      ['id', 'rain', 'city', 'day'],
      ['<i8', '<f8', '<U2', '<M8[D]'],
      [
        BigInt64Array.from(rows, BigInt),
        Float64Array.from(rows, rain),
        Uint32Array.from(rows.flatMap((row) => [97 + (row % 26), row % 2 ? 0 : 0xe9])),
        BigInt64Array.from(rows, (row) => BigInt(row) - 100n),
      ].map(bytesOf),
    )
  }
  writer.closeSync()
  return path
}

export function rain(row) {
  return row % 7 === 3 ? NaN : row / 4
}

/** The values of a column of `<i8`. */
export function longs(columns, name) {
  return view(columns, name, BigInt64Array)
}

export function floats(columns, name) {
  return view(columns, name, Float64Array)
}

function view(columns, name, Kind) {
  const { bytes } = columns.find((column) => column.name === name)
  return [...new Kind(bytes.buffer, bytes.byteOffset, bytes.byteLength / Kind.BYTES_PER_ELEMENT)]
}

/** `0..count` without what fails. */
export function range(count, keep = () => true) {
  return Array.from({ length: count }, (_, number) => number).filter(keep)
}
