import { copyPart, countOf, type Pieces, sizeOf } from './copy.js'
import type { Files } from './files.js'
import type { Options } from './interface.js'
import type { Need } from './raw.js'
import type { Brought } from './source/source.js'

/** What is held of the source at a time while a batch is put together. */
const WAVE = 32 * 1024 * 1024
/** Offsets are below 2^32: with a position below this, both fit into one number exactly. */
const POSITIONS = 2 ** 21

/** Bytes of one file, and the pieces in them: positions in the order of offsets. */
interface Run {
  readonly file: number
  readonly start: number
  end: number
  readonly first: number
  count: number
}

/**
 * Copies pieces from what the source brings straight into the result. `extension` is that of the numbered files. `false` where a
 * file ends too early: reading the records in WebAssembly then says which, and how.
 */
export async function copyPieces(
  files: Files,
  extension: 'loc' | 'chunk',
  pieces: Pieces,
  target: Uint8Array,
  { signal }: Options = {},
): Promise<boolean> {
  const need = (file: number, start: number, end: number): Need => ({ files: files.id, name: `${file}.${extension}`, start, end })
  if (files.source.isAtHand) return copyAtHand(files, need, pieces, target)
  const order = inOrderOfOffsets(pieces)
  const runs = runsOf(files, pieces, order)
  for (let next = 0; next < runs.length; ) {
    const wave: Run[] = []
    for (let bytes = 0; next < runs.length && (wave.length === 0 || bytes < WAVE); next += 1) {
      const run = runs[next]!
      wave.push(run)
      bytes += run.end - run.start
    }
    const needs = wave.map(({ file, start, end }) => need(file, start, end))
    const answers = await files.source.read(needs, signal)
    signal?.throwIfAborted()
    for (const [position, { file, end, first, count }] of wave.entries()) {
      const part = upTo(end, answers[position])
      if (!part) return false
      copyPart(part, file, pieces, target, order.subarray(first, first + count))
    }
  }
  return true
}

type NeedOf = (file: number, start: number, end: number) => Need

/** Whole files cost nothing where they are in memory, and then there is nothing to sort. */
async function copyAtHand({ source }: Files, need: NeedOf, pieces: Pieces, target: Uint8Array): Promise<boolean> {
  const ends = endsOf(pieces)
  const answers = await source.read(Array.from(ends, ([file, end]) => need(file, 0, end)))
  const parts = Array.from(ends, ([file, end], position) => ({ file, part: upTo(end, answers[position]) }))
  for (const { file, part } of parts) {
    if (!part) return false
    copyPart(part, file, pieces, target)
  }
  return true
}

/** Where the last piece in each file ends. */
function endsOf(pieces: Pieces): Map<number, number> {
  const { places } = pieces
  const ends = new Map<number, number>()
  let [file, last] = [-1, 0]
  for (let piece = 0; piece < countOf(pieces); piece += 1) {
    if (places[2 * piece] !== file) {
      if (file >= 0) ends.set(file, last)
      file = places[2 * piece]!
      last = ends.get(file) ?? 0
    }
    const end = places[2 * piece + 1]! + sizeOf(pieces, piece)
    if (end > last) last = end
  }
  return file < 0 ? ends : ends.set(file, last)
}

function inOrderOfOffsets({ places }: Pieces): Uint32Array {
  const order = new Uint32Array(places.length / 2)
  const files = new Set<number>()
  for (let at = 0; at < places.length; at += 2) files.add(places[at]!)
  let end = 0
  for (const file of [...files].sort((left, right) => left - right)) {
    const sorted = sortedIn(file, places)
    order.set(sorted, end)
    end += sorted.length
  }
  return order
}

function sortedIn(file: number, places: Float64Array): Uint32Array {
  const pieces = Uint32Array.from({ length: places.length / 2 }, (_, piece) => piece).filter((piece) => places[2 * piece] === file)
  const offset = (piece: number) => places[2 * piece + 1]!
  if (places.length / 2 > POSITIONS) return pieces.sort((left, right) => offset(left) - offset(right))
  // Without a function to call for each comparison it is sorted ten times as fast.
  const keys = Float64Array.from(pieces, (piece) => offset(piece) * POSITIONS + piece).sort()
  return Uint32Array.from(keys, (key) => key % POSITIONS)
}

function runsOf({ source }: Files, pieces: Pieces, order: Uint32Array): Run[] {
  const { gap, max } = source.coalescing
  const { places } = pieces
  const runs: Run[] = []
  let run: Run | undefined
  for (let first = 0; first < order.length; first += 1) {
    const piece = order[first]!
    const [file, start] = [places[2 * piece]!, places[2 * piece + 1]!]
    const end = start + sizeOf(pieces, piece)
    if (run && run.file === file && (end <= run.end || (start <= run.end + gap && end - run.start <= max))) {
      run.end = Math.max(run.end, end)
      run.count += 1
    } else {
      run = { file, start, end, first, count: 1 }
      runs.push(run)
    }
  }
  return runs
}

/** What was brought, unless the file ends before `end`. */
function upTo(end: number, brought: Brought | undefined): { bytes: Uint8Array; start: number } | undefined {
  return brought && !('absent' in brought) && brought.start + brought.bytes.length >= end ? brought : undefined
}
