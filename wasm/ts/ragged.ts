import { type Element, nameOf, storedBytesOf, valuesOf } from './element.js'
import { invalid, RecaskError } from './errors.js'
import type { Handle } from './handle.js'
import { counted, indexOf } from './indices.js'
import type * as Interface from './interface.js'
import type { CreateOptions, Index, OpenOptions, Options, RaggedRecord, TypedArray } from './interface.js'
import type { RawStore } from './raw.js'
import type { Source } from './source/source.js'
import { createStore, openStore, Store } from './store.js'
import { gatherStored } from './stored.js'

/** Records with a shape each: texts, token sequences, encoded images. */
export class RaggedStore extends Store implements Interface.RaggedStore {
  /** Opens a store where one is. */
  static async open(source: Source, options: OpenOptions = {}): Promise<RaggedStore> {
    return new RaggedStore(await openStore(source, 'ragged', options))
  }

  /** Makes a new store, open for writing. */
  static async create(source: Source, options: CreateOptions): Promise<RaggedStore> {
    return new RaggedStore(await createStore(source, 'ragged', options))
  }

  /** @internal */
  static of(handle: Handle<RawStore>): RaggedStore {
    return new RaggedStore(handle)
  }

  readonly kind = 'ragged'

  private constructor(handle: Handle<RawStore>) {
    super(handle)
  }

  /** Reads records, packed. */
  async gather(records: Index, options: Options = {}): Promise<RaggedBatch> {
    const index = indexOf(records)
    const stored = await gatherStored(this.handle, index, options)
    const packed = stored ?? (await this.handle.read((raw) => raw.gatherRagged(index), options))
    return new RaggedBatch(packed, this.element)
  }

  /**
   * Appends records; plain arrays are of one dimension. Resolves to the index of the first. The values must not change until
   * then.
   */
  async append(records: readonly (TypedArray | RaggedRecord)[]): Promise<number> {
    const { bytes, extents, ranks } = pack(records, this.element)
    return this.changed((raw) => raw.appendRagged(bytes, extents, ranks))
  }
}

/** Records as they come from WebAssembly. */
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
    let end = 0
    this.shapes = Array.from(ranks, (rank) => Array.from(extents.subarray(end, (end += rank))))
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

function pack(records: unknown, element: Element): Omit<Packed, 'offsets'> {
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

