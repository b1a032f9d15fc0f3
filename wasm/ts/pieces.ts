import type { Files } from './files.js'
import type { Options } from './interface.js'
import type { Need } from './raw.js'
import type { Brought } from './source/source.js'

/** What is held of the source at a time while a batch is put together. */
const WAVE = 32 * 1024 * 1024

/** Bytes of one chunk, and the pieces in them: positions in the order of offsets. */
interface Run {
  readonly chunk: number
  readonly start: number
  end: number
  readonly first: number
  count: number
}

/**
 * Copies records that are stored as they are from what the source brings straight into the result. `pieces` are pairs of chunk
 * and offset. `false` where a file ends too early: reading the records in WebAssembly then says which, and how.
 */
export async function copyPieces(
  files: Files,
  pieces: Float64Array,
  recordBytes: number,
  target: Uint8Array,
  { signal }: Options = {},
): Promise<boolean> {
  const order = inOrderOfOffsets(pieces)
  const runs = runsOf(files, pieces, order, recordBytes)
  for (let next = 0; next < runs.length; ) {
    const wave: Run[] = []
    for (let bytes = 0; next < runs.length && (wave.length === 0 || bytes < WAVE); next += 1) {
      const run = runs[next]!
      wave.push(run)
      bytes += run.end - run.start
    }
    const answers = await files.source.read(wave.map((run) => needOf(files, run)), signal)
    signal?.throwIfAborted()
    for (const [position, run] of wave.entries()) {
      if (!copyRun(run, answers[position], pieces, order, recordBytes, target)) return false
    }
  }
  return true
}

function inOrderOfOffsets(pieces: Float64Array): Uint32Array {
  const order = Uint32Array.from({ length: pieces.length / 2 }, (_, piece) => piece)
  const compare = (left: number, right: number) =>
    pieces[2 * left]! - pieces[2 * right]! || pieces[2 * left + 1]! - pieces[2 * right + 1]!
  const isSorted = order.every((piece, position) => position === 0 || compare(piece - 1, piece) <= 0)
  return isSorted ? order : order.sort(compare)
}

function runsOf({ source }: Files, pieces: Float64Array, order: Uint32Array, recordBytes: number): Run[] {
  const { gap, max } = source.coalescing
  const runs: Run[] = []
  let run: Run | undefined
  for (const [first, piece] of order.entries()) {
    const [chunk, start] = [pieces[2 * piece]!, pieces[2 * piece + 1]!]
    const end = start + recordBytes
    if (run && run.chunk === chunk && (end <= run.end || (start <= run.end + gap && end - run.start <= max))) {
      run.end = Math.max(run.end, end)
      run.count += 1
    } else {
      run = { chunk, start, end, first, count: 1 }
      runs.push(run)
    }
  }
  return runs
}

function needOf(files: Files, { chunk, start, end }: Run): Need {
  return { files: files.id, name: `${chunk}.chunk`, start, end }
}

function copyRun(
  run: Run,
  brought: Brought | undefined,
  pieces: Float64Array,
  order: Uint32Array,
  recordBytes: number,
  target: Uint8Array,
): boolean {
  if (!brought || 'absent' in brought || brought.bytes.length < run.end - run.start) return false
  for (const piece of order.subarray(run.first, run.first + run.count)) {
    const start = pieces[2 * piece + 1]! - brought.start
    target.set(brought.bytes.subarray(start, start + recordBytes), piece * recordBytes)
  }
  return true
}
