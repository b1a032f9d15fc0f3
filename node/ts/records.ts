import { invalid } from '../../wasm/ts/errors.js'
import { counted, indexOf, countOf } from '../../wasm/ts/indices.js'
import type { Index, Options } from '../../wasm/ts/interface.js'
import type { RawIndex } from '../../wasm/ts/raw.js'
import { onAbort } from './abort.js'
import { optionsOf, signalOf } from './given.js'
import type { RecordsOptions } from './interface.js'
import { ordered } from './ordered.js'

/** What is read at once, in bytes, where nobody says how many records. */
const BATCH = 1024 * 1024
/** However small they are: a view is made of each. */
const MOST = 4096

interface Gathering<Batch> {
  readonly length: number
  gather(records: Index, options: Options): Promise<Batch>
}

/** Batches of a store, read ahead. Whoever leaves stops what is on its way. */
export async function* recordsOf<Batch>(
  store: Gathering<Batch>,
  recordBytes: number,
  options: RecordsOptions,
): AsyncGenerator<Batch, void, undefined> {
  const { index = {}, batch, prefetch = 2 } = optionsOf(options)
  const signal = signalOf(options)
  const size = batch === undefined ? sizeFor(recordBytes) : counted(batch, 'batch', 1)
  counted(prefetch, 'prefetch')
  signal?.throwIfAborted()
  const stop = new AbortController()
  const forget = onAbort(signal, () => stop.abort(signal?.reason))
  try {
    const pieces = piecesOf(indexOf(index), store.length, size)
    yield* ordered(pieces, prefetch + 1, (piece) => store.gather(piece, { signal: stop.signal }))
  } finally {
    forget()
    stop.abort(invalid('the records are not read any more'))
  }
}

function sizeFor(recordBytes: number): number {
  return Math.max(1, Math.min(MOST, Math.floor(BATCH / Math.max(recordBytes, 1))))
}

/** What an index chooses, in pieces. */
function* piecesOf(index: RawIndex, length: number, size: number): Generator<Index, void, undefined> {
  if (index instanceof Uint8Array) {
    // Refused where it is read.
    if (index.length !== length) yield Array.from(index, Boolean)
    else yield* piecesOf(Float64Array.from(Array.from(index.keys()).filter((record) => index[record])), length, size)
  } else if (!Array.isArray(index)) {
    for (let first = 0; first < index.length; first += size) yield index.subarray(first, first + size)
  } else {
    yield* slicesOf(index, length, size)
  }
}

function* slicesOf(slice: Extract<RawIndex, unknown[]>, length: number, size: number): Generator<Index, void, undefined> {
  const [start, stop, step = 1] = slice
  if (step === 0) yield { start, stop, step }
  const count = countOf(slice, length)
  const first = step > 0 ? clipped(start ?? 0, length, 0, length) : clipped(start ?? length - 1, length, -1, length - 1)
  for (let done = 0; done < count; done += size) {
    const from = first + done * step
    yield Float64Array.from({ length: Math.min(size, count - done) }, (_, position) => from + position * step)
  }
}

function clipped(bound: number, length: number, least: number, most: number): number {
  return Math.min(Math.max(bound < 0 && bound >= -length ? bound + length : bound, least), most)
}
