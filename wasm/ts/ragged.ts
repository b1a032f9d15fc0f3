import type { Handle } from './handle.js'
import { indexOf } from './indices.js'
import type * as Interface from './interface.js'
import type { CreateOptions, Index, OpenOptions, Options, RaggedRecord, TypedArray } from './interface.js'
import { pack, RaggedBatch } from './packed.js'
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
