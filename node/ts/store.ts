import { elementOf, type Element, nameOf } from '../../wasm/ts/element.js'
import { invalid, RecaskError } from '../../wasm/ts/errors.js'
import { indexOf } from '../../wasm/ts/indices.js'
import type {
  CodecName,
  CreateOptions,
  Index,
  LongOptions,
  OpenOptions,
  Options,
  Stats,
  Verification,
} from '../../wasm/ts/interface.js'
import { verificationOf } from '../../wasm/ts/report.js'
import { addon } from './addon.js'
import { at, Calls } from './call.js'
import { disposable } from './closing.js'
import { given, optionsOf } from './given.js'
import type { NativeCreateOptions, NativeOpenOptions, NativeStore } from './native.js'
import { pathOf, type Place } from './place.js'

/** Proves that a store comes from this package. */
export class Opened {
  constructor(
    readonly raw: NativeStore,
    readonly calls: Calls,
  ) {}
}

/** What both kinds of stores have. */
export abstract class Store {
  static {
    disposable(this)
  }

  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>
  readonly #raw: NativeStore
  readonly #element: Element
  readonly #calls: Calls
  readonly dtype: string
  readonly codec: CodecName
  /** Whether it was opened for writing. */
  readonly isWritable: boolean
  #length: number

  /** @internal */
  constructor(opened: Opened) {
    if (!(opened instanceof Opened)) throw invalid('a store is opened with open() or create()')
    const { raw, calls } = opened
    const { dtype, itemSize, codec, writable, length } = at(() => ({
      dtype: raw.dtype,
      itemSize: raw.itemSize,
      codec: raw.codec,
      writable: raw.writable,
      length: raw.length,
    }))
    this.#raw = raw
    this.#calls = calls
    this.#element = elementOf(dtype, itemSize)
    this.dtype = dtype
    this.codec = codec
    this.isWritable = writable
    this.#length = length
  }

  /** @internal What is open behind a store, for the other parts of the package. */
  static rawOf(store: unknown): NativeStore | undefined {
    return typeof store === 'object' && store !== null && #raw in store ? store.#raw : undefined
  }

  /** @internal */
  protected get raw(): NativeStore {
    return this.#raw
  }

  /** @internal */
  protected get calls(): Calls {
    return this.#calls
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
    return this.#calls.watched(options, (...watch) => this.#raw.stats(...watch))
  }

  statsSync(): Stats {
    return this.#calls.at(() => this.#raw.statsSync())
  }

  /** Checks every table entry, decodes every record, and looks for records that share bytes. */
  async verify(options: LongOptions = {}): Promise<Verification> {
    return verificationOf(await this.#calls.watched(options, (...watch) => this.#raw.verify(...watch)))
  }

  verifySync(): Verification {
    return verificationOf(this.#calls.at(() => this.#raw.verifySync()))
  }

  /** Of a reader: sees what was appended since. */
  async refresh(options: Options = {}): Promise<void> {
    await this.#calls.watched(options, (...watch) => this.#raw.refresh(...watch))
    this.#measure()
  }

  refreshSync(): void {
    this.#calls.at(() => this.#raw.refreshSync())
    this.#measure()
  }

  /** Removes records; the last ones take their places. */
  async delete(records: Index): Promise<void> {
    const index = indexOf(records)
    await this.changed((raw) => raw.delete(index))
  }

  deleteSync(records: Index): void {
    const index = indexOf(records)
    this.changedSync((raw) => raw.deleteSync(index))
  }

  /** Gives the space of deleted records back. */
  async compact(options: LongOptions = {}): Promise<void> {
    await this.changed((raw) => this.#calls.watched(options, (...watch) => raw.compact(...watch)))
  }

  compactSync(): void {
    this.changedSync((raw) => raw.compactSync())
  }

  /** Makes all changes durable. */
  async sync(): Promise<void> {
    await this.changed((raw) => raw.sync())
  }

  syncSync(): void {
    this.changedSync((raw) => raw.syncSync())
  }

  /** Gives back files and memory, after the calls that are under way; a writer makes durable what it wrote first. Twice is once. */
  async close(): Promise<void> {
    await this.#calls.off(() => this.#raw.close())
  }

  closeSync(): void {
    this.#calls.at(() => this.#raw.closeSync())
  }

  /** @internal Changes the store. Calls take effect in the order in which they were made. */
  protected async changed<T>(call: (raw: NativeStore) => Promise<T>): Promise<T> {
    this.#refuseReader()
    const result = await this.#calls.off(() => call(this.#raw))
    this.#measure()
    return result
  }

  /** @internal */
  protected changedSync<T>(call: (raw: NativeStore) => T): T {
    this.#refuseReader()
    const result = this.#calls.at(() => call(this.#raw))
    this.#measure()
    return result
  }

  #refuseReader(): void {
    if (this.isWritable) return
    const { place } = this.#calls
    throw new RecaskError('read_only', `${place} is open for reading: open it with { write: true } to change it`, { place })
  }

  /** What a closed store had stays. */
  #measure(): void {
    try {
      this.#length = this.#raw.length
    } catch {
      // Closed meanwhile.
    }
  }
}

type Kind = NativeStore['kind']

/** Makes a store, open for writing. */
export async function createStore(place: Place, kind: Kind, options: CreateOptions, shape?: readonly number[]): Promise<Opened> {
  const [calls, wanted] = [new Calls(pathOf(place)), createOptions(kind, options, shape)]
  return new Opened(await calls.off(() => addon().createStore(calls.place, wanted)), calls)
}

export function createStoreSync(place: Place, kind: Kind, options: CreateOptions, shape?: readonly number[]): Opened {
  const [calls, wanted] = [new Calls(pathOf(place)), createOptions(kind, options, shape)]
  return new Opened(
    calls.at(() => addon().createStoreSync(calls.place, wanted)),
    calls,
  )
}

function createOptions(kind: Kind, options: CreateOptions, shape: readonly number[] = []): NativeCreateOptions {
  const { dtype, codec = 'raw', level, dictionary } = options
  if (typeof dtype !== 'string') throw invalid("a new store needs a dtype, such as 'uint8' or '<f4'")
  if (!Array.isArray(shape) || !shape.every((extent) => typeof extent === 'number')) {
    throw invalid(`the shape of a record is a list of numbers, not ${nameOf(shape)}`)
  }
  return { kind, dtype, itemShape: Float64Array.from(shape), codec, ...given({ level, dictionary }) }
}

/** Opens a store of one kind. */
export async function openStore(place: Place, kind: Kind, options: OpenOptions): Promise<Opened> {
  const calls = new Calls(pathOf(place))
  const raw = await calls.watched(options, (...watch) => addon().openStore(calls.place, openOptions(options), ...watch))
  const refusal = refusalOf(raw, kind, calls.place)
  if (!refusal) return new Opened(raw, calls)
  await calls.off(() => raw.close())
  throw refusal
}

export function openStoreSync(place: Place, kind: Kind, options: Omit<OpenOptions, 'signal'>): Opened {
  const calls = new Calls(pathOf(place))
  const raw = calls.at(() => addon().openStoreSync(calls.place, openOptions(options)))
  const refusal = refusalOf(raw, kind, calls.place)
  if (!refusal) return new Opened(raw, calls)
  calls.at(() => raw.closeSync())
  throw refusal
}

function openOptions(options: OpenOptions): NativeOpenOptions {
  const { write = false, codec, level } = optionsOf(options)
  return { write, ...given({ codec, level }) }
}

function refusalOf({ kind: found }: NativeStore, kind: Kind, place: string): RecaskError | undefined {
  if (found === kind) return undefined
  const other = found === 'dense' ? 'DenseStore' : 'RaggedStore'
  return new RecaskError('kind_mismatch', `${place} is a ${found} store: open it as ${other}`, { place })
}
