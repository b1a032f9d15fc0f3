import { bytesOf, reverse, storedBytesOf, valuesOf } from './element.js'
import { RecaskError } from './errors.js'
import type { Handle } from './handle.js'
import { countOf, indexOf } from './indices.js'
import type * as Interface from './interface.js'
import type { CreateDenseOptions, DenseBatch, Index, OpenOptions, Options, TypedArray } from './interface.js'
import type { RawStore } from './raw.js'
import type { Source } from './source/source.js'
import { createStore, openStore, Store } from './store.js'
import { copyRecords, densePlaces } from './stored.js'

/** Records of one type and shape: images, labels, embeddings. */
export class DenseStore extends Store implements Interface.DenseStore {
  /** Opens a store where one is. */
  static async open(source: Source, options: OpenOptions = {}): Promise<DenseStore> {
    return new DenseStore(await openStore(source, 'dense', options))
  }

  /** Makes a new store, open for writing. */
  static async create(source: Source, options: CreateDenseOptions): Promise<DenseStore> {
    return new DenseStore(await createStore(source, 'dense', options, options.itemShape))
  }

  /** @internal */
  static of(handle: Handle<RawStore>): DenseStore {
    return new DenseStore(handle)
  }

  readonly kind = 'dense'
  /** The shape of one record; empty for scalars. */
  readonly itemShape: readonly number[]
  readonly #recordBytes: number

  private constructor(handle: Handle<RawStore>) {
    super(handle)
    this.itemShape = Array.from(handle.ask((raw) => raw.itemShape))
    this.#recordBytes = handle.ask((raw) => raw.recordBytes)
  }

  /** Reads records into one batch. */
  async gather(records: Index, options: Options = {}): Promise<DenseBatch> {
    const index = indexOf(records)
    const places = await densePlaces(this.handle, index, options)
    if (places) {
      const bytes = new Uint8Array((places.length / 2) * this.#recordBytes)
      if (await copyRecords(this.handle, places, this.#recordBytes, bytes, options)) return this.#batch(bytes)
    }
    return this.#batch((await this.handle.read((raw) => raw.gatherDense(index), options)).bytes)
  }

  /** The same into an array that has the right type and size. What it holds after an error is not said. */
  async gatherInto(records: Index, target: TypedArray, options: Options = {}): Promise<void> {
    const index = indexOf(records)
    const bytes = bytesOf(target, this.element, 'the records')
    const wanted = countOf(index, this.length) * this.#recordBytes
    if (bytes.length !== wanted) {
      throw new RecaskError('buffer_size', `the array has ${bytes.length} bytes, the records ${wanted}`)
    }
    const places = await densePlaces(this.handle, index, options)
    if (!places || !(await copyRecords(this.handle, places, this.#recordBytes, bytes, options))) {
      await this.handle.read((raw) => raw.gatherDenseInto(index, bytes), options)
    }
    reverse(bytes, this.element.swapped)
  }

  /**
   * Appends records whose values lie one after the other; resolves to the index of the first. The values must not change
   * until then.
   */
  async append(values: TypedArray): Promise<number> {
    const bytes = storedBytesOf(values, this.element, 'the records')
    const recordBytes = this.#recordBytes
    if (bytes.length % recordBytes !== 0) {
      const message = `records of shape [${this.itemShape}] have ${recordBytes} bytes each, but ${bytes.length} were given`
      throw new RecaskError('shape_mismatch', message)
    }
    return this.changed((raw) => raw.appendDense(bytes))
  }

  #batch(bytes: Uint8Array): DenseBatch {
    const count = bytes.length / this.#recordBytes
    const data = valuesOf(bytes, this.element)
    return { kind: 'dense', data, shape: [count, ...this.itemShape], dtype: this.element.dtype }
  }
}
