import { disposable } from './closing.js'
import { elementOf, type Element } from './element.js'
import { invalid, RecaskError } from './errors.js'
import { Files } from './files.js'
import { Handle } from './handle.js'
import { indexOf } from './indices.js'
import { init } from './init.js'
import type { CodecName, CreateOptions, Index, LongOptions, OpenOptions, Options, Stats, Verification } from './interface.js'
import { free } from './module.js'
import { placeOf } from './place.js'
import type { RawStore } from './raw.js'
import { verificationOf } from './report.js'
import type { Source } from './source/source.js'
import { watch } from './writing.js'

/** What both kinds of stores have. */
export abstract class Store {
  static {
    disposable(this)
  }

  declare [Symbol.asyncDispose]: () => Promise<void>
  readonly #handle: Handle<RawStore>
  readonly #element: Element
  readonly dtype: string
  readonly codec: CodecName
  /** Whether it was opened for writing. */
  readonly isWritable: boolean
  #length: number

  /** @internal */
  constructor(handle: Handle<RawStore>) {
    if (!(handle instanceof Handle)) throw invalid('a store is opened with open() or create()')
    const { dtype, itemSize, codec, writable, length } = handle.ask(({ dtype, itemSize, codec, writable, length }) => {
      return { dtype, itemSize, codec, writable, length }
    })
    this.#handle = handle
    this.#element = elementOf(dtype, itemSize)
    this.dtype = dtype
    this.codec = codec
    this.isWritable = writable
    this.#length = length
  }

  /** @internal What is open behind a store, for the other parts of the package. */
  static handleOf(store: unknown): Handle<RawStore> | undefined {
    return typeof store === 'object' && store !== null && #handle in store ? store.#handle : undefined
  }

  /** @internal */
  protected get handle(): Handle<RawStore> {
    return this.#handle
  }

  /** @internal */
  protected get element(): Element {
    return this.#element
  }

  /** Records. */
  get length(): number {
    return this.#length
  }

  async stats(options: Options = {}): Promise<Stats> {
    return this.#handle.read((raw) => raw.stats(), options)
  }

  /** Checks every table entry, decodes every record, and looks for records that share bytes. */
  async verify(options: LongOptions = {}): Promise<Verification> {
    const handle = this.#handle
    const verifier = await handle.read((raw) => raw.verifier(), options)
    try {
      await handle.readAll(this.#length, (_, count) => verifier.step(handle.raw, count), options)
      return verificationOf(await handle.read((raw) => verifier.report(raw), options))
    } finally {
      free(verifier)
    }
  }

  /** Of a reader: sees what was appended since. */
  async refresh(options: Options = {}): Promise<void> {
    await Promise.all(this.#handle.files.map((files) => files.renew(options)))
    await Files.opened(this.#handle.files, () => this.#handle.read((raw) => raw.refresh(), options), options)
    this.#measure()
  }

  /** Removes records; the last ones take their places. */
  async delete(records: Index): Promise<void> {
    const index = indexOf(records)
    await this.changed((raw) => raw.delete(index))
  }

  /** Gives the space of deleted records back. */
  async compact(options: LongOptions = {}): Promise<void> {
    const watched = watch(options)
    try {
      await this.changed((raw) => raw.compact(watched.tell), options)
    } catch (error) {
      throw watched.reason(error)
    }
  }

  /** Makes all changes durable. */
  async sync(): Promise<void> {
    await this.changed((raw) => raw.sync())
  }

  /** Gives back files and memory; a writer makes durable what it wrote first. Twice is once. */
  close(): Promise<void> {
    return this.#handle.close(() => this.#handle.raw.close())
  }

  /** @internal Changes the store, after the changes that were asked for before. */
  protected async changed<T>(call: (raw: RawStore) => T, options: Options = {}): Promise<T> {
    if (!this.#handle.directory) {
      const message = `${this.#handle.name} is open for reading: open it with { write: true } to change it`
      throw new RecaskError('read_only', message)
    }
    const result = await this.#handle.read(call, options)
    this.#measure()
    return result
  }

  #measure(): void {
    this.#length = this.#handle.ask(({ length }) => length)
  }
}

/** Makes a store, open for writing. */
export async function createStore(
  source: Source,
  kind: 'dense' | 'ragged',
  { dtype, codec = 'raw', level, dictionary }: CreateOptions,
  shape: readonly number[] = [],
): Promise<Handle<RawStore>> {
  await init()
  const itemShape = Float64Array.from(shape)
  const wanted = { kind, dtype, itemShape, codec, ...(level !== undefined && { level }), ...(dictionary && { dictionary }) }
  return Handle.forWriting(placeOf(source), true, (raw, directory) => raw.createStore(directory, wanted))
}

/** Opens a store of one kind. */
export async function openStore(source: Source, kind: 'dense' | 'ragged', options: OpenOptions): Promise<Handle<RawStore>> {
  await init()
  const handle = await openHere(placeOf(source), options)
  const found = handle.ask((raw) => raw.kind)
  if (found === kind) return handle
  await handle.close(() => handle.raw.close())
  const other = found === 'dense' ? 'DenseStore' : 'RaggedStore'
  throw new RecaskError('kind_mismatch', `${source.name} is a ${found} store: open it as ${other}`, { place: source.name })
}

/** Opens a store of any kind, with what is known of its place. */
export function openHere(place: Source, { write, codec, level, signal }: OpenOptions): Promise<Handle<RawStore>> {
  if (!write) return Handle.forReading([place], (raw, [files]) => raw.openStore(files!.raw, codec), { signal })
  return Handle.forWriting(place, false, (raw, directory) => raw.openStoreForWriting(directory, level, codec), { signal })
}
