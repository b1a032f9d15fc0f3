/// <reference lib="esnext.disposable" preserve="true" />
/// <reference lib="esnext.float16" preserve="true" />
import { Writable } from "node:stream";
/**
 * What Recask looks like from JavaScript, the same in a browser and in Node.js. The two packages differ in what a
 * {@link Place} is: in Node.js a path, in a browser a source made by `fromUrl`, `fromFiles`, `fromOpfs` or `fromMemory`.
 *
 * Numbers are JavaScript numbers; seeds, steps and samplers over more than 2^53 records also take and give `bigint`.
 * Results own their memory. Whatever fails rejects with a {@link RecaskError}, or with the reason of an aborted signal.
 */
/** How records are stored. */
type CodecName = 'raw' | 'zstd' | 'zstd_dict';
/** An array of numbers of any kind. */
type TypedArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | Float16Array | Float32Array | Float64Array | BigInt64Array | BigUint64Array;
/** An integer that may exceed 2^53. */
type Integer = number | bigint;
/** Python's `start:stop:step`; negative bounds count from the end, absent ones reach to it. */
interface Slice {
  readonly start?: number | undefined;
  readonly stop?: number | undefined;
  readonly step?: number | undefined;
}
/**
 * Which records or rows: one, a list (negative numbers count from the end), a slice, or a mask with one flag for each.
 */
type Index = number | readonly number[] | readonly boolean[] | Int32Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array | Slice;
/** How far a long operation is, in records, rows or bytes; `total` is 0 where it is not known. */
interface Progress {
  readonly done: number;
  readonly total: number;
}
interface Options {
  /** Stops the work; the promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}
interface LongOptions extends Options {
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}
/** Records of one type and shape, one after the other. */
interface DenseBatch {
  readonly kind: 'dense';
  /** All values; for types without an array of their own (structures, bytes, texts) the bytes as stored. */
  readonly data: TypedArray;
  /** Records first. */
  readonly shape: readonly number[];
  /** NumPy's name of the element type: `|u1`, `<f4`, `<M8[ns]`. Values are little-endian whatever the store has. */
  readonly dtype: string;
}
/** One record of a ragged store. */
interface RaggedRecord {
  readonly data: TypedArray;
  readonly shape: readonly number[];
}
/** Records with a shape each, packed. */
interface RaggedBatch {
  readonly kind: 'ragged';
  /** The values of all records, one after the other. */
  readonly data: TypedArray;
  /** Where each record starts in `data`, in elements, and where the last ends: one more than there are records. */
  readonly offsets: Float64Array;
  /** The shape of each record. */
  readonly shapes: readonly (readonly number[])[];
  readonly dtype: string;
  readonly length: number;
  /** A record as a view into `data`. */
  record(position: number): RaggedRecord;
}
/** How much of a store is in use, in bytes. */
interface Stats {
  readonly records: number;
  readonly liveBytes: number;
  readonly chunkBytes: number;
  readonly reclaimable: number;
}
/** One fault of the data. */
interface Fault {
  readonly code: string;
  readonly message: string;
  readonly file?: string;
  readonly record?: number;
  readonly offset?: number;
}
/** What a check of a whole store or table found. */
interface Verification {
  readonly ok: boolean;
  readonly records: number;
  /** Of a table. */
  readonly rows?: number;
  /** All faults; `faults` lists at most 100,000. */
  readonly found: number;
  readonly faults: readonly Fault[];
}
interface Closing {
  /** Gives back files and memory; a writer makes durable what it wrote first. Twice is once. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface Store$1 extends Closing {
  readonly length: number;
  readonly dtype: string;
  readonly codec: CodecName;
  /** Whether it was opened for writing. */
  readonly isWritable: boolean;
  stats(options?: Options): Promise<Stats>;
  /** Checks every table entry, decodes every record, and looks for records that share bytes. */
  verify(options?: LongOptions): Promise<Verification>;
  /** Of a reader: sees what was appended since. */
  refresh(options?: Options): Promise<void>;
  /** Removes records; the last ones take their places. */
  delete(records: Index): Promise<void>;
  /** Gives the space of deleted records back. */
  compact(options?: LongOptions): Promise<void>;
  /** Makes all changes durable. */
  sync(): Promise<void>;
}
/** Records of one type and shape: images, labels, embeddings. */
interface DenseStore$1 extends Store$1 {
  readonly kind: 'dense';
  /** The shape of one record; empty for scalars. */
  readonly itemShape: readonly number[];
  /** Reads records into one batch. */
  gather(records: Index, options?: Options): Promise<DenseBatch>;
  /** The same into an array that has the right type and size, without an allocation of that size. */
  gatherInto(records: Index, target: TypedArray, options?: Options): Promise<void>;
  /** Appends records whose values lie one after the other; resolves to the index of the first. */
  append(values: TypedArray): Promise<number>;
}
/** Records with a shape each: texts, token sequences, encoded images. */
interface RaggedStore$1 extends Store$1 {
  readonly kind: 'ragged';
  gather(records: Index, options?: Options): Promise<RaggedBatch>;
  /** Appends records; plain arrays are of one dimension. */
  append(records: readonly (TypedArray | RaggedRecord)[]): Promise<number>;
}
/** How a new store keeps its records. */
interface CreateOptions {
  /** NumPy's name of the element type, or a word: `uint8`, `float32`. */
  readonly dtype: string;
  readonly codec?: CodecName | undefined;
  /** The compression level; the codec's own by default. */
  readonly level?: number | undefined;
  /** For `zstd_dict`. */
  readonly dictionary?: Uint8Array | undefined;
}
interface CreateDenseOptions extends CreateOptions {
  /** The shape of one record; scalars by default. */
  readonly itemShape?: readonly number[] | undefined;
}
interface OpenOptions extends Options {
  /** Whether records may be appended and deleted. */
  readonly write?: boolean | undefined;
  /** Refuses a store with another codec. */
  readonly codec?: CodecName | undefined;
  /** The compression level of later appends. */
  readonly level?: number | undefined;
}
/** One column of a table. */
interface Column {
  readonly name: string;
  /** NumPy's name of the type of one value. */
  readonly dtype: string;
}
/** The values of one column. */
interface ColumnData extends Column {
  readonly data: TypedArray;
}
/** A table batch of a loader. */
interface TableBatch {
  readonly kind: 'table';
  readonly columns: readonly ColumnData[];
  readonly length: number;
  /** Throws where there is no column of this name. */
  column(name: string): ColumnData;
}
/** A value of a filter's parameter. */
type Parameter = number | bigint | string | boolean;
/** What a column holds. `null` where the type has no such figure, or there is no value. */
interface Summary {
  readonly name: string;
  readonly dtype: string;
  readonly count: number;
  /** NaN or NaT among them. */
  readonly missing: number;
  readonly minimum: number | bigint | string | null;
  readonly maximum: number | bigint | string | null;
  readonly sum: number | bigint | null;
  readonly mean: number | null;
  readonly deviation: number | null;
}
/** Some columns and rows of a table; nothing is read before a method that returns a promise. */
interface Selection$1 {
  readonly columnNames: readonly string[];
  /** Only these columns, in this order. */
  select(names: readonly string[]): Selection$1;
  /** Only these of the selected rows. */
  rows(rows: Index): Selection$1;
  head(count: number): Selection$1;
  tail(count: number): Selection$1;
  /** Only rows that pass a filter, the WHERE clause of SQL, with values for `?`, `$1` or `:name`. */
  filter(expression: string, parameters?: readonly Parameter[] | Readonly<Record<string, Parameter>>): Selection$1;
  /** How many rows are selected. */
  count(options?: LongOptions): Promise<number>;
  /** The selected rows as rows of the table. */
  rowNumbers(options?: LongOptions): Promise<Float64Array>;
  columns(options?: LongOptions): Promise<ColumnData[]>;
  column(name: string, options?: LongOptions): Promise<ColumnData>;
  /** Figures of every selected column; with `skipMissing` NaN and NaT are left out. */
  summaries(options?: LongOptions & {
    readonly skipMissing?: boolean;
  }): Promise<Summary[]>;
  /** How many different values a column has; exact up to some thousands. */
  distinct(name: string, options?: LongOptions): Promise<{
    readonly count: number;
    readonly isExact: boolean;
  }>;
}
/** A column table: one `.cstore` file, or several as one. */
interface Table$1 extends Selection$1, Closing {
  readonly kind: 'table';
  /** Rows. */
  readonly length: number;
  readonly schema: readonly Column[];
  /** Pieces in which the rows were written. */
  readonly fileRecords: number;
  verify(options?: LongOptions): Promise<Verification>;
}
interface TableOptions {
  /** Which release of colstore can read it; `0.3` by default. */
  readonly layout?: '0.3' | '0.5' | undefined;
  /** Whether a footer keeps the extremes of every column, so that filters can skip records; only with `0.5`. */
  readonly statistics?: boolean | undefined;
}
/** A column to be written: the type follows from the array unless it is given. */
type ColumnInput = TypedArray | {
  readonly data: TypedArray;
  readonly dtype: string;
};
/** Writes a table, record by record. */
interface TableWriter$1 extends Closing {
  /** Rows that were written, committed or not. */
  readonly rows: number;
  /** Writes rows as one record; columns have equally many values. */
  write(columns: Readonly<Record<string, ColumnInput>>): Promise<void>;
  /** Makes what was written visible and durable. */
  commit(): Promise<void>;
  /** Closes without a commit of what was written since the last one. */
  abort(): Promise<void>;
}
type Mode = 'sequential' | 'iid' | 'cyclic' | 'iid_seek';
interface SamplerOptions {
  readonly mode: Mode;
  /** Records. */
  readonly length: Integer;
  /** Records of one global batch. */
  readonly batch: number;
  readonly seed?: Integer | undefined;
  /** This process takes its slice of every batch. */
  readonly rank?: number | undefined;
  readonly world?: number | undefined;
}
/** A place in the order of a sampler. */
interface Occurrence {
  readonly step: bigint;
  /** In the global batch. */
  readonly position: number;
}
/** Batches as a pure function of seed and step, the same in every language. */
interface Sampler$1 {
  readonly mode: Mode;
  readonly length: bigint;
  readonly batch: number;
  readonly seed: bigint;
  readonly rank: number;
  readonly world: number;
  /** The records of a step, for this rank. */
  at(step: Integer): BigUint64Array;
  /** Where a record appears, from `from` on. Only sequential and cyclic orders know. */
  stepsOf(record: Integer, options?: {
    readonly from?: Integer;
    readonly count?: number;
  }): Occurrence[];
  /** First step of an epoch, and first step behind it. Only sequential and cyclic orders have epochs. */
  epoch(number: Integer): {
    readonly start: bigint;
    readonly end: bigint;
  };
  /** The same order for another rank. */
  shard(rank: number, world: number): Sampler$1;
  /** Steps of a pass over all records, where the order has passes. */
  readonly stepsPerCycle: bigint | null;
}
interface LoaderOptions extends Options {
  readonly batch: number;
  /** `cyclic` by default. */
  readonly mode?: Mode | undefined;
  readonly seed?: Integer | undefined;
  readonly rank?: number | undefined;
  readonly world?: number | undefined;
  /** Batches that are made ahead; 2 by default. */
  readonly prefetch?: number | undefined;
  /** The first step; 0 by default. */
  readonly step?: Integer | undefined;
  /** Goes on where `state()` was taken. The order comes from the state. */
  readonly state?: string | undefined;
  /** The step behind the last; endless by default. */
  readonly end?: Integer | undefined;
  /** What happens to records that cannot be read; by default the loader ends with the error. */
  readonly onLoss?: 'fail' | 'skip_records' | 'skip_steps' | undefined;
  /** Told of every record that was left out. */
  readonly onLost?: ((loss: Fault & {
    readonly stream: string;
    readonly step: bigint;
  }) => void) | undefined;
}
/** What a step delivers: its number, the records, and a batch for each stream under its name. */
interface Batch {
  readonly step: bigint;
  readonly indices: BigUint64Array;
  readonly streams: Readonly<Record<string, DenseBatch | RaggedBatch | TableBatch>>;
}
/** Endless aligned batches in the order of a sampler. One iteration at a time. */
interface Loader$1 extends AsyncIterable<Batch>, Closing {
  /** The next batch; `undefined` behind the end. */
  next(options?: Options): Promise<Batch | undefined>;
  /** Where the run stands, as a line of JSON that every door of Recask resumes from. */
  state(): Promise<string>;
  /** Goes on at another step. */
  seek(step: Integer): Promise<void>;
  readonly sampler: Sampler$1;
}
/** What is at a place. */
type Dataset$1 = {
  readonly kind: 'store';
  readonly store: DenseStore$1 | RaggedStore$1;
} | {
  readonly kind: 'table';
  readonly table: Table$1;
} | {
  readonly kind: 'folder';
  readonly streams: Readonly<Record<string, DenseStore$1 | RaggedStore$1 | Table$1>>;
};
/** What went wrong. The code is stable and the same in every language. */
interface RecaskErrorFields {
  readonly code: string;
  readonly place?: string;
  readonly file?: string;
  readonly record?: number;
  readonly offset?: number;
  readonly stream?: string;
  readonly step?: bigint;
  /** The character of a filter at fault, counted from 1. */
  readonly character?: number;
}
/** The classes of a package, over its kind of place. */
interface Package<Place> {
  readonly DenseStore: {
    open(place: Place, options?: OpenOptions): Promise<DenseStore$1>;
    create(place: Place, options: CreateDenseOptions): Promise<DenseStore$1>;
  };
  readonly RaggedStore: {
    open(place: Place, options?: OpenOptions): Promise<RaggedStore$1>;
    create(place: Place, options: CreateOptions): Promise<RaggedStore$1>;
  };
  readonly Table: {
    /** Opens one table, or several as one. */
    open(place: Place | readonly Place[], options?: Options): Promise<Table$1>;
    /** Starts a new table; the first write fixes the columns. */
    create(place: Place, options?: TableOptions): Promise<TableWriter$1>;
    /** Continues a table behind its last row. */
    append(place: Place): Promise<TableWriter$1>;
    /** Writes all rows of a table as one record in its place. */
    compact(place: Place, options?: LongOptions): Promise<void>;
  };
  readonly Sampler: new (options: SamplerOptions) => Sampler$1;
  /** Starts over streams of equally many records or rows; what is wrong with them shows at the first batch. */
  readonly Loader: new (streams: Readonly<Record<string, DenseStore$1 | RaggedStore$1 | Table$1 | Selection$1>>, options: LoaderOptions) => Loader$1;
  /** Finds what is at a place: a store, a table, or a folder of them. */
  openAny(place: Place, options?: Options): Promise<Dataset$1>;
  /** Trains a dictionary for `zstd_dict`: of at most 32 KiB, 128 KiB (the default) or 1 MiB. */
  trainDict(samples: readonly Uint8Array[], options?: {
    readonly tier?: 'fast' | 'balanced' | 'max';
  }): Promise<Uint8Array>;
}
/** One record: its values, and its shape. */
type StoreRecord = RaggedRecord;
/** Memory of results that may be given back at once, by {@link release} or at the end of `using`. */
interface Releasable {
  [Symbol.dispose](): void;
}
/** How records are read one after the other. */
interface RecordsOptions extends Options {
  /** Which records; all by default. */
  readonly index?: Index | undefined;
  /** Records that are read at once; by default as many as have about a megabyte. */
  readonly batch?: number | undefined;
  /** Batches that are read ahead; 2 by default. */
  readonly prefetch?: number | undefined;
}
interface WritableOptions {
  /** Records that wait before `write` says so; 256 by default. */
  readonly highWaterMark?: number | undefined;
  /** The most records that become one append; as many as wait by default. */
  readonly batch?: number | undefined;
}
/** What both kinds of stores have in Node.js only. */
interface NodeStore<Record> extends AsyncIterable<StoreRecord> {
  statsSync(): Stats;
  verifySync(): Verification;
  refreshSync(): void;
  deleteSync(records: Index): void;
  compactSync(): void;
  syncSync(): void;
  closeSync(): void;
  [Symbol.dispose](): void;
  /** Record after record, read ahead. */
  records(options?: RecordsOptions): AsyncIterableIterator<StoreRecord>;
  /** A stream that appends what is written to it. */
  writable(options?: WritableOptions): Writable & {
    write(record: Record): boolean;
  };
}
interface NodeDense extends NodeStore<TypedArray> {
  gatherSync(records: Index): DenseBatch & Releasable;
  gatherIntoSync(records: Index, target: TypedArray): void;
  appendSync(values: TypedArray): number;
}
interface NodeRagged extends NodeStore<TypedArray | RaggedRecord> {
  gatherSync(records: Index): RaggedBatch & Releasable;
  appendSync(records: readonly (TypedArray | RaggedRecord)[]): number;
}
/** The columns of a selection by their names. */
type ColumnsByName = {
  readonly [name: string]: TypedArray;
};
/** A value of a row: texts are strings, dates and 64-bit integers `bigint`. */
type Cell = number | bigint | boolean | string | Uint8Array | readonly [re: number, im: number];
type Row = {
  readonly [name: string]: Cell;
};
interface ArrowOptions extends LongOptions {
  /** A file, the default, or a stream of Arrow IPC. */
  readonly format?: 'file' | 'stream' | undefined;
}
interface NodeSelection {
  countSync(): number;
  rowNumbersSync(): Float64Array;
  columnsSync(): ColumnData[];
  columnSync(name: string): ColumnData;
  summariesSync(options?: {
    readonly skipMissing?: boolean;
  }): Summary[];
  distinctSync(name: string): {
    readonly count: number;
    readonly isExact: boolean;
  };
  /** An object with an array for each column. */
  object(options?: LongOptions): Promise<ColumnsByName>;
  objectSync(): ColumnsByName;
  /** As Arrow IPC, which `apache-arrow` and others read. */
  arrow(options?: ArrowOptions): Promise<Uint8Array>;
  arrowSync(options?: Pick<ArrowOptions, 'format'>): Uint8Array;
  /** An object for each row. */
  toRows(options?: LongOptions): Promise<Row[]>;
  toRowsSync(): Row[];
  /** Writes a file in the format of its ending: `.parquet`, `.csv`, `.arrow`, `.npz`, `.jsonl`. Resolves to the number of rows. */
  export(path: string | URL, options?: ExportOptions & LongOptions): Promise<number>;
  exportSync(path: string | URL, options?: ExportOptions): number;
}
/** How rows become a file. */
interface ExportOptions {
  /** By default the ending says it. */
  readonly format?: 'parquet' | 'arrow' | 'arrows' | 'csv' | 'jsonl' | 'npz' | undefined;
  /** Whether a file that is there is replaced; it is refused by default. */
  readonly replace?: boolean | undefined;
  /** What stands between fields of CSV. */
  readonly delimiter?: string | undefined;
  /** Whether CSV gets a line with the names of the columns, as by default. */
  readonly header?: boolean | undefined;
  /** How Parquet is compressed; `snappy` by default. */
  readonly compression?: 'none' | 'snappy' | 'zstd' | undefined;
}
/** How values of other formats become columns, where there is a choice. */
interface Rules {
  /** What becomes of missing values, which tables do not have: an error, NaN and NaT, zeros, or what a type has for nothing. */
  readonly nulls?: 'refuse' | 'nan' | 'zero' | 'empty' | undefined;
  /** The width of text: characters, bytes with `utf8`. By default that of the longest one. */
  readonly width?: number | undefined;
  /** Whether text is stored as bytes of UTF-8 and not as NumPy's text. */
  readonly utf8?: boolean | undefined;
  /** Whether decimals become the nearest floats; they are an error otherwise. */
  readonly decimalsAsFloats?: boolean | undefined;
}
interface TransformOptions<T> extends LoaderOptions {
  /** Makes something else of each batch, several at a time; order of steps is kept. */
  readonly transform?: ((batch: Batch) => T | PromiseLike<T>) | undefined;
  /** Transforms at a time; 4 by default. */
  readonly workers?: number | undefined;
}
/** A verification of a folder has one for each of its stores and tables. */
interface FolderVerification extends Verification {
  readonly streams?: {
    readonly [name: string]: Verification;
  };
}
/** A record that was left out by a loader. */
type Loss = Fault & {
  readonly stream: string;
  readonly step: bigint;
};
/** Where a store or table is: a path, or a URL with `file:`. */
type Place = string | URL;
/** What both kinds of stores have. */
declare abstract class Store {
  #private;
  [Symbol.dispose]: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
  readonly dtype: string;
  readonly codec: CodecName;
  /** Whether it was opened for writing. */
  readonly isWritable: boolean;
  /** Records. */
  get length(): number;
  stats(options?: Options): Promise<Stats>;
  statsSync(): Stats;
  /** Checks every table entry, decodes every record, and looks for records that share bytes. */
  verify(options?: LongOptions): Promise<Verification>;
  verifySync(): Verification;
  /** Of a reader: sees what was appended since. */
  refresh(options?: Options): Promise<void>;
  refreshSync(): void;
  /** Removes records; the last ones take their places. */
  delete(records: Index): Promise<void>;
  deleteSync(records: Index): void;
  /** Gives the space of deleted records back. */
  compact(options?: LongOptions): Promise<void>;
  compactSync(): void;
  /** Makes all changes durable. */
  sync(): Promise<void>;
  syncSync(): void;
  /** Gives back files and memory, after the calls that are under way; a writer makes durable what it wrote first. Twice is once. */
  close(): Promise<void>;
  closeSync(): void;
}
/** Records of one type and shape: images, labels, embeddings. */
export declare class DenseStore extends Store implements DenseStore$1, NodeDense {
  #private;
  /** Opens a store where one is. */
  static open(place: Place, options?: OpenOptions): Promise<DenseStore>;
  static openSync(place: Place, options?: Omit<OpenOptions, 'signal'>): DenseStore;
  /** Makes a new store, open for writing. */
  static create(place: Place, options: CreateDenseOptions): Promise<DenseStore>;
  static createSync(place: Place, options: CreateDenseOptions): DenseStore;
  readonly kind = "dense";
  /** The shape of one record; empty for scalars. */
  readonly itemShape: readonly number[];
  private constructor();
  /** Reads records into one batch. */
  gather(records: Index, options?: Options): Promise<DenseBatch & Releasable>;
  gatherSync(records: Index): DenseBatch & Releasable;
  /** The same into an array that has the right type and size. What it holds after an error is not said. */
  gatherInto(records: Index, target: TypedArray, options?: Options): Promise<void>;
  gatherIntoSync(records: Index, target: TypedArray): void;
  /** Appends records whose values lie one after the other; resolves to the index of the first. */
  append(values: TypedArray): Promise<number>;
  appendSync(values: TypedArray): number;
  /** Record after record, read ahead. The values of a record are a view into those of its batch. */
  records(options?: RecordsOptions): AsyncGenerator<StoreRecord, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<StoreRecord, void, undefined>;
  /**
   * A stream in object mode that appends the records of every array that is written to it: it says when too much waits, makes
   * everything durable at its end, and leaves a store without gaps wherever it is destroyed. The store stays open. Arrays must
   * not change until they are written.
   */
  writable(options?: WritableOptions): Writable;
}
/** Records with a shape each, packed. */
declare class RaggedBatch$1 implements RaggedBatch {
  readonly kind = "ragged";
  readonly data: TypedArray;
  readonly offsets: Float64Array;
  readonly shapes: readonly (readonly number[])[];
  readonly dtype: string;
  get length(): number;
  /** A record as a view into `data`. */
  record(position: number): RaggedRecord;
}
/** Records with a shape each: texts, token sequences, encoded images. */
export declare class RaggedStore extends Store implements RaggedStore$1, NodeRagged {
  /** Opens a store where one is. */
  static open(place: Place, options?: OpenOptions): Promise<RaggedStore>;
  static openSync(place: Place, options?: Omit<OpenOptions, 'signal'>): RaggedStore;
  /** Makes a new store, open for writing. */
  static create(place: Place, options: CreateOptions): Promise<RaggedStore>;
  static createSync(place: Place, options: CreateOptions): RaggedStore;
  readonly kind = "ragged";
  private constructor();
  /** Reads records, packed. */
  gather(records: Index, options?: Options): Promise<RaggedBatch$1 & Releasable>;
  gatherSync(records: Index): RaggedBatch$1 & Releasable;
  /** Appends records; plain arrays are of one dimension. Resolves to the index of the first. */
  append(records: readonly (TypedArray | RaggedRecord)[]): Promise<number>;
  appendSync(records: readonly (TypedArray | RaggedRecord)[]): number;
  /** Record after record, read ahead. The values of a record are a view into those of its batch. */
  records(options?: RecordsOptions): AsyncGenerator<StoreRecord, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<StoreRecord, void, undefined>;
  /**
   * A stream in object mode that appends every record that is written to it: it says when too much waits, makes everything
   * durable at its end, and leaves a store without gaps wherever it is destroyed. The store stays open. Arrays must not change
   * until they are written.
   */
  writable(options?: WritableOptions): Writable;
}
/** Values for `?`, `$1` or `:name` of a filter. */
type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>;
/** A selection knows how its rows come about; the rows themselves from when they were first wanted. */
export declare class Selection implements Selection$1, NodeSelection {
  #private;
  /** Names of the selected columns. */
  get columnNames(): readonly string[];
  /** Only these columns, in this order. */
  select(names: readonly string[]): Selection;
  /** Only these of the selected rows. */
  rows(rows: Index): Selection;
  head(count: number): Selection;
  tail(count: number): Selection;
  /** Only rows that pass a filter, the WHERE clause of SQL, with values for `?`, `$1` or `:name`. */
  filter(expression: string, parameters?: Parameters): Selection;
  /** How many rows are selected. */
  count(options?: LongOptions): Promise<number>;
  countSync(): number;
  /** The selected rows as rows of the table. */
  rowNumbers(options?: LongOptions): Promise<Float64Array>;
  rowNumbersSync(): Float64Array;
  columns(options?: LongOptions): Promise<ColumnData[]>;
  columnsSync(): ColumnData[];
  column(name: string, options?: LongOptions): Promise<ColumnData>;
  columnSync(name: string): ColumnData;
  /** Figures of every selected column; with `skipMissing` NaN and NaT are left out. */
  summaries(options?: LongOptions & {
    readonly skipMissing?: boolean;
  }): Promise<Summary[]>;
  summariesSync(options?: {
    readonly skipMissing?: boolean;
  }): Summary[];
  /** How many different values a column has; exact up to some thousands. */
  distinct(name: string, options?: LongOptions): Promise<{
    readonly count: number;
    readonly isExact: boolean;
  }>;
  distinctSync(name: string): {
    readonly count: number;
    readonly isExact: boolean;
  };
  /** An object with an array for each column. */
  object(options?: LongOptions): Promise<ColumnsByName>;
  objectSync(): ColumnsByName;
  /** As Arrow IPC: a file, or with `format: 'stream'` a stream, which `apache-arrow` and others read. */
  arrow(options?: ArrowOptions): Promise<Uint8Array>;
  arrowSync(options?: Pick<ArrowOptions, 'format'>): Uint8Array;
  /** An object for each row: texts as strings, 64-bit integers and dates as `bigint`. */
  toRows(options?: LongOptions): Promise<Row[]>;
  toRowsSync(): Row[];
  /** Writes a file in the format of its ending: `.parquet`, `.csv`, `.arrow`, `.npz`, `.jsonl`. Resolves to the number of rows. */
  export(path: Place, options?: ExportOptions & LongOptions): Promise<number>;
  exportSync(path: Place, options?: ExportOptions): number;
}
type Columns = Readonly<Record<string, ColumnInput>>;
/** Writes a table, record by record. Calls take effect in the order in which they were made. */
export declare class TableWriter implements TableWriter$1 {
  #private;
  [Symbol.dispose]: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
  private constructor();
  /** Rows that were written, committed or not. */
  get rows(): number;
  /** Writes rows as one record; columns have equally many values. */
  write(columns: Columns): Promise<void>;
  writeSync(columns: Columns): void;
  /** Writes the record batches of Arrow IPC, a file or a stream, as records; resolves to the number of their rows. */
  writeArrow(bytes: Uint8Array, rules?: Rules & LongOptions): Promise<number>;
  writeArrowSync(bytes: Uint8Array, rules?: Rules): number;
  /** Writes the selected rows and columns of a table as one record. */
  writeSelection(rows: Selection): Promise<void>;
  writeSelectionSync(rows: Selection): void;
  /** Makes what was written visible and durable. */
  commit(): Promise<void>;
  commitSync(): void;
  /** Closes without a commit of what was written since the last one. */
  abort(): Promise<void>;
  abortSync(): void;
  /** Commits, and gives back files and memory. Twice is once. */
  close(): Promise<void>;
  closeSync(): void;
}
/** A column table: one `.cstore` file, or several as one. It is a selection of all its rows and columns. */
export declare class Table extends Selection implements Table$1 {
  #private;
  /** Opens one table, or several as one. */
  static open(place: Place | readonly Place[], options?: Options): Promise<Table>;
  static openSync(place: Place | readonly Place[]): Table;
  /** Starts a new table; the first write fixes the columns. */
  static create(place: Place, options?: TableOptions): Promise<TableWriter>;
  static createSync(place: Place, options?: TableOptions): TableWriter;
  /** Continues a table behind its last row. */
  static append(place: Place): Promise<TableWriter>;
  static appendSync(place: Place): TableWriter;
  /** Writes all rows of a table as one record in its place. */
  static compact(place: Place, options?: LongOptions): Promise<void>;
  static compactSync(place: Place): void;
  /** Makes a new table of Arrow IPC, a file or a stream, and resolves to the number of its rows. */
  static fromArrow(place: Place, bytes: Uint8Array, options?: TableOptions & Rules & LongOptions): Promise<number>;
  static fromArrowSync(place: Place, bytes: Uint8Array, options?: TableOptions & Rules): number;
  readonly kind = "table";
  /** Rows. */
  readonly length: number;
  readonly schema: readonly Column[];
  /** Pieces in which the rows were written. */
  readonly fileRecords: number;
  [Symbol.dispose]: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
  private constructor();
  /** Checks everything that can be checked: the values themselves have no checksums. */
  verify(options?: LongOptions): Promise<Verification>;
  verifySync(): Verification;
  /** Gives back files and memory. Twice is once. Selections of it can be used no more. */
  close(): Promise<void>;
  closeSync(): void;
}
type Stream = DenseStore | RaggedStore | Table;
/** What is at a place. */
type Dataset = {
  readonly kind: 'store';
  readonly store: DenseStore | RaggedStore;
} | {
  readonly kind: 'table';
  readonly table: Table;
} | {
  readonly kind: 'folder';
  readonly streams: Readonly<Record<string, Stream>>;
};
/**
 * Finds what is at a place and opens it for reading: a store, a table, or a folder of them, down to the last folder in it.
 *
 * ```js
 * const found = await openAny('datasets/digits')
 * if (found.kind === 'folder') console.log(Object.keys(found.streams))
 * ```
 */
export declare function openAny(place: Place, options?: Options): Promise<Dataset>;
export declare function openAnySync(place: Place): Dataset;
/**
 * Checks a store, a table, or all of them in a folder: every entry of their tables, every record. Faults of the data are part of
 * the answer; what cannot be opened is an error.
 */
export declare function verify(place: Place, options?: LongOptions): Promise<FolderVerification>;
export declare function verifySync(place: Place): FolderVerification;
/** How large a dictionary may become: 32 KiB, 128 KiB or 1 MiB. */
type Tier = 'fast' | 'balanced' | 'max';
/**
 * Trains a dictionary for `zstd_dict` from samples, of which there should be some hundred.
 *
 * ```js
 * const dictionary = await trainDict(texts.map((text) => new TextEncoder().encode(text)))
 * const store = await RaggedStore.create('texts', { dtype: 'uint8', codec: 'zstd_dict', dictionary })
 * ```
 */
export declare function trainDict(samples: readonly Uint8Array[], options?: LongOptions & {
  readonly tier?: Tier;
}): Promise<Uint8Array>;
export declare function trainDictSync(samples: readonly Uint8Array[], options?: {
  readonly tier?: Tier;
}): Uint8Array;
/**
 * Batches as a pure function of seed and step, the same in every language.
 *
 * ```js
 * const sampler = new Sampler({ mode: 'cyclic', length: 60_000, batch: 256, seed: 42 })
 * sampler.at(1000)    // BigUint64Array of 256 records
 * ```
 */
export declare class Sampler implements Sampler$1 {
  #private;
  readonly mode: Mode;
  /** Records. */
  readonly length: bigint;
  /** Records of one global batch. */
  readonly batch: number;
  readonly seed: bigint;
  readonly rank: number;
  readonly world: number;
  /** Steps of a pass over all records, where the order has passes. */
  readonly stepsPerCycle: bigint | null;
  constructor(options: SamplerOptions);
  /**
   * The records of a step, for this rank. The order `iid` draws all steps before it first, which takes long for late ones;
   * `iid_seek`, which is as random, and the others know any step at once.
   */
  at(step: Integer): BigUint64Array;
  /** Where a record appears, from `from` on. Only sequential and cyclic orders know. */
  stepsOf(record: Integer, { from, count }?: {
    readonly from?: Integer;
    readonly count?: number;
  }): Occurrence[];
  /** First step of an epoch, and first step behind it. Only sequential and cyclic orders have epochs. */
  epoch(number: Integer): {
    readonly start: bigint;
    readonly end: bigint;
  };
  /** The same order for another rank. */
  shard(rank: number, world: number): Sampler;
}
/** Stores, tables and selections under the names of their streams. */
type Streams = Readonly<Record<string, DenseStore$1 | RaggedStore$1 | Table$1 | Selection$1>>;
/**
 * Endless aligned batches in the order of a sampler, read ahead by threads of Rust.
 *
 * ```js
 * const loader = new Loader({ images, labels }, { batch: 64, seed: 1, workers: 4, transform: ({ step, streams }) => augment(streams) })
 * for await (const batch of loader) await train(batch)
 * ```
 *
 * The transform runs for several batches at a time where it waits for something; batches come in the order of their steps.
 * Leaving the loop gives everything back; the loader still knows where it stands and goes on from there when it is asked again.
 */
export declare class Loader<T = Batch> implements AsyncIterable<T> {
  #private;
  [Symbol.dispose]: () => void;
  [Symbol.asyncDispose]: () => Promise<void>;
  constructor(streams: Streams, options: TransformOptions<T>);
  /** The order. Not known before the first batch where rows of a filter have to be counted for it. */
  get sampler(): Sampler;
  /** The next batch; `undefined` behind the end. A signal stops the waiting, not the batch: the next call gets it. */
  next(options?: Options): Promise<T | undefined>;
  /** The next batch at once, for loaders without a transform. */
  nextSync(): Batch | undefined;
  /** Where the run stands, as a line of JSON that every door of Recask resumes from. */
  state(): Promise<string>;
  stateSync(): string;
  /** Goes on at another step. */
  seek(step: Integer): Promise<void>;
  seekSync(step: Integer): void;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  /** Stops everything and gives memory back. Twice is once. The streams stay open. */
  close(): Promise<void>;
  closeSync(): void;
}
/** What runs here. */
interface Capabilities {
  /** `native` is the addon; `wasm` is the package recask-wasm, without `…Sync`, imports and exports, and slower. */
  readonly engine: 'native' | 'wasm';
  /** The file or package of the addon; or else why there is none. */
  readonly reason: string;
  /** Threads that read and decode. This and what follows is known of WebAssembly once it runs: after {@link init}, or a first call. */
  readonly threads?: number;
  /** The library that decodes zstd. */
  readonly zstd?: string;
  /** Of Recask. */
  readonly version?: string;
}
/**
 * Waits until everything is there. Only a `Sampler` needs this, and only where WebAssembly stands in for the addon: all else waits
 * by itself.
 */
export declare function init(): Promise<void>;
/** How much memory results take in this process, in bytes: what JavaScript has still, and what is kept for later results. */
export declare function memoryUse(): {
  readonly lent: number;
  readonly kept: number;
};
/** How much memory is kept for later results at most, in bytes; 256 MiB by default. For the whole process. */
export declare function keepMemory(bytes: number): void;
/** What runs here, and why. */
export declare function capabilities(): Capabilities;
/**
 * Runs the `recask` command, without the name of the program: `await command(['info', 'digits'])`. Resolves to its exit status; what
 * it prints goes to the standard streams of the process. One command runs at a time. A signal that is aborted meanwhile makes it
 * stop as Ctrl-C does: what it works on stays valid, and the status is 130.
 */
export declare function command(args: readonly string[], options?: Options): Promise<number>;
export declare function commandSync(args: readonly string[]): number;
/** How imported records are stored. */
interface StoreImportOptions extends LongOptions {
  readonly codec?: 'raw' | 'zstd' | 'zstd_dict' | undefined;
  readonly level?: number | undefined;
  /** For `zstd_dict`. */
  readonly dictionary?: Uint8Array | undefined;
  /** Trains a dictionary from the source first, for `zstd_dict`. */
  readonly train?: Tier | undefined;
}
interface FieldImportOptions extends StoreImportOptions {
  /** Which arrays of an archive, or fields of JSON lines; all by default. */
  readonly fields?: readonly string[] | undefined;
}
/** How files become a table. */
interface TableImportOptions extends LongOptions, TableOptions, Rules {
  /** Which columns, in this order; all by default. */
  readonly columns?: readonly string[] | undefined;
  /** What is done with a table that is there: it is refused by default. */
  readonly mode?: 'create' | 'replace' | 'append' | undefined;
}
interface CsvImportOptions extends TableImportOptions {
  /** What stands between fields: a comma by default, a tab where the file ends in `.tsv`. */
  readonly delimiter?: string | undefined;
  /** Whether the first line has the names of the columns, as by default. */
  readonly header?: boolean | undefined;
}
interface ExportToOptions extends LongOptions {
  /** Which records of stores; all by default. */
  readonly index?: Index | undefined;
}
/** A store that an import made. */
interface Imported {
  /** The name of the stream; missing where the destination itself is the store. */
  readonly name?: string;
  readonly path: string;
  readonly kind: 'dense' | 'ragged';
  readonly dtype: string;
  readonly itemShape?: readonly number[];
  readonly codec: string;
  readonly records: number;
}
/** Makes a table of a Parquet file; resolves to the number of its rows. */
export declare function importParquet(source: Place, dest: Place, options?: TableImportOptions): Promise<number>;
/** Makes a table of a CSV file; resolves to the number of its rows. */
export declare function importCsv(source: Place, dest: Place, options?: CsvImportOptions): Promise<number>;
/** Makes a table of a file or stream of Arrow IPC; resolves to the number of its rows. */
export declare function importArrow(source: Place, dest: Place, options?: TableImportOptions): Promise<number>;
export declare function importParquetSync(source: Place, dest: Place, options?: TableImportOptions): number;
export declare function importCsvSync(source: Place, dest: Place, options?: CsvImportOptions): number;
export declare function importArrowSync(source: Place, dest: Place, options?: TableImportOptions): number;
/** Makes a dense store of a NumPy array. */
export declare function importNpy(source: Place, dest: Place, options?: StoreImportOptions): Promise<Imported>;
/** Makes a dense store of an IDX file, such as those of MNIST, packed with gzip or not. */
export declare function importIdx(source: Place, dest: Place, options?: StoreImportOptions): Promise<Imported>;
/** Makes a folder with a dense store for each array of an archive of NumPy. */
export declare function importNpz(source: Place, dest: Place, options?: FieldImportOptions): Promise<Imported[]>;
/** Makes a folder with a store for each field of JSON lines; a table where the destination ends in `.cstore`. */
export declare function importJsonl(source: Place, dest: Place, options?: FieldImportOptions & TableImportOptions): Promise<Imported[] | number>;
export declare function importNpySync(source: Place, dest: Place, options?: StoreImportOptions): Imported;
export declare function importIdxSync(source: Place, dest: Place, options?: StoreImportOptions): Imported;
export declare function importNpzSync(source: Place, dest: Place, options?: FieldImportOptions): Imported[];
export declare function importJsonlSync(source: Place, dest: Place, options?: FieldImportOptions & TableImportOptions): Imported[] | number;
/** Writes a store, a table, or a folder of stores in the format of an ending; resolves to the number of records or rows. */
export declare function exportTo(source: Place, path: Place, options?: ExportToOptions): Promise<number>;
export declare function exportToSync(source: Place, path: Place, options?: Pick<ExportToOptions, 'index'>): number;
/** Appends the records of a file or folder to a store that is there, as the imports do; resolves to how many. */
export declare function appendSource(store: Place, source: Place, options?: LongOptions): Promise<number>;
export declare function appendSourceSync(store: Place, source: Place): number;
/**
 * The unit in which a column or store counts dates and spans of time, as NumPy names it: `Y`, `M`, `W`, `D`, `h`, `m`, `s`, `ms`,
 * `us`, `ns`, …; `undefined` for all other types.
 *
 * ```js
 * const { data, dtype } = await table.column('time')
 * if (dateUnit(dtype) === 'ns') new Date(Number(data[0] / 1_000_000n))
 * ```
 */
export declare function dateUnit(dtype: string): string | undefined;
/** What stands for a missing date, NumPy's NaT. */
export declare const NOT_A_TIME: bigint;
/** What a file becomes; nothing where it is left out. Dense stores take the values of one record. */
type Decoded = TypedArray | RaggedRecord | undefined | null;
/** Makes values of the bytes of a file. */
type Decode = (bytes: Uint8Array, path: string) => Decoded | PromiseLike<Decoded>;
interface ImportFilesOptions extends LongOptions, Partial<CreateOptions> {
  /** Where patterns and paths start; the working directory by default. */
  readonly cwd?: Place | undefined;
  /** Without it the record of a file is its bytes. */
  readonly decode?: Decode | undefined;
  /** `ragged` by default: every record has its own shape. A dense store takes the shape of its first record. */
  readonly kind?: 'dense' | 'ragged' | undefined;
  /** Of a dense store; makes the store dense. */
  readonly itemShape?: readonly number[] | undefined;
  /** Also writes a table with the `name` and `size` of every file: the store is then `files` in the folder, the table `names.cstore`. */
  readonly names?: boolean | undefined;
  /** Files that are read and decoded at a time. */
  readonly concurrency?: number | undefined;
}
/** What became of the files. */
interface ImportedFiles {
  /** The store. */
  readonly path: string;
  /** The table of names and sizes, where one was asked for. */
  readonly names?: string;
  readonly kind: 'dense' | 'ragged';
  readonly dtype: string;
  readonly records: number;
  /** Files that `decode` left out. */
  readonly skipped: number;
}
/**
 * Makes a store of files, one record for each, in the order of their names. `files` is a pattern such as `images/*.jpg`,
 * several patterns, or an iterable of paths, which keeps its order. What Recask cannot parse itself is parsed by `decode`, which may
 * wait; files are read and decoded ahead. Where anything fails, what was made is removed.
 *
 * ```js
 * await importFiles('scans/*.png', 'scans', { decode: (bytes) => PNG.sync.read(Buffer.from(bytes)).data, itemShape: [64, 64, 4] })
 * ```
 */
export declare function importFiles(files: string | readonly string[] | Iterable<Place>, dest: Place, options?: ImportFilesOptions): Promise<ImportedFiles>;
/**
 * Gives the memory of a batch back at once, instead of when it is collected: its arrays, and all views into them, are empty from
 * then on. Says whether there was something to give back. For loops over large batches that must not wait for the collector.
 *
 * ```js
 * using batch = await store.gather({ stop: 4096 })    // does the same at the end of the block
 * ```
 */
export declare function release(batch: DenseBatch | RaggedBatch | TypedArray): boolean;
/**
 * What every failed call of Recask rejects with. The `code` is stable and the same in every language: `store_not_found`,
 * `corrupt_record`, `index_out_of_range`, `source_changed`, …; the message is for people and says what to do.
 *
 * ```js
 * try {
 *   await DenseStore.open(fromUrl('https://example.org/images'))
 * } catch (error) {
 *   if (error instanceof RecaskError && error.code === 'store_not_found') showUpload()
 *   else throw error
 * }
 * ```
 */
export declare class RecaskError extends Error implements RecaskErrorFields {
  readonly name = "RecaskError";
  readonly code: string;
  readonly place?: string;
  readonly file?: string;
  readonly record?: number;
  readonly offset?: number;
  readonly stream?: string;
  readonly step?: bigint;
  readonly character?: number;
  constructor(code: string, message: string, fields?: Omit<RecaskErrorFields, 'code'>, options?: ErrorOptions);
}
/**
 * Numbers of 16 bits as those of 32, for runtimes without `Float16Array`, where values of `f2` come as their bits.
 *
 * ```js
 * const { data } = await store.gather({})
 * const values = data instanceof Uint16Array ? float16ToFloat32(data) : Float32Array.from(data)
 * ```
 */
export declare function float16ToFloat32(bits: Uint16Array): Float32Array;
/** Everything as one value, for code that works with this package as well as with the one for browsers. */
export declare const recask: {
  DenseStore: typeof DenseStore;
  RaggedStore: typeof RaggedStore;
  Table: typeof Table;
  Sampler: typeof Sampler;
  Loader: typeof Loader;
  openAny: typeof openAny;
  trainDict: typeof trainDict;
};
export type { ArrowOptions, Batch, Capabilities, Cell, CodecName, Column, ColumnData, ColumnInput, ColumnsByName, CreateDenseOptions, CreateOptions, CsvImportOptions, Dataset, Decode, Decoded, DenseBatch, ExportOptions, ExportToOptions, Fault, FieldImportOptions, FolderVerification, ImportFilesOptions, Imported, ImportedFiles, Index, Integer, LoaderOptions, LongOptions, Loss, Mode, Occurrence, OpenOptions, Options, Package, Parameter, Parameters, Place, Progress, RaggedBatch, RaggedRecord, RecaskErrorFields, RecordsOptions, Releasable, Row, Rules, SamplerOptions, Slice, Stats, StoreImportOptions, StoreRecord, Streams, Summary, TableBatch, TableImportOptions, TableOptions, Tier, TransformOptions, TypedArray, Verification, WritableOptions };
