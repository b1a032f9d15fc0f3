import type { Writable } from 'node:stream'
import { indexOf } from '../../wasm/ts/indices.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { CreateOptions, Index, OpenOptions, Options, RaggedRecord, TypedArray } from '../../wasm/ts/interface.js'
import { pack, RaggedBatch } from '../../wasm/ts/packed.js'
import { optionsOf } from './given.js'
import type { NodeRagged, RecordsOptions, Releasable, StoreRecord, WritableOptions } from './interface.js'
import type { Place } from './place.js'
import { recordsOf } from './records.js'
import { releasable } from './release.js'
import { createStore, createStoreSync, type Opened, openStore, openStoreSync, Store } from './store.js'
import { appending } from './writable.js'

/** What is not known of records whose sizes differ. */
const GUESS = 16 * 1024

/** Records with a shape each: texts, token sequences, encoded images. */
export class RaggedStore extends Store implements Interface.RaggedStore, NodeRagged {
  /** Opens a store where one is. */
  static async open(place: Place, options: OpenOptions = {}): Promise<RaggedStore> {
    return new RaggedStore(await openStore(place, 'ragged', options))
  }

  static openSync(place: Place, options: Omit<OpenOptions, 'signal'> = {}): RaggedStore {
    return new RaggedStore(openStoreSync(place, 'ragged', options))
  }

  /** Makes a new store, open for writing. */
  static async create(place: Place, options: CreateOptions): Promise<RaggedStore> {
    return new RaggedStore(await createStore(place, 'ragged', optionsOf(options)))
  }

  static createSync(place: Place, options: CreateOptions): RaggedStore {
    return new RaggedStore(createStoreSync(place, 'ragged', optionsOf(options)))
  }

  /** @internal */
  static of(opened: Opened): RaggedStore {
    return new RaggedStore(opened)
  }

  readonly kind = 'ragged'

  private constructor(opened: Opened) {
    super(opened)
  }

  /** Reads records, packed. */
  async gather(records: Index, options: Options = {}): Promise<RaggedBatch & Releasable> {
    const index = indexOf(records)
    const packed = await this.calls.watched(options, (...watch) => this.raw.gatherRagged(index, ...watch))
    return releasable(new RaggedBatch(packed, this.element))
  }

  gatherSync(records: Index): RaggedBatch & Releasable {
    const index = indexOf(records)
    return releasable(
      new RaggedBatch(
        this.calls.at(() => this.raw.gatherRaggedSync(index)),
        this.element,
      ),
    )
  }

  /** Appends records; plain arrays are of one dimension. Resolves to the index of the first. */
  async append(records: readonly (TypedArray | RaggedRecord)[]): Promise<number> {
    const { bytes, extents, ranks } = pack(records, this.element)
    return this.changed((raw) => raw.appendRagged(bytes, extents, ranks))
  }

  appendSync(records: readonly (TypedArray | RaggedRecord)[]): number {
    const { bytes, extents, ranks } = pack(records, this.element)
    return this.changedSync((raw) => raw.appendRaggedSync(bytes, extents, ranks))
  }

  /** Record after record, read ahead. The values of a record are a view into those of its batch. */
  async *records(options: RecordsOptions = {}): AsyncGenerator<StoreRecord, void, undefined> {
    for await (const batch of recordsOf(this, GUESS, options)) {
      for (let record = 0; record < batch.length; record += 1) yield batch.record(record)
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<StoreRecord, void, undefined> {
    return this.records()
  }

  /**
   * A stream in object mode that appends every record that is written to it: it says when too much waits, makes everything
   * durable at its end, and leaves a store without gaps wherever it is destroyed. The store stays open. Arrays must not change
   * until they are written.
   */
  writable(options: WritableOptions = {}): Writable {
    return appending(options, {
      pack: (records: readonly (TypedArray | RaggedRecord)[]) => pack(records, this.element),
      append: async ({ bytes, extents, ranks }) => {
        await this.changed((raw) => raw.appendRagged(bytes, extents, ranks))
      },
      sync: () => this.sync(),
    })
  }
}
