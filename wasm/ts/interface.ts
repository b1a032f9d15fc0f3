/// <reference lib="esnext.disposable" preserve="true" />
/// <reference lib="esnext.float16" preserve="true" />

/**
 * What Recask looks like from JavaScript, the same in a browser and in Node.js. The two packages differ in what a
 * {@link Place} is: in Node.js a path, in a browser a source made by `fromUrl`, `fromFiles`, `fromOpfs` or `fromMemory`.
 *
 * Numbers are JavaScript numbers; seeds, steps and samplers over more than 2^53 records also take and give `bigint`.
 * Results own their memory. Whatever fails rejects with a {@link RecaskError}, or with the reason of an aborted signal.
 */

/** How records are stored. */
export type CodecName = 'raw' | 'zstd' | 'zstd_dict'

/** An array of numbers of any kind. */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float16Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

/** An integer that may exceed 2^53. */
export type Integer = number | bigint

/** Python's `start:stop:step`; negative bounds count from the end, absent ones reach to it. */
export interface Slice {
  readonly start?: number | undefined
  readonly stop?: number | undefined
  readonly step?: number | undefined
}

/**
 * Which records or rows: one, a list (negative numbers count from the end), a slice, or a mask with one flag for each.
 */
export type Index =
  | number
  | readonly number[]
  | readonly boolean[]
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | Slice

/** How far a long operation is, in records, rows or bytes; `total` is 0 where it is not known. */
export interface Progress {
  readonly done: number
  readonly total: number
}

export interface Options {
  /** Stops the work; the promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface LongOptions extends Options {
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Records of one type and shape, one after the other. */
export interface DenseBatch {
  readonly kind: 'dense'
  /** All values; for types without an array of their own (structures, bytes, texts) the bytes as stored. */
  readonly data: TypedArray
  /** Records first. */
  readonly shape: readonly number[]
  /** NumPy's name of the element type: `|u1`, `<f4`, `<M8[ns]`. Values are little-endian whatever the store has. */
  readonly dtype: string
}

/** One record of a ragged store. */
export interface RaggedRecord {
  readonly data: TypedArray
  readonly shape: readonly number[]
}

/** Records with a shape each, packed. */
export interface RaggedBatch {
  readonly kind: 'ragged'
  /** The values of all records, one after the other. */
  readonly data: TypedArray
  /** Where each record starts in `data`, in elements, and where the last ends: one more than there are records. */
  readonly offsets: Float64Array
  /** The shape of each record. */
  readonly shapes: readonly (readonly number[])[]
  readonly dtype: string
  readonly length: number
  /** A record as a view into `data`. */
  record(position: number): RaggedRecord
}

/** How much of a store is in use, in bytes. */
export interface Stats {
  readonly records: number
  readonly liveBytes: number
  readonly chunkBytes: number
  readonly reclaimable: number
}

/** One fault of the data. */
export interface Fault {
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly record?: number
  readonly offset?: number
}

/** What a check of a whole store or table found. */
export interface Verification {
  readonly ok: boolean
  readonly records: number
  /** Of a table. */
  readonly rows?: number
  /** All faults; `faults` lists at most 100,000. */
  readonly found: number
  readonly faults: readonly Fault[]
}

interface Closing {
  /** Gives back files and memory; a writer makes durable what it wrote first. Twice is once. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Store extends Closing {
  readonly length: number
  readonly dtype: string
  readonly codec: CodecName
  /** Whether it was opened for writing. */
  readonly isWritable: boolean
  stats(options?: Options): Promise<Stats>
  /** Checks every table entry, decodes every record, and looks for records that share bytes. */
  verify(options?: LongOptions): Promise<Verification>
  /** Of a reader: sees what was appended since. */
  refresh(options?: Options): Promise<void>
  /** Removes records; the last ones take their places. */
  delete(records: Index): Promise<void>
  /** Gives the space of deleted records back. */
  compact(options?: LongOptions): Promise<void>
  /** Makes all changes durable. */
  sync(): Promise<void>
}

/** Records of one type and shape: images, labels, embeddings. */
export interface DenseStore extends Store {
  readonly kind: 'dense'
  /** The shape of one record; empty for scalars. */
  readonly itemShape: readonly number[]
  /** Reads records into one batch. */
  gather(records: Index, options?: Options): Promise<DenseBatch>
  /** The same into an array that has the right type and size, without an allocation of that size. */
  gatherInto(records: Index, target: TypedArray, options?: Options): Promise<void>
  /** Appends records whose values lie one after the other; resolves to the index of the first. */
  append(values: TypedArray): Promise<number>
}

/** Records with a shape each: texts, token sequences, encoded images. */
export interface RaggedStore extends Store {
  readonly kind: 'ragged'
  gather(records: Index, options?: Options): Promise<RaggedBatch>
  /** Appends records; plain arrays are of one dimension. */
  append(records: readonly (TypedArray | RaggedRecord)[]): Promise<number>
}

/** How a new store keeps its records. */
export interface CreateOptions {
  /** NumPy's name of the element type, or a word: `uint8`, `float32`. */
  readonly dtype: string
  readonly codec?: CodecName | undefined
  /** The compression level; the codec's own by default. */
  readonly level?: number | undefined
  /** For `zstd_dict`. */
  readonly dictionary?: Uint8Array | undefined
}

export interface CreateDenseOptions extends CreateOptions {
  /** The shape of one record; scalars by default. */
  readonly itemShape?: readonly number[] | undefined
}

export interface OpenOptions extends Options {
  /** Whether records may be appended and deleted. */
  readonly write?: boolean | undefined
  /** Refuses a store with another codec. */
  readonly codec?: CodecName | undefined
  /** The compression level of later appends. */
  readonly level?: number | undefined
}

/** One column of a table. */
export interface Column {
  readonly name: string
  /** NumPy's name of the type of one value. */
  readonly dtype: string
}

/** The values of one column. */
export interface ColumnData extends Column {
  readonly data: TypedArray
}

/** A table batch of a loader. */
export interface TableBatch {
  readonly kind: 'table'
  readonly columns: readonly ColumnData[]
  readonly length: number
  /** Throws where there is no column of this name. */
  column(name: string): ColumnData
}

/** A value of a filter's parameter. */
export type Parameter = number | bigint | string | boolean

/** What a column holds. `null` where the type has no such figure, or there is no value. */
export interface Summary {
  readonly name: string
  readonly dtype: string
  readonly count: number
  /** NaN or NaT among them. */
  readonly missing: number
  readonly minimum: number | bigint | string | null
  readonly maximum: number | bigint | string | null
  readonly sum: number | bigint | null
  readonly mean: number | null
  readonly deviation: number | null
}

/** Some columns and rows of a table; nothing is read before a method that returns a promise. */
export interface Selection {
  readonly columnNames: readonly string[]
  /** Only these columns, in this order. */
  select(names: readonly string[]): Selection
  /** Only these of the selected rows. */
  rows(rows: Index): Selection
  head(count: number): Selection
  tail(count: number): Selection
  /** Only rows that pass a filter, the WHERE clause of SQL, with values for `?`, `$1` or `:name`. */
  filter(expression: string, parameters?: readonly Parameter[] | Readonly<Record<string, Parameter>>): Selection
  /** How many rows are selected. */
  count(options?: LongOptions): Promise<number>
  /** The selected rows as rows of the table. */
  rowNumbers(options?: LongOptions): Promise<Float64Array>
  columns(options?: LongOptions): Promise<ColumnData[]>
  column(name: string, options?: LongOptions): Promise<ColumnData>
  /** Figures of every selected column; with `skipMissing` NaN and NaT are left out. */
  summaries(options?: LongOptions & { readonly skipMissing?: boolean }): Promise<Summary[]>
  /** How many different values a column has; exact up to some thousands. */
  distinct(name: string, options?: LongOptions): Promise<{ readonly count: number; readonly isExact: boolean }>
}

/** A column table: one `.cstore` file, or several as one. */
export interface Table extends Selection, Closing {
  readonly kind: 'table'
  /** Rows. */
  readonly length: number
  readonly schema: readonly Column[]
  /** Pieces in which the rows were written. */
  readonly fileRecords: number
  verify(options?: LongOptions): Promise<Verification>
}

export interface TableOptions {
  /** Which release of colstore can read it; `0.3` by default. */
  readonly layout?: '0.3' | '0.5' | undefined
  /** Whether a footer keeps the extremes of every column, so that filters can skip records; only with `0.5`. */
  readonly statistics?: boolean | undefined
}

/** A column to be written: the type follows from the array unless it is given. */
export type ColumnInput = TypedArray | { readonly data: TypedArray; readonly dtype: string }

/** Writes a table, record by record. */
export interface TableWriter extends Closing {
  /** Rows that were written, committed or not. */
  readonly rows: number
  /** Writes rows as one record; columns have equally many values. */
  write(columns: Readonly<Record<string, ColumnInput>>): Promise<void>
  /** Makes what was written visible and durable. */
  commit(): Promise<void>
  /** Closes without a commit of what was written since the last one. */
  abort(): Promise<void>
}

export type Mode = 'sequential' | 'iid' | 'cyclic' | 'iid_seek'

export interface SamplerOptions {
  readonly mode: Mode
  /** Records. */
  readonly length: Integer
  /** Records of one global batch. */
  readonly batch: number
  readonly seed?: Integer | undefined
  /** This process takes its slice of every batch. */
  readonly rank?: number | undefined
  readonly world?: number | undefined
}

/** A place in the order of a sampler. */
export interface Occurrence {
  readonly step: bigint
  /** In the global batch. */
  readonly position: number
}

/** Batches as a pure function of seed and step, the same in every language. */
export interface Sampler {
  readonly mode: Mode
  readonly length: bigint
  readonly batch: number
  readonly seed: bigint
  readonly rank: number
  readonly world: number
  /** The records of a step, for this rank. */
  at(step: Integer): BigUint64Array
  /** Where a record appears, from `from` on. Only sequential and cyclic orders know. */
  stepsOf(record: Integer, options?: { readonly from?: Integer; readonly count?: number }): Occurrence[]
  /** First step of an epoch, and first step behind it. Only sequential and cyclic orders have epochs. */
  epoch(number: Integer): { readonly start: bigint; readonly end: bigint }
  /** The same order for another rank. */
  shard(rank: number, world: number): Sampler
  /** Steps of a pass over all records, where the order has passes. */
  readonly stepsPerCycle: bigint | null
}

export interface LoaderOptions extends Options {
  readonly batch: number
  /** `cyclic` by default. */
  readonly mode?: Mode | undefined
  readonly seed?: Integer | undefined
  readonly rank?: number | undefined
  readonly world?: number | undefined
  /** Batches that are made ahead; 2 by default. */
  readonly prefetch?: number | undefined
  /** The first step; 0 by default. */
  readonly step?: Integer | undefined
  /** Goes on where `state()` was taken. The order comes from the state. */
  readonly state?: string | undefined
  /** The step behind the last; endless by default. */
  readonly end?: Integer | undefined
  /** What happens to records that cannot be read; by default the loader ends with the error. */
  readonly onLoss?: 'fail' | 'skip_records' | 'skip_steps' | undefined
  /** Told of every record that was left out. */
  readonly onLost?: ((loss: Fault & { readonly stream: string; readonly step: bigint }) => void) | undefined
}

/** What a step delivers: its number, the records, and a batch for each stream under its name. */
export interface Batch {
  readonly step: bigint
  readonly indices: BigUint64Array
  readonly streams: Readonly<Record<string, DenseBatch | RaggedBatch | TableBatch>>
}

/** Endless aligned batches in the order of a sampler. One iteration at a time. */
export interface Loader extends AsyncIterable<Batch>, Closing {
  /** The next batch; `undefined` behind the end. */
  next(options?: Options): Promise<Batch | undefined>
  /** Where the run stands, as a line of JSON that every door of Recask resumes from. */
  state(): Promise<string>
  /** Goes on at another step. */
  seek(step: Integer): Promise<void>
  readonly sampler: Sampler
}

/** What is at a place. */
export type Dataset =
  | { readonly kind: 'store'; readonly store: DenseStore | RaggedStore }
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'folder'; readonly streams: Readonly<Record<string, DenseStore | RaggedStore | Table>> }

/** What went wrong. The code is stable and the same in every language. */
export interface RecaskErrorFields {
  readonly code: string
  readonly place?: string
  readonly file?: string
  readonly record?: number
  readonly offset?: number
  readonly stream?: string
  readonly step?: bigint
  /** The character of a filter at fault, counted from 1. */
  readonly character?: number
}

/** The classes of a package, over its kind of place. */
export interface Package<Place> {
  readonly DenseStore: {
    open(place: Place, options?: OpenOptions): Promise<DenseStore>
    create(place: Place, options: CreateDenseOptions): Promise<DenseStore>
  }
  readonly RaggedStore: {
    open(place: Place, options?: OpenOptions): Promise<RaggedStore>
    create(place: Place, options: CreateOptions): Promise<RaggedStore>
  }
  readonly Table: {
    /** Opens one table, or several as one. */
    open(place: Place | readonly Place[], options?: Options): Promise<Table>
    /** Starts a new table; the first write fixes the columns. */
    create(place: Place, options?: TableOptions): Promise<TableWriter>
    /** Continues a table behind its last row. */
    append(place: Place): Promise<TableWriter>
    /** Writes all rows of a table as one record in its place. */
    compact(place: Place, options?: LongOptions): Promise<void>
  }
  readonly Sampler: new (options: SamplerOptions) => Sampler
  /** Starts over streams of equally many records or rows; what is wrong with them shows at the first batch. */
  readonly Loader: new (
    streams: Readonly<Record<string, DenseStore | RaggedStore | Table | Selection>>,
    options: LoaderOptions,
  ) => Loader
  /** Finds what is at a place: a store, a table, or a folder of them. */
  openAny(place: Place, options?: Options): Promise<Dataset>
  /** Trains a dictionary for `zstd_dict`: of at most 32 KiB, 128 KiB (the default) or 1 MiB. */
  trainDict(
    samples: readonly Uint8Array[],
    options?: { readonly tier?: 'fast' | 'balanced' | 'max' },
  ): Promise<Uint8Array>
}
