import { type Element, nameOf, storedBytesOf, valuesOf } from './element.js'
import { invalid, RecaskError } from './errors.js'
import { counted } from './indices.js'
import type * as Interface from './interface.js'
import type { RaggedRecord, TypedArray } from './interface.js'

/** Records as they come from WebAssembly, or from the addon. */
export interface Packed {
  readonly bytes: Uint8Array
  readonly offsets: Float64Array
  readonly extents: Float64Array
  readonly ranks: Uint8Array
}

/** Records with a shape each, packed. */
export class RaggedBatch implements Interface.RaggedBatch {
  readonly kind = 'ragged'
  readonly data: TypedArray
  readonly offsets: Float64Array
  readonly shapes: readonly (readonly number[])[]
  readonly dtype: string

  /** @internal */
  constructor({ bytes, offsets, extents, ranks }: Packed, element: Element) {
    this.data = valuesOf(bytes, element)
    // Texts, structures and complex numbers have several entries of the array for one element.
    const width = this.data.length / (offsets.at(-1) || 1)
    this.offsets = width > 1 ? offsets.map((offset) => offset * width) : offsets
    this.dtype = element.dtype
    this.shapes = shapesOf(extents, ranks)
  }

  get length(): number {
    return this.shapes.length
  }

  /** A record as a view into `data`. */
  record(position: number): RaggedRecord {
    const shape = this.shapes[position]
    if (!shape) throw new RecaskError('index_out_of_range', `the batch has ${this.length} records, and none at ${position}`)
    return { data: this.data.subarray(this.offsets[position], this.offsets[position + 1]), shape }
  }
}

/** Counted by hand: views and their iterators take longer than reading the records. */
function shapesOf(extents: Float64Array, ranks: Uint8Array): number[][] {
  const shapes = new Array<number[]>(ranks.length)
  let end = 0
  for (let record = 0; record < ranks.length; record += 1) {
    const shape = new Array<number>(ranks[record]!)
    for (let axis = 0; axis < shape.length; axis += 1, end += 1) shape[axis] = extents[end]!
    shapes[record] = shape
  }
  return shapes
}

/** Records as they go there. */
export function pack(records: unknown, element: Element): Omit<Packed, 'offsets'> {
  if (!Array.isArray(records)) throw invalid(`records are given as a list of arrays, not as ${nameOf(records)}`)
  const parts = records.map((record: unknown, position) => partOf(record, element, `the values of record ${position}`))
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0))
  let end = 0
  for (const part of parts) {
    bytes.set(part.bytes, end)
    end += part.bytes.length
  }
  const extents = Float64Array.from(parts.flatMap(({ shape }) => shape))
  return { bytes, extents, ranks: Uint8Array.from(parts, ({ shape }) => shape.length) }
}

function partOf(record: unknown, element: Element, what: string): { bytes: Uint8Array; shape: readonly number[] } {
  const { data, shape } = isRecord(record) ? record : { data: record, shape: undefined }
  const bytes = storedBytesOf(data, element, what)
  const count = bytes.length / element.itemSize
  if (shape === undefined) return { bytes, shape: [count] }
  const product = shape.reduce((all, extent) => all * counted(extent, 'an extent'), 1)
  if (shape.length > 255 || product !== count) {
    throw new RecaskError('shape_mismatch', `${what} are ${count}, which the shape [${shape}] does not have`)
  }
  return { bytes, shape }
}

function isRecord(record: unknown): record is RaggedRecord {
  return typeof record === 'object' && record !== null && 'data' in record && 'shape' in record && Array.isArray(record.shape)
}
