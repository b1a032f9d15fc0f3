/** Gathers of raw stores: records are their stored bytes, and are copied without a way through WebAssembly. */

import type { Handle } from './handle.js'
import type { Options } from './interface.js'
import { copyPieces } from './pieces.js'
import type { Packed } from './packed.js'
import type { RawIndex, RawStore } from './raw.js'

/** Where the bytes of dense records are; `undefined` where only WebAssembly can read them, or say what is wrong. */
export async function densePlaces(handle: Handle<RawStore>, index: RawIndex, options: Options): Promise<Float64Array | undefined> {
  const entries = await entriesOf(handle, index, options)
  return entries && handle.ask((raw) => raw.densePlaces(index, entries))
}

/** Dense records, one after the other; `false` as {@link copyPieces} has it. */
export function copyRecords(
  handle: Handle<RawStore>,
  places: Float64Array,
  size: number,
  target: Uint8Array,
  options: Options,
): Promise<boolean> {
  return copyPieces(handle.files[0]!, 'chunk', { places, size }, target, options)
}

/** Ragged records; `undefined` where only WebAssembly can read them, or say what is wrong. */
export async function gatherStored(handle: Handle<RawStore>, index: RawIndex, options: Options): Promise<Packed | undefined> {
  const entries = await entriesOf(handle, index, options)
  const places = entries && handle.ask((raw) => raw.raggedPlaces(index, entries))
  if (!places) return undefined
  const { valueBounds, shapeBounds } = places
  const [bytes, shapes] = [valueBounds, shapeBounds].map((bounds) => new Uint8Array(bounds.at(-1) ?? 0)) as [Uint8Array, Uint8Array]
  const files = handle.files[0]!
  const areThere = await Promise.all([
    copyPieces(files, 'chunk', { places: places.shapes, bounds: shapeBounds }, shapes, options),
    copyPieces(files, 'chunk', { places: places.values, bounds: valueBounds }, bytes, options),
  ])
  if (areThere.includes(false)) return undefined
  const layout = handle.ask((raw) => raw.raggedLayout(valueBounds, shapeBounds, shapes))
  return layout && { bytes, ...layout }
}

/** The table entries of records, one after the other. */
async function entriesOf(handle: Handle<RawStore>, index: RawIndex, options: Options): Promise<Uint8Array | undefined> {
  // A directory that is written has its files open, and WebAssembly reads them.
  const places = handle.directory ? undefined : handle.ask((raw) => raw.entryPlaces(index))
  if (!places) return undefined
  const size = handle.ask((raw) => raw.entryBytes)
  const entries = new Uint8Array((places.length / 2) * size)
  return (await copyPieces(handle.files[0]!, 'loc', { places, size }, entries, options)) ? entries : undefined
}
