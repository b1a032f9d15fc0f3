/**
 * The addon as it is: what `node/src` exports through Node-API. Names follow the module for browsers (`wasm/ts/raw.ts`).
 *
 * Whatever touches the disk is there twice: `x` works on the thread pool and returns a promise, `xSync` works at once. Both take a
 * {@link Watch} last where the work may be long. Errors have one line of JSON behind a marker as message (`faults.ts`).
 * The WebAssembly module that stands in where there is no addon has the same shape (`fallback/addon.ts`).
 */

import type { RawFault, RawIndex, RawSummary, RawVerification } from '../../wasm/ts/raw.js'

export type { RawFault, RawIndex, RawSummary, RawVerification }

/** Stops calls that were given it; they reject with the code `interrupted`. */
export interface NativeStop {
  stop(): void
}

/** How far work is, about twenty times a second and at the end. `total` is 0 where it is not known. */
export type Tell = (done: number, total: number) => void

/** The last parameters of work that may be long. */
export type Watch = [stop?: NativeStop | null | undefined, tell?: Tell | null | undefined]

export interface NativeDenseBatch {
  /** The values as bytes in memory that JavaScript owns; as stored, whatever their order of bytes. */
  readonly bytes: Uint8Array
  /** Records first. */
  readonly shape: Float64Array
}

export interface NativeRaggedBatch {
  readonly bytes: Uint8Array
  /** In elements, one more than there are records. */
  readonly offsets: Float64Array
  /** The extents of all shapes, one after the other. */
  readonly extents: Float64Array
  /** How many extents each record has. */
  readonly ranks: Uint8Array
}

export interface NativeStats {
  readonly records: number
  readonly liveBytes: number
  readonly chunkBytes: number
  readonly reclaimable: number
}

/** An open store. After `close` every call fails with `invalid_argument`. */
export interface NativeStore {
  readonly kind: 'dense' | 'ragged'
  readonly length: number
  readonly dtype: string
  /** Of one element, in bytes. */
  readonly itemSize: number
  readonly itemShape: readonly number[] | Float64Array
  readonly codec: 'raw' | 'zstd' | 'zstd_dict'
  readonly writable: boolean
  /** The identity as loaderx writes it, as hexadecimal digits. */
  readonly identityHex: string
  /** The dictionary of `zstd_dict`. */
  readonly dictionary?: Uint8Array | null
  /** Dense: the bytes of one record. */
  readonly recordBytes: number
  gatherDense(index: RawIndex, ...watch: Watch): Promise<NativeDenseBatch>
  gatherDenseSync(index: RawIndex): NativeDenseBatch
  /** Dense: into `target`, which has exactly the size of the result. */
  gatherDenseInto(index: RawIndex, target: Uint8Array, ...watch: Watch): Promise<void>
  gatherDenseIntoSync(index: RawIndex, target: Uint8Array): void
  gatherRagged(index: RawIndex, ...watch: Watch): Promise<NativeRaggedBatch>
  gatherRaggedSync(index: RawIndex): NativeRaggedBatch
  stats(...watch: Watch): Promise<NativeStats>
  statsSync(): NativeStats
  verify(...watch: Watch): Promise<RawVerification>
  verifySync(): RawVerification
  refresh(...watch: Watch): Promise<void>
  refreshSync(): void
  /** The index of the first new record. The bytes are copied before this returns. */
  appendDense(bytes: Uint8Array): Promise<number>
  appendDenseSync(bytes: Uint8Array): number
  appendRagged(bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array): Promise<number>
  appendRaggedSync(bytes: Uint8Array, extents: Float64Array, ranks: Uint8Array): number
  delete(index: RawIndex): Promise<void>
  deleteSync(index: RawIndex): void
  compact(...watch: Watch): Promise<void>
  compactSync(): void
  sync(): Promise<void>
  syncSync(): void
  /** Waits for running calls. A writer syncs. Twice is once. */
  close(): Promise<void>
  closeSync(): void
}

export interface NativeColumn {
  readonly name: string
  readonly dtype: string
}

export interface NativeColumnData extends NativeColumn {
  /** Little-endian. */
  readonly bytes: Uint8Array
}

export interface NativeTable {
  readonly length: number
  readonly fileRecords: number
  schema(): NativeColumn[]
  /** The first row of a record, and the row behind its last. */
  recordRows(record: number): readonly number[] | Float64Array | null | undefined
  all(): NativeSelection
  verify(...watch: Watch): Promise<RawVerification>
  verifySync(): RawVerification
  close(): Promise<void>
  closeSync(): void
}

/** Rows that are known, and columns. Immutable: every method gives a new one. */
export interface NativeSelection {
  /** A promise only where WebAssembly stands in. */
  readonly length: number | Promise<number>
  names(): string[]
  select(names: string[]): NativeSelection
  rows(index: RawIndex): NativeSelection
  head(count: number): NativeSelection
  tail(count: number): NativeSelection
  filter(expression: string, parameters: unknown, ...watch: Watch): Promise<NativeSelection>
  filterSync(expression: string, parameters: unknown): NativeSelection
  /** At once: they are in memory. */
  rowNumbers(): Float64Array | Promise<Float64Array>
  columns(...watch: Watch): Promise<NativeColumnData[]>
  columnsSync(): NativeColumnData[]
  summaries(skipMissing: boolean, ...watch: Watch): Promise<RawSummary[]>
  summariesSync(skipMissing: boolean): RawSummary[]
  distinct(name: string, ...watch: Watch): Promise<{ count: number; isExact: boolean }>
  distinctSync(name: string): { count: number; isExact: boolean }
  /** As a file or stream of Arrow IPC. */
  arrow(format: 'file' | 'stream', ...watch: Watch): Promise<Uint8Array>
  arrowSync(format: 'file' | 'stream'): Uint8Array
  /** In the format of the ending, where the options name none; the number of rows. */
  exportAs(path: string, options: NativeTableExport, ...watch: Watch): Promise<number>
  exportAsSync(path: string, options: NativeTableExport): number
}

/** Calls take effect in the order in which they were made. */
export interface NativeTableWriter {
  readonly rows: number
  /** Values are copied before this returns. */
  write(names: string[], dtypes: string[], values: Uint8Array[]): Promise<void>
  writeSync(names: string[], dtypes: string[], values: Uint8Array[]): void
  writeSelection(selection: NativeSelection): Promise<void>
  writeSelectionSync(selection: NativeSelection): void
  /** The record batches of a file or stream of Arrow IPC, as records; how many rows. */
  writeArrow(bytes: Uint8Array, rules?: NativeRules | null, ...watch: Watch): Promise<number>
  writeArrowSync(bytes: Uint8Array, rules?: NativeRules | null): number
  commit(): Promise<void>
  commitSync(): void
  close(): Promise<void>
  closeSync(): void
  abort(): Promise<void>
  abortSync(): void
}

export interface NativeSampler {
  readonly mode: 'sequential' | 'iid' | 'cyclic' | 'iid_seek'
  readonly length: bigint
  readonly batch: number
  readonly seed: bigint
  readonly rank: number
  readonly world: number
  readonly stepsPerCycle: bigint | null | undefined
  at(step: bigint): BigUint64Array
  /** Pairs of step and position. */
  stepsOf(record: bigint, from: bigint, count: number): BigUint64Array
  /** First step, and the step behind the last. */
  epoch(number: bigint): BigUint64Array
  shard(rank: number, world: number): NativeSampler
}

/** Named streams for a loader; what they were made of stays open for it. */
export interface NativeStreams {
  addStore(name: string, store: NativeStore): void
  addSelection(name: string, selection: NativeSelection): void
}

export interface NativeLoaderOptions {
  readonly batch: number
  readonly mode?: string
  readonly seed?: bigint
  readonly rank: number
  readonly world: number
  readonly prefetch: number
  readonly step?: bigint
  /** Nothing of this step or behind it is read. */
  readonly end?: bigint
  readonly state?: string
  readonly onLoss: string
}

export type NativeStreamBatch =
  | ({ name: string; kind: 'dense'; dtype: string } & NativeDenseBatch)
  | ({ name: string; kind: 'ragged'; dtype: string } & NativeRaggedBatch)
  | { name: string; kind: 'table'; length: number; columns: NativeColumnData[] }

export type NativeLoss = RawFault & { stream: string; step: bigint }

export interface NativeBatch {
  readonly step: bigint
  readonly indices: BigUint64Array
  readonly streams: readonly NativeStreamBatch[]
  /** Of this step, and of those before it that were left out. */
  readonly losses: readonly NativeLoss[]
}

/** The text of a state; where WebAssembly stands in, what brings it. */
export type Standing = string | (() => Promise<string>)

export interface NativeLoader {
  /** The next batch; nothing behind the end. One call at a time. */
  next(stop?: NativeStop | null): Promise<NativeBatch | null | undefined>
  nextSync(): NativeBatch | null | undefined
  /** What was lost since the last batch, where none follows. */
  losses(): NativeLoss[]
  /** Where the run stands behind the batch that `next` gave last. */
  state(): Standing
  seek(step: bigint): void | Promise<void>
  seekSync(step: bigint): void
  sampler(): NativeSampler
  /** Ends a waiting `next` too. */
  close(): Promise<void>
  closeSync(): void
}

export interface NativeCreateOptions {
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly itemShape: Float64Array
  readonly codec: string
  readonly level?: number
  readonly dictionary?: Uint8Array
}

export interface NativeOpenOptions {
  readonly write: boolean
  readonly codec?: string
  readonly level?: number
}

/** A stream that was found at a place. */
export interface NativeFound {
  readonly name: string
  readonly path: string
  readonly kind: 'dense' | 'ragged' | 'table'
}

/** What is at a place; a store or table alone is the only stream. */
export interface NativeDataset {
  readonly kind: 'store' | 'table' | 'folder'
  readonly streams: readonly NativeFound[]
}

export interface NativeImportOptions {
  readonly codec?: string
  readonly level?: number
  readonly dictionary?: Uint8Array
  /** Trains a dictionary from the source first. */
  readonly train?: 'fast' | 'balanced' | 'max'
  /** Arrays of an npz, or fields of JSON lines. */
  readonly fields?: string[]
}

/** How values of other formats become columns. */
export interface NativeRules {
  readonly nulls?: string
  readonly width?: number
  readonly utf8?: boolean
  readonly decimalsAsFloats?: boolean
}

export interface NativeTableImportOptions extends NativeRules {
  /** `csv`, `jsonl`, `npz`, `arrow` or `parquet`; by the content or the ending where it is missing. */
  readonly format?: string
  readonly columns?: string[]
  readonly delimiter?: string
  readonly header?: boolean
  readonly mode?: string
  readonly layout?: string
  readonly statistics?: boolean
}

export interface NativeTableExport {
  readonly format?: string
  readonly replace?: boolean
  readonly delimiter?: string
  readonly header?: boolean
  readonly compression?: string
}

/** A store that an import made. */
export interface NativeImported {
  /** Missing where the destination itself is the store. */
  readonly name?: string | null
  readonly path: string
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly itemShape?: readonly number[] | null
  readonly codec: string
  readonly records: number
}

export interface Addon {
  version(): string
  /** The library that decodes zstd. */
  zstd(): string
  /** Threads that read and decode. */
  threads(): number
  /** Gives the memory of a result back at once; whether it was that. */
  release(array: Uint8Array): boolean
  /** Memory of results, in bytes: what JavaScript has, and what waits for the next result. */
  memoryUse(): { lent: number; kept: number }
  /** How much may wait. */
  keepMemory(bytes: number): void
  readonly NativeStop: new () => NativeStop
  readonly NativeStreams: new () => NativeStreams
  openStore(path: string, options: NativeOpenOptions, ...watch: Watch): Promise<NativeStore>
  openStoreSync(path: string, options: NativeOpenOptions): NativeStore
  createStore(path: string, options: NativeCreateOptions): Promise<NativeStore>
  createStoreSync(path: string, options: NativeCreateOptions): NativeStore
  openTables(paths: string[], ...watch: Watch): Promise<NativeTable>
  openTablesSync(paths: string[]): NativeTable
  createTable(path: string, layout: string, statistics: boolean): Promise<NativeTableWriter>
  createTableSync(path: string, layout: string, statistics: boolean): NativeTableWriter
  appendTable(path: string): Promise<NativeTableWriter>
  appendTableSync(path: string): NativeTableWriter
  compactTable(path: string, ...watch: Watch): Promise<void>
  compactTableSync(path: string): void
  sampler(
    mode: string,
    length: bigint,
    batch: number,
    seed: bigint | null | undefined,
    rank: number,
    world: number,
  ): NativeSampler
  loader(streams: NativeStreams, options: NativeLoaderOptions, ...watch: Watch): Promise<NativeLoader>
  loaderSync(streams: NativeStreams, options: NativeLoaderOptions): NativeLoader
  /** The order of a state, for a rank. */
  samplerOfState(state: string, rank: number, world: number): NativeSampler
  readState(text: string): {
    mode: string
    seed: bigint
    batch: bigint
    length: bigint
    step: bigint
    done: BigUint64Array
    rank: bigint
    world: bigint
    text: string
  }
  /** Samples lie one after the other and are copied before this returns. */
  trainDictionary(samples: Uint8Array, sizes: Float64Array, tier: string, ...watch: Watch): Promise<Uint8Array>
  trainDictionarySync(samples: Uint8Array, sizes: Float64Array, tier: string): Uint8Array
  findDataset(path: string, ...watch: Watch): Promise<NativeDataset>
  findDatasetSync(path: string): NativeDataset
  importStores(source: string, dest: string, options: NativeImportOptions, ...watch: Watch): Promise<NativeImported[]>
  importStoresSync(source: string, dest: string, options: NativeImportOptions): NativeImported[]
  /** How many rows. */
  importTable(source: string, dest: string, options: NativeTableImportOptions, ...watch: Watch): Promise<number>
  importTableSync(source: string, dest: string, options: NativeTableImportOptions): number
  /** Appends what a file or folder has to a store; how many records. */
  appendSource(store: string, source: string, ...watch: Watch): Promise<number>
  appendSourceSync(store: string, source: string): number
  /** A store, table or folder of them, in the format of the ending; how many records or rows. */
  exportTo(source: string, dest: string, stop?: NativeStop | null, tell?: Tell | null, index?: RawIndex | null): Promise<number>
  exportToSync(source: string, dest: string, index?: RawIndex | null): number
  /** The `recask` command, with the program's name first. The exit status; whatever it prints goes to the standard streams. */
  command(args: string[], stop?: NativeStop | null): Promise<number>
  commandSync(args: string[]): number
}
