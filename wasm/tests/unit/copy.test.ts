import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'

import { copyPart, type Pieces } from '../../ts/copy.js'

const FILE = Uint8Array.from({ length: 4096 }, (_, at) => (at * 37) % 251)

/** What any way of copying must give. */
function expected({ places, size, bounds }: Pieces, file: number, length: number, chosen?: Uint32Array): Uint8Array {
  const target = new Uint8Array(length)
  for (let piece = 0; piece < places.length / 2; piece += 1) {
    if (places[2 * piece] !== file || chosen?.includes(piece) === false) continue
    const [start, end] = bounds ? [bounds[piece]!, bounds[piece + 1]!] : [piece * size!, (piece + 1) * size!]
    for (let at = start; at < end; at += 1) target[at] = FILE[places[2 * piece + 1]! + at - start]!
  }
  return target
}

/** Bytes of the file from `start` on, at an address with this remainder. */
function part(start: number, remainder: number): { bytes: Uint8Array; start: number } {
  const bytes = new Uint8Array(new ArrayBuffer(FILE.length + 8), remainder, FILE.length - start)
  bytes.set(FILE.subarray(start))
  return { bytes, start }
}

test('pieces of every size arrive whatever the addresses of part, pieces and target are', () => {
  for (const size of [1, 4, 6, 8, 64, 256, 260]) {
    for (const unit of [1, 4]) {
      const offsets = [900, 12, 400, 404, 12, 1200].map((offset) => offset + (unit === 1 ? 3 : 0))
      const places = Float64Array.from(offsets.flatMap((offset, piece) => [piece === 3 ? 1 : 0, offset]))
      for (const start of [0, 4, 5, 12]) {
        for (const remainder of [0, 1, 3, 4]) {
          for (const into of [0, 2]) {
            const length = size * offsets.length
            const target = new Uint8Array(new ArrayBuffer(length + 4), into, length)
            copyPart(part(start, remainder), 0, { places, size }, target)
            const what = `size ${size}, unit ${unit}, start ${start}, remainder ${remainder}, into ${into}`
            deepStrictEqual(target.slice(), expected({ places, size }, 0, length), what)
          }
        }
      }
    }
  }
})

test('pieces of different sizes, and only those that are chosen', () => {
  const places = Float64Array.of(0, 10, 0, 500, 2, 700, 0, 9)
  const bounds = Float64Array.of(0, 3, 3, 60, 200)
  const all = new Uint8Array(200)
  copyPart({ bytes: FILE, start: 0 }, 0, { places, bounds }, all)
  deepStrictEqual(all, expected({ places, bounds }, 0, 200))
  const some = new Uint8Array(200)
  const chosen = Uint32Array.of(3, 1)
  copyPart({ bytes: FILE, start: 0 }, 0, { places, bounds }, some, chosen)
  deepStrictEqual(some, expected({ places, bounds }, 0, 200, chosen))
})
