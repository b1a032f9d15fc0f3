import type { Writable } from 'node:stream'
import { bytesOf, reverse, storedBytesOf, valuesOf } from '../../wasm/ts/element.js'
import { RecaskError } from '../../wasm/ts/errors.js'
import { countOf, indexOf } from '../../wasm/ts/indices.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { CreateDenseOptions, DenseBatch, Index, OpenOptions, Options, TypedArray } from '../../wasm/ts/interface.js'
import type { RawIndex } from '../../wasm/ts/raw.js'
import { optionsOf } from './given.js'
import type { NodeDense, RecordsOptions, Releasable, StoreRecord, WritableOptions } from './interface.js'
import type { NativeDenseBatch } from './native.js'
import type { Place } from './place.js'
import { recordsOf } from './records.js'
import { releasable } from './release.js'
import { createStore, createStoreSync, type Opened, openStore, openStoreSync, Store } from './store.js'
import { appending } from './writable.js'

/** Records of one type and shape: images, labels, embeddings. */
export class DenseStore extends Store implements Interface.DenseStore, NodeDense {
  /** Opens a store where one is. */
  static async open(place: Place, options: OpenOptions = {}): Promise<DenseStore> {
    return new DenseStore(await openStore(place, 'dense', options))
  }

  static openSync(place: Place, options: Omit<OpenOptions, 'signal'> = {}): DenseStore {
    return new DenseStore(openStoreSync(place, 'dense', options))
  }

  /** Makes a new store, open for writing. */
  static async create(place: Place, options: CreateDenseOptions): Promise<DenseStore> {
    return new DenseStore(await createStore(place, 'dense', optionsOf(options), options.itemShape))
  }

  static createSync(place: Place, options: CreateDenseOptions): DenseStore {
    return new DenseStore(createStoreSync(place, 'dense', optionsOf(options), options.itemShape))
  }

  /** @internal */
  static of(opened: Opened): DenseStore {
    return new DenseStore(opened)
  }

  readonly kind = 'dense'
  /** The shape of one record; empty for scalars. */
  readonly itemShape: readonly number[]
  readonly #recordBytes: number

  private constructor(opened: Opened) {
    super(opened)
    this.itemShape = Array.from(this.raw.itemShape)
    this.#recordBytes = this.raw.recordBytes
  }

  /** Reads records into one batch. */
  async gather(records: Index, options: Options = {}): Promise<DenseBatch & Releasable> {
    const index = indexOf(records)
    return this.#batch(await this.calls.watched(options, (...watch) => this.raw.gatherDense(index, ...watch)))
  }

  gatherSync(records: Index): DenseBatch & Releasable {
    const index = indexOf(records)
    return this.#batch(this.calls.at(() => this.raw.gatherDenseSync(index)))
  }

  /** The same into an array that has the right type and size. What it holds after an error is not said. */
  async gatherInto(records: Index, target: TypedArray, options: Options = {}): Promise<void> {
    const index = indexOf(records)
    const bytes = this.#target(index, target)
    await this.calls.watched(options, (...watch) => this.raw.gatherDenseInto(index, bytes, ...watch))
    reverse(bytes, this.element.swapped)
  }

  gatherIntoSync(records: Index, target: TypedArray): void {
    const index = indexOf(records)
    const bytes = this.#target(index, target)
    this.calls.at(() => this.raw.gatherDenseIntoSync(index, bytes))
    reverse(bytes, this.element.swapped)
  }

  /** Appends records whose values lie one after the other; resolves to the index of the first. */
  async append(values: TypedArray): Promise<number> {
    const bytes = this.#stored(values)
    return this.changed((raw) => raw.appendDense(bytes))
  }

  appendSync(values: TypedArray): number {
    const bytes = this.#stored(values)
    return this.changedSync((raw) => raw.appendDenseSync(bytes))
  }

  /** Record after record, read ahead. The values of a record are a view into those of its batch. */
  async *records(options: RecordsOptions = {}): AsyncGenerator<StoreRecord, void, undefined> {
    const size = this.itemShape.reduce((all, extent) => all * extent, this.element.width)
    for await (const { data, shape } of recordsOf(this, this.#recordBytes, options)) {
      for (let record = 0; record < shape[0]!; record += 1) {
        yield { data: data.subarray(record * size, (record + 1) * size), shape: this.itemShape }
      }
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<StoreRecord, void, undefined> {
    return this.records()
  }

  /**
   * A stream in object mode that appends the records of every array that is written to it: it says when too much waits, makes
   * everything durable at its end, and leaves a store without gaps wherever it is destroyed. The store stays open. Arrays must
   * not change until they are written.
   */
  writable(options: WritableOptions = {}): Writable {
    return appending(options, {
      pack: (arrays: readonly TypedArray[]) => joined(arrays.map((values) => this.#stored(values))),
      append: async (bytes) => {
        await this.changed((raw) => raw.appendDense(bytes))
      },
      sync: () => this.sync(),
    })
  }

  #target(index: RawIndex, target: TypedArray): Uint8Array {
    const bytes = bytesOf(target, this.element, 'the records')
    const wanted = countOf(index, this.length) * this.#recordBytes
    if (bytes.length !== wanted) {
      throw new RecaskError('buffer_size', `the array has ${bytes.length} bytes, the records ${wanted}`)
    }
    return bytes
  }

  #stored(values: unknown): Uint8Array {
    const bytes = storedBytesOf(values, this.element, 'the records')
    const recordBytes = this.#recordBytes
    if (recordBytes === 0 ? bytes.length > 0 : bytes.length % recordBytes !== 0) {
      const message = `records of shape [${this.itemShape}] have ${recordBytes} bytes each, but ${bytes.length} were given`
      throw new RecaskError('shape_mismatch', message)
    }
    return bytes
  }

  #batch({ bytes, shape }: NativeDenseBatch): DenseBatch & Releasable {
    const data = valuesOf(bytes, this.element)
    return releasable({ kind: 'dense', data, shape: Array.from(shape), dtype: this.element.dtype })
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}
