/** What Node.js has beside everything that both packages have. */

import type { Writable } from 'node:stream'
import type {
  Batch,
  ColumnData,
  DenseBatch,
  Fault,
  Index,
  LoaderOptions,
  LongOptions,
  Options,
  RaggedBatch,
  RaggedRecord,
  Stats,
  Summary,
  TypedArray,
  Verification,
} from '../../wasm/ts/interface.js'

/** One record: its values, and its shape. */
export type StoreRecord = RaggedRecord

/** Memory of results that may be given back at once, by {@link release} or at the end of `using`. */
export interface Releasable {
  [Symbol.dispose](): void
}

/** How records are read one after the other. */
export interface RecordsOptions extends Options {
  /** Which records; all by default. */
  readonly index?: Index | undefined
  /** Records that are read at once; by default as many as have about a megabyte. */
  readonly batch?: number | undefined
  /** Batches that are read ahead; 2 by default. */
  readonly prefetch?: number | undefined
}

export interface WritableOptions {
  /** Records that wait before `write` says so; 256 by default. */
  readonly highWaterMark?: number | undefined
  /** The most records that become one append; as many as wait by default. */
  readonly batch?: number | undefined
}

/** What both kinds of stores have in Node.js only. */
export interface NodeStore<Record> extends AsyncIterable<StoreRecord> {
  statsSync(): Stats
  verifySync(): Verification
  refreshSync(): void
  deleteSync(records: Index): void
  compactSync(): void
  syncSync(): void
  closeSync(): void
  [Symbol.dispose](): void
  /** Record after record, read ahead. */
  records(options?: RecordsOptions): AsyncIterableIterator<StoreRecord>
  /** A stream that appends what is written to it. */
  writable(options?: WritableOptions): Writable & { write(record: Record): boolean }
}

export interface NodeDense extends NodeStore<TypedArray> {
  gatherSync(records: Index): DenseBatch & Releasable
  gatherIntoSync(records: Index, target: TypedArray): void
  appendSync(values: TypedArray): number
}

export interface NodeRagged extends NodeStore<TypedArray | RaggedRecord> {
  gatherSync(records: Index): RaggedBatch & Releasable
  appendSync(records: readonly (TypedArray | RaggedRecord)[]): number
}

/** The columns of a selection by their names. */
export type ColumnsByName = { readonly [name: string]: TypedArray }

/** A value of a row: texts are strings, dates and 64-bit integers `bigint`. */
export type Cell = number | bigint | boolean | string | Uint8Array | readonly [re: number, im: number]

export type Row = { readonly [name: string]: Cell }

export interface ArrowOptions extends LongOptions {
  /** A file, the default, or a stream of Arrow IPC. */
  readonly format?: 'file' | 'stream' | undefined
}

export interface NodeSelection {
  countSync(): number
  rowNumbersSync(): Float64Array
  columnsSync(): ColumnData[]
  columnSync(name: string): ColumnData
  summariesSync(options?: { readonly skipMissing?: boolean }): Summary[]
  distinctSync(name: string): { readonly count: number; readonly isExact: boolean }
  /** An object with an array for each column. */
  object(options?: LongOptions): Promise<ColumnsByName>
  objectSync(): ColumnsByName
  /** As Arrow IPC, which `apache-arrow` and others read. */
  arrow(options?: ArrowOptions): Promise<Uint8Array>
  arrowSync(options?: Pick<ArrowOptions, 'format'>): Uint8Array
  /** An object for each row. */
  toRows(options?: LongOptions): Promise<Row[]>
  toRowsSync(): Row[]
  /** Writes a file in the format of its ending: `.parquet`, `.csv`, `.arrow`, `.npz`, `.jsonl`. Resolves to the number of rows. */
  export(path: string | URL, options?: ExportOptions & LongOptions): Promise<number>
  exportSync(path: string | URL, options?: ExportOptions): number
}

/** How rows become a file. */
export interface ExportOptions {
  /** By default the ending says it. */
  readonly format?: 'parquet' | 'arrow' | 'arrows' | 'csv' | 'jsonl' | 'npz' | undefined
  /** Whether a file that is there is replaced; it is refused by default. */
  readonly replace?: boolean | undefined
  /** What stands between fields of CSV. */
  readonly delimiter?: string | undefined
  /** Whether CSV gets a line with the names of the columns, as by default. */
  readonly header?: boolean | undefined
  /** How Parquet is compressed; `snappy` by default. */
  readonly compression?: 'none' | 'snappy' | 'zstd' | undefined
}

/** How values of other formats become columns, where there is a choice. */
export interface Rules {
  /** What becomes of missing values, which tables do not have: an error, NaN and NaT, zeros, or what a type has for nothing. */
  readonly nulls?: 'refuse' | 'nan' | 'zero' | 'empty' | undefined
  /** The width of text: characters, bytes with `utf8`. By default that of the longest one. */
  readonly width?: number | undefined
  /** Whether text is stored as bytes of UTF-8 and not as NumPy's text. */
  readonly utf8?: boolean | undefined
  /** Whether decimals become the nearest floats; they are an error otherwise. */
  readonly decimalsAsFloats?: boolean | undefined
}

export interface TransformOptions<T> extends LoaderOptions {
  /** Makes something else of each batch, several at a time; order of steps is kept. */
  readonly transform?: ((batch: Batch) => T | PromiseLike<T>) | undefined
  /** Transforms at a time; 4 by default. */
  readonly workers?: number | undefined
}

/** A verification of a folder has one for each of its stores and tables. */
export interface FolderVerification extends Verification {
  readonly streams?: { readonly [name: string]: Verification }
}

/** A record that was left out by a loader. */
export type Loss = Fault & { readonly stream: string; readonly step: bigint }
