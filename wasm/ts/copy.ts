/** Copies of many pieces of a file to where they belong. */

/** Above, one call of the engine's own copy is faster than a loop. */
const SMALL = 256

/** Pieces: where each is, as pairs of the number of a file and an offset, and where it goes. */
export interface Pieces {
  readonly places: Float64Array
  /** Of each, where they have one size; they lie one after the other in the target. */
  readonly size?: number
  /** Else where each begins in the target; the last is where the last one ends. */
  readonly bounds?: Float64Array
}

export function countOf({ places }: Pieces): number {
  return places.length / 2
}

export function sizeOf({ size, bounds }: Pieces, piece: number): number {
  return bounds ? bounds[piece + 1]! - bounds[piece]! : (size ?? 0)
}

/** Copies those pieces, or all, that are of this file, out of its part that begins at `start`. */
export function copyPart(
  { bytes, start }: { bytes: Uint8Array; start: number },
  file: number,
  pieces: Pieces,
  target: Uint8Array,
  chosen?: Uint32Array,
): void {
  const { size = 0 } = pieces
  const isAligned = (bytes.byteOffset - start) % 4 === 0 && target.byteOffset % 4 === 0
  if (size > 0 && size <= SMALL && size % 4 === 0 && isAligned && offsetsAreAligned(pieces)) {
    // The part may begin within a word, its pieces do not.
    const skipped = (4 - (bytes.byteOffset % 4)) % 4
    copyWords(wordsOf(bytes.subarray(skipped)), start + skipped, file, pieces.places, size / 4, wordsOf(target), chosen)
  } else {
    copyBytes(bytes, start, file, pieces, target, chosen)
  }
}

function offsetsAreAligned({ places }: Pieces): boolean {
  for (let at = 1; at < places.length; at += 2) {
    // As numbers of 32 bits, since a remainder of large ones is slow.
    if (((places[at]! | 0) & 3) !== 0) return false
  }
  return true
}

function wordsOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
}

/** Pieces that are looked at before they are copied. */
const BLOCK = 128
/** Where they begin; last what was seen there, or else engines would not look at all. */
const sources = new Int32Array(BLOCK + 1)

function copyWords(
  from: Int32Array,
  start: number,
  file: number,
  places: Float64Array,
  words: number,
  to: Int32Array,
  chosen: Uint32Array | undefined,
): void {
  const count = chosen?.length ?? places.length / 2
  for (let first = 0; first < count; first += BLOCK) {
    const last = Math.min(first + BLOCK, count)
    look(from, start, file, places, chosen, first, last)
    for (let at = first; at < last; at += 1) {
      const source = sources[at - first]!
      if (source < 0) continue
      const target = (chosen ? chosen[at]! : at) * words
      let word = 0
      // Four at a time, in half the time.
      for (; word + 3 < words; word += 4) {
        to[target + word] = from[source + word]!
        to[target + word + 1] = from[source + word + 1]!
        to[target + word + 2] = from[source + word + 2]!
        to[target + word + 3] = from[source + word + 3]!
      }
      for (; word < words; word += 1) to[target + word] = from[source + word]!
    }
  }
}

/**
 * Where pieces begin, or -1 for those of other files. Their first words are read one directly after the other: the processor waits
 * for many of them at a time, where a copy would wait for each.
 */
function look(
  from: Int32Array,
  start: number,
  file: number,
  places: Float64Array,
  chosen: Uint32Array | undefined,
  first: number,
  last: number,
): void {
  let seen = 0
  for (let at = first; at < last; at += 1) {
    const piece = chosen ? chosen[at]! : at
    // Chunks have at most 2^32 bytes, so that this is a small whole number for engines, too.
    const source = places[2 * piece] === file ? ((places[2 * piece + 1]! - start) / 4) | 0 : -1
    sources[at - first] = source
    if (source >= 0) seen ^= from[source]!
  }
  sources[BLOCK] = seen
}

function copyBytes(
  from: Uint8Array,
  start: number,
  file: number,
  pieces: Pieces,
  to: Uint8Array,
  chosen: Uint32Array | undefined,
): void {
  const { places, size = 0, bounds } = pieces
  const count = chosen?.length ?? countOf(pieces)
  for (let at = 0; at < count; at += 1) {
    const piece = chosen ? chosen[at]! : at
    if (places[2 * piece] !== file) continue
    const source = places[2 * piece + 1]! - start
    to.set(from.subarray(source, source + sizeOf(pieces, piece)), bounds ? bounds[piece] : piece * size)
  }
}
