/**
 * The WebAssembly module as it is: what `wasm/src` exports through wasm-bindgen. Everything here is synchronous.
 *
 * Reading takes no I/O from here. A {@link RawFiles} holds what is known of the files of one place, and the bytes that were
 * brought for the call that follows. A call that needs others throws {@link Needs}; who drives it brings them
 * and calls again (`attempt.ts`). Any other failure throws {@link RawFault}. Writing works on open files that can be read and
 * written at once ({@link Directory}).
 */

/** Bytes that a call needs. `files` is the `id` of a {@link RawFiles}, `name` a file in it. */
export interface Need {
  readonly files: number
  readonly name: string
  readonly start: number
  /** Not included; where the file ends earlier, fewer are brought. `start` again: only its length is wanted. */
  readonly end: number
}

/** Thrown: bring these, and call again with them and with what was brought before. */
export interface Needs {
  readonly needs: readonly Need[]
}

/** Thrown: an error of the core. */
export interface RawFault {
  readonly code: string
  /** The sentence, with file, record and offset. */
  readonly message: string
  readonly place?: string
  readonly file?: string
  readonly record?: number
  readonly offset?: number
  readonly stream?: string
  readonly step?: bigint
  readonly character?: number
}

/** Freed by hand; twice is an error of the caller. */
export interface Freed {
  free(): void
}

/** What is known of the files of one place, and bytes of them. */
export interface RawFiles extends Freed {
  readonly id: number
  /** The file exists and has so many bytes. */
  know(name: string, length: number): void
  /** There is no such file. */
  absent(name: string): void
  /** Every file that exists was named by `know`. */
  complete(): void
  /** Nothing is known any more. */
  forget(): void
  /** Bytes for the next call; they are copied. */
  put(name: string, start: number, bytes: Uint8Array): void
  /** Forgets the bytes, not what is known. */
  clear(): void
}

/** `[start, stop, step]`, where `undefined` is an absent bound; or a list; or a mask. One record is a list of one. */
export type RawIndex = [number | undefined, number | undefined, number | undefined] | Float64Array | BigUint64Array | Uint8Array

export interface RawStore extends Freed {
  readonly kind: 'dense' | 'ragged'
  readonly length: number
  readonly dtype: string
  /** Of one element, in bytes. */
  readonly itemSize: number
  readonly itemShape: Float64Array
  readonly codec: 'raw' | 'zstd' | 'zstd_dict'
  readonly writable: boolean
  /** The identity as loaderx writes it, as hexadecimal digits. */
  readonly identityHex: string
  /** Dense: all values as bytes in a new array of JavaScript. */
  gatherDense(index: RawIndex): { bytes: Uint8Array; shape: Float64Array }
  /** Dense: into `target`, which has exactly the size of the result. */
  gatherDenseInto(index: RawIndex, target: Uint8Array): void
  /**
   * Raw stores, without any copy through WebAssembly: pairs of segment number and offset of the table entries of records, one of
   * a dense record, two of a ragged one. `undefined` for other codecs.
   */
  entryPlaces(index: RawIndex): Float64Array | undefined
  readonly entryBytes: number
  /** Dense: pairs of chunk number and offset, from the entries one after the other. `undefined` where one is impossible. */
  densePlaces(index: RawIndex, entries: Uint8Array): Float64Array | undefined
  readonly recordBytes: number
  /** Ragged: the same of values and of shapes, and where each begins once they are packed; last where the last one ends. */
  raggedPlaces(
    index: RawIndex,
    entries: Uint8Array,
  ): { values: Float64Array; valueBounds: Float64Array; shapes: Float64Array; shapeBounds: Float64Array } | undefined
  /** From packed shapes, what `gatherRagged` has beside the values. `undefined` where they do not fit the values. */
  raggedLayout(
    valueBounds: Float64Array,
    shapeBounds: Float64Array,
    shapes: Uint8Array,
  ): { offsets: Float64Array; extents: Float64Array; ranks: Uint8Array } | undefined
  /** Ragged: `offsets` in elements; `extents` of all shapes one after the other; `ranks` how many each record has. */
  gatherRagged(index: RawIndex): { bytes: Uint8Array; offsets: Float64Array; extents: Float64Array; ranks: Uint8Array }
  stats(): { records: number; liveBytes: number; chunkBytes: number; reclaimable: number }
  verifier(): RawVerifier
  /** Of a reader. The headers are read anew: what was brought of them before must not be brought again. */
  refresh(): void
  /** Of a writer. The index of the first new record. Bytes in the order of `dtype`, here and wherever values are bytes. */
  appendDense(bytes: Uint8Array): number
  /** Shapes as `gatherRagged` gives them. */
  appendRagged(bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array): number
  delete(index: RawIndex): void
  /** `progress` is told how many records are done, and stops the work by answering `false`. */
  compact(progress: (done: number, total: number) => boolean): void
  sync(): void
  /** Syncs and gives everything back; the store cannot be used any more, only freed. */
  close(): void
}

/** A check of a whole store in portions. */
export interface RawVerifier extends Freed {
  /** Checks so many more records; whether all are done. After {@link Needs} the same portion is checked again. */
  step(store: RawStore, records: number): boolean
  readonly done: number
  report(store: RawStore): RawVerification
}

export interface RawVerification {
  readonly records: number
  readonly rows?: number
  readonly found: number
  readonly faults: readonly RawFault[]
}

export interface RawTable extends Freed {
  readonly length: number
  readonly fileRecords: number
  schema(): { name: string; dtype: string; storedDtype: string }[]
  /** The first row of a record, and the row behind its last. */
  recordRows(record: number): Float64Array | undefined
  all(): RawSelection
  verify(): RawVerification
}

/** Rows that are known, and columns. Immutable: every method gives a new one. */
export interface RawSelection extends Freed {
  readonly length: number
  names(): string[]
  select(names: string[]): RawSelection
  rows(index: RawIndex): RawSelection
  head(count: number): RawSelection
  tail(count: number): RawSelection
  /** The rows of `first..first + count` that pass, as positions in this selection. */
  filter(expression: string, parameters: unknown, first: number, count: number): Float64Array
  rowNumbers(): Float64Array
  columns(): { name: string; dtype: string; bytes: Uint8Array }[]
  summaries(skipMissing: boolean): RawSummary[]
  distinct(name: string): { count: number; isExact: boolean }
}

export interface RawSummary {
  readonly name: string
  readonly dtype: string
  readonly count: number
  readonly missing: number
  readonly minimum: number | bigint | string | null
  readonly maximum: number | bigint | string | null
  readonly sum: number | bigint | null
  readonly mean: number | null
  readonly deviation: number | null
}

export interface RawTableWriter extends Freed {
  readonly rows: number
  write(names: string[], dtypes: string[], values: Uint8Array[]): void
  /** Writes rows of a table as one record, with names and types exactly as it has them. */
  writeSelection(selection: RawSelection): void
  commit(): void
  close(): void
  abort(): void
}

export interface RawSampler extends Freed {
  readonly mode: 'sequential' | 'iid' | 'cyclic' | 'iid_seek'
  readonly length: bigint
  readonly batch: number
  readonly seed: bigint
  readonly rank: number
  readonly world: number
  readonly stepsPerCycle: bigint | undefined
  at(step: bigint): BigUint64Array
  /** Pairs of step and position. */
  stepsOf(record: bigint, from: bigint, count: number): BigUint64Array
  /** First step, and the step behind the last. */
  epoch(number: bigint): BigUint64Array
  shard(rank: number, world: number): RawSampler
}

/** Named streams for a feed, which shares the open files with the stores and selections that they were made of. */
export interface RawStreams extends Freed {
  /** A store that was opened for reading. */
  addStore(name: string, store: RawStore): void
  addSelection(name: string, selection: RawSelection): void
}

/** Streams and their order. What it was made of may be freed. */
export interface RawFeed extends Freed {
  /** The state of a run whose next step is `step`. Reads samples of every stream. */
  state(step: bigint, done: BigUint64Array): string
  /** Refuses a state of other data; reads samples. */
  check(state: string): void
  /** Reads the batch of a step; `undefined` where the step is left out. */
  fill(step: bigint): RawBatch | undefined
  sampler(): RawSampler
}

export interface RawBatch {
  readonly indices: BigUint64Array
  readonly streams: readonly RawStreamBatch[]
  readonly losses: readonly (RawFault & { stream: string; step: bigint })[]
}

export type RawStreamBatch =
  | { name: string; kind: 'dense'; dtype: string; bytes: Uint8Array; shape: Float64Array }
  | { name: string; kind: 'ragged'; dtype: string; bytes: Uint8Array; offsets: Float64Array; extents: Float64Array; ranks: Uint8Array }
  | { name: string; kind: 'table'; length: number; columns: { name: string; dtype: string; bytes: Uint8Array }[] }

/** An open file: a `FileSystemSyncAccessHandle`, or something like it. */
export interface SyncFile {
  /** Fewer bytes than the buffer has where the file ends. */
  read(buffer: Uint8Array, options: { at: number }): number
  write(buffer: Uint8Array, options: { at: number }): number
  getSize(): number
  truncate(size: number): void
  flush(): void
}

/**
 * A directory whose files are open already. Methods throw a `DOMException`-like object: `name` is `NotFoundError`,
 * `NoModificationAllowedError` (taken elsewhere), `QuotaExceededError`, `NotAllowedError`, or any other; or
 * `{ prepare: true }` where the file has to be opened first: the call of the core then throws {@link Needs} without needs,
 * leaves everything as it was, and is made again.
 */
export interface Directory {
  /** `create`: makes the file where it is missing. `fresh`: it must not be there (`AlreadyExists`). */
  open(name: string, create: boolean, fresh: boolean): SyncFile
  has(name: string): boolean
  /** The content is gone when this returns, the name before the promise of the call that did it resolves. */
  remove(name: string): void
  /** Replaces `to`. Done before the promise of the call resolves; until then the old file stays. */
  rename(from: string, to: string): void
  names(): string[]
}

export interface RawModule {
  version(): string
  /** The library that decodes zstd. */
  zstd(): string
  /** The most bytes of results and of bytes brought for one call; more is refused with `limit`. */
  setMemoryLimit(bytes: number): void
  /** How far apart two ranges may be that are brought as one, and how long that one may be. */
  setCoalescing(gap: number, max: number): void
  /** `name` is the place in messages. */
  readonly RawFiles: new (name: string) => RawFiles
  openStore(files: RawFiles, codec?: string): RawStore
  /** Opens one table, or several as one; `files` are ids. */
  openTables(files: Uint32Array): RawTable
  createStore(
    directory: Directory,
    options: { kind: string; dtype: string; itemShape: Float64Array; codec: string; level?: number; dictionary?: Uint8Array },
  ): RawStore
  openStoreForWriting(directory: Directory, level?: number, codec?: string): RawStore
  createTable(directory: Directory, layout: string, statistics: boolean): RawTableWriter
  appendTable(directory: Directory): RawTableWriter
  compactTable(directory: Directory, progress: (done: number, total: number) => boolean): void
  sampler(mode: string, length: bigint, batch: number, seed: bigint | undefined, rank: number, world: number): RawSampler
  readonly RawStreams: new () => RawStreams
  /** `state`: where the order comes from, if from one. */
  feed(streams: RawStreams, sampler: RawSampler, onLoss: string, state?: string): RawFeed
  /** The order of a state, for a rank. */
  samplerOfState(state: string, rank: number, world: number): RawSampler
  /** What a state says. */
  readState(text: string): {
    mode: string
    seed: bigint
    batch: bigint
    length: bigint
    step: bigint
    done: BigUint64Array
    rank: bigint
    world: bigint
    /** As it is written again. */
    text: string
  }
  trainDictionary(samples: Uint8Array, sizes: Float64Array, tier: string): Uint8Array
  /** Parses `recask.json`. */
  parseIndex(text: Uint8Array): { name: string; kind: 'dense' | 'ragged' | 'table'; path: string; files: Record<string, number> }[]
  /** Starts the threads of a threaded build. */
  initThreadPool?(threads: number): Promise<void>
}
