import { elementOf, type Element, reverse, valuesOf } from '../../../wasm/ts/element.js'
import type { DenseStore, RaggedStore, TypedArray } from '../../../wasm/ts/interface.js'
import type { RawIndex, RawVerification } from '../../../wasm/ts/raw.js'
import type { NativeDenseBatch, NativeRaggedBatch, NativeStats, NativeStore, Watch } from '../native.js'
import { indexFrom } from './index_of.js'
import type { Module } from './module.js'
import { Running } from './running.js'
import { optionsOf } from './stop.js'

/** A store of the package for browsers in the shape of the addon's. */
export class FallbackStore implements NativeStore {
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly itemSize: number
  readonly itemShape: readonly number[]
  readonly codec: NativeStore['codec']
  readonly writable: boolean
  readonly recordBytes: number
  readonly #module: Module
  readonly #store: DenseStore | RaggedStore
  readonly #element: Element
  readonly #running = new Running('store')

  static async of(module: Module, store: DenseStore | RaggedStore): Promise<FallbackStore> {
    return new FallbackStore(module, store, await itemSizeOf(store))
  }

  private constructor(module: Module, store: DenseStore | RaggedStore, itemSize: number) {
    this.#module = module
    this.#store = store
    this.#element = elementOf(store.dtype, itemSize)
    this.kind = store.kind
    this.dtype = store.dtype
    this.itemSize = itemSize
    this.itemShape = store.kind === 'dense' ? store.itemShape : []
    this.codec = store.codec
    this.writable = store.isWritable
    this.recordBytes = this.itemShape.reduce((all, extent) => all * extent, itemSize)
  }

  /** What loaders of the package for browsers take. */
  get inside(): DenseStore | RaggedStore {
    return this.#store
  }

  get length(): number {
    return this.#store.length
  }

  get identityHex(): string {
    return this.#module.unsupported('the identity of a store')
  }

  async gatherDense(index: RawIndex, ...watch: Watch): Promise<NativeDenseBatch> {
    const { data, shape } = await this.#running.run(() => this.#dense.gather(indexFrom(index), optionsOf(watch)))
    return { bytes: this.#stored(data), shape: Float64Array.from(shape) }
  }

  async gatherDenseInto(index: RawIndex, target: Uint8Array, ...watch: Watch): Promise<void> {
    // The target may lie anywhere in its buffer, and may be of shared memory.
    const { bytes } = await this.gatherDense(index, ...watch)
    target.set(bytes)
  }

  async gatherRagged(index: RawIndex, ...watch: Watch): Promise<NativeRaggedBatch> {
    const { data, offsets, shapes } = await this.#running.run(() => this.#ragged.gather(indexFrom(index), optionsOf(watch)))
    const { width } = this.#element
    return {
      bytes: this.#stored(data),
      offsets: width > 1 ? offsets.map((offset) => offset / width) : offsets,
      extents: Float64Array.from(shapes.flat()),
      ranks: Uint8Array.from(shapes, ({ length }) => length),
    }
  }

  stats(...watch: Watch): Promise<NativeStats> {
    return this.#running.run(() => this.#store.stats(optionsOf(watch)))
  }

  verify(...watch: Watch): Promise<RawVerification> {
    return this.#running.run(() => this.#store.verify(optionsOf(watch)))
  }

  refresh(...watch: Watch): Promise<void> {
    return this.#running.run(() => this.#store.refresh(optionsOf(watch)))
  }

  appendDense(bytes: Uint8Array): Promise<number> {
    const values = valuesOf(bytes.slice(), this.#element)
    return this.#running.run(() => this.#dense.append(values))
  }

  appendRagged(bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array): Promise<number> {
    const values = valuesOf(bytes.slice(), this.#element)
    const { width } = this.#element
    let [end, dimension] = [0, 0]
    const records = Array.from(ranks, (rank) => {
      const shape = Array.from(extents.subarray(dimension, (dimension += rank)))
      const size = shape.reduce((all, extent) => all * extent, width)
      return { data: values.subarray(end, (end += size)), shape }
    })
    return this.#running.run(() => this.#ragged.append(records))
  }

  delete(index: RawIndex): Promise<void> {
    return this.#running.run(() => this.#store.delete(indexFrom(index)))
  }

  compact(...watch: Watch): Promise<void> {
    return this.#running.run(() => this.#store.compact(optionsOf(watch)))
  }

  sync(): Promise<void> {
    return this.#running.run(() => this.#store.sync())
  }

  close(): Promise<void> {
    return this.#running.close(() => this.#store.close())
  }

  gatherDenseSync = (): never => this.#module.unsupported('gatherSync')
  gatherDenseIntoSync = (): never => this.#module.unsupported('gatherIntoSync')
  gatherRaggedSync = (): never => this.#module.unsupported('gatherSync')
  statsSync = (): never => this.#module.unsupported('statsSync')
  verifySync = (): never => this.#module.unsupported('verifySync')
  refreshSync = (): never => this.#module.unsupported('refreshSync')
  appendDenseSync = (): never => this.#module.unsupported('appendSync')
  appendRaggedSync = (): never => this.#module.unsupported('appendSync')
  deleteSync = (): never => this.#module.unsupported('deleteSync')
  compactSync = (): never => this.#module.unsupported('compactSync')
  syncSync = (): never => this.#module.unsupported('syncSync')
  closeSync = (): never => this.#module.unsupported('closeSync')

  get #dense(): DenseStore {
    return this.#store as DenseStore
  }

  get #ragged(): RaggedStore {
    return this.#store as RaggedStore
  }

  /** The bytes as stored; they are ours. */
  #stored(values: TypedArray): Uint8Array {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
    reverse(bytes, this.#element.swapped)
    return bytes
  }
}

/** Structures do not say how large they are; their records do. */
async function itemSizeOf(store: DenseStore | RaggedStore): Promise<number> {
  if (/^[<>|=]/.test(store.dtype) || store.length === 0) return elementOf(store.dtype).itemSize
  if (store.kind === 'dense') {
    const { data } = await store.gather(0)
    return data.byteLength / store.itemShape.reduce((all, extent) => all * extent, 1) || 1
  }
  for (let record = 0; record < store.length; record += 1) {
    const { data, shapes } = await store.gather(record)
    const count = shapes[0]!.reduce((all, extent) => all * extent, 1)
    if (count > 0) return data.byteLength / count
  }
  return 1
}
