import { indexOf } from '../../wasm/ts/indices.js'
import type { Index, LongOptions, TableOptions } from '../../wasm/ts/interface.js'
import type { RawIndex } from '../../wasm/ts/raw.js'
import { addon } from './addon.js'
import { at, watched } from './call.js'
import type { Tier } from './dictionary.js'
import { given, optionsOf, textsOf } from './given.js'
import type { Rules } from './interface.js'
import type { NativeImported, NativeImportOptions, NativeTableImportOptions } from './native.js'
import { pathOf, type Place } from './place.js'
import { rulesOf } from './rules.js'

/** How imported records are stored. */
export interface StoreImportOptions extends LongOptions {
  readonly codec?: 'raw' | 'zstd' | 'zstd_dict' | undefined
  readonly level?: number | undefined
  /** For `zstd_dict`. */
  readonly dictionary?: Uint8Array | undefined
  /** Trains a dictionary from the source first, for `zstd_dict`. */
  readonly train?: Tier | undefined
}

export interface FieldImportOptions extends StoreImportOptions {
  /** Which arrays of an archive, or fields of JSON lines; all by default. */
  readonly fields?: readonly string[] | undefined
}

/** How files become a table. */
export interface TableImportOptions extends LongOptions, TableOptions, Rules {
  /** Which columns, in this order; all by default. */
  readonly columns?: readonly string[] | undefined
  /** What is done with a table that is there: it is refused by default. */
  readonly mode?: 'create' | 'replace' | 'append' | undefined
}

export interface CsvImportOptions extends TableImportOptions {
  /** What stands between fields: a comma by default, a tab where the file ends in `.tsv`. */
  readonly delimiter?: string | undefined
  /** Whether the first line has the names of the columns, as by default. */
  readonly header?: boolean | undefined
}

export interface ExportToOptions extends LongOptions {
  /** Which records of stores; all by default. */
  readonly index?: Index | undefined
}

/** A store that an import made. */
export interface Imported {
  /** The name of the stream; missing where the destination itself is the store. */
  readonly name?: string
  readonly path: string
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly itemShape?: readonly number[]
  readonly codec: string
  readonly records: number
}

/** Makes a table of a Parquet file; resolves to the number of its rows. */
export function importParquet(source: Place, dest: Place, options: TableImportOptions = {}): Promise<number> {
  return table('parquet', source, dest, options)
}

/** Makes a table of a CSV file; resolves to the number of its rows. */
export function importCsv(source: Place, dest: Place, options: CsvImportOptions = {}): Promise<number> {
  return table('csv', source, dest, options)
}

/** Makes a table of a file or stream of Arrow IPC; resolves to the number of its rows. */
export function importArrow(source: Place, dest: Place, options: TableImportOptions = {}): Promise<number> {
  return table('arrow', source, dest, options)
}

export function importParquetSync(source: Place, dest: Place, options: TableImportOptions = {}): number {
  return tableSync('parquet', source, dest, options)
}

export function importCsvSync(source: Place, dest: Place, options: CsvImportOptions = {}): number {
  return tableSync('csv', source, dest, options)
}

export function importArrowSync(source: Place, dest: Place, options: TableImportOptions = {}): number {
  return tableSync('arrow', source, dest, options)
}

/** Makes a dense store of a NumPy array. */
export async function importNpy(source: Place, dest: Place, options: StoreImportOptions = {}): Promise<Imported> {
  return only(await stores(source, dest, options))
}

/** Makes a dense store of an IDX file, such as those of MNIST, packed with gzip or not. */
export async function importIdx(source: Place, dest: Place, options: StoreImportOptions = {}): Promise<Imported> {
  return only(await stores(source, dest, options))
}

/** Makes a folder with a dense store for each array of an archive of NumPy. */
export function importNpz(source: Place, dest: Place, options: FieldImportOptions = {}): Promise<Imported[]> {
  return stores(source, dest, options)
}

/** Makes a folder with a store for each field of JSON lines; a table where the destination ends in `.cstore`. */
export async function importJsonl(
  source: Place,
  dest: Place,
  options: FieldImportOptions & TableImportOptions = {},
): Promise<Imported[] | number> {
  return isTable(dest) ? table('jsonl', source, dest, options) : stores(source, dest, options)
}

export function importNpySync(source: Place, dest: Place, options: StoreImportOptions = {}): Imported {
  return only(storesSync(source, dest, options))
}

export function importIdxSync(source: Place, dest: Place, options: StoreImportOptions = {}): Imported {
  return only(storesSync(source, dest, options))
}

export function importNpzSync(source: Place, dest: Place, options: FieldImportOptions = {}): Imported[] {
  return storesSync(source, dest, options)
}

export function importJsonlSync(
  source: Place,
  dest: Place,
  options: FieldImportOptions & TableImportOptions = {},
): Imported[] | number {
  return isTable(dest) ? tableSync('jsonl', source, dest, options) : storesSync(source, dest, options)
}

/** Writes a store, a table, or a folder of stores in the format of an ending; resolves to the number of records or rows. */
export async function exportTo(source: Place, path: Place, options: ExportToOptions = {}): Promise<number> {
  const [from, to, index] = [pathOf(source), pathOf(path), chosen(options)]
  return watched(options, (stop, tell) => addon().exportTo(from, to, stop, tell, index))
}

export function exportToSync(source: Place, path: Place, options: Pick<ExportToOptions, 'index'> = {}): number {
  const [from, to, index] = [pathOf(source), pathOf(path), chosen(options)]
  return at(() => addon().exportToSync(from, to, index))
}

/** Appends the records of a file or folder to a store that is there, as the imports do; resolves to how many. */
export async function appendSource(store: Place, source: Place, options: LongOptions = {}): Promise<number> {
  const [to, from] = [pathOf(store), pathOf(source)]
  return watched(options, (...watch) => addon().appendSource(to, from, ...watch))
}

export function appendSourceSync(store: Place, source: Place): number {
  const [to, from] = [pathOf(store), pathOf(source)]
  return at(() => addon().appendSourceSync(to, from))
}

async function table(format: string, source: Place, dest: Place, options: TableImportOptions): Promise<number> {
  const [from, to] = [pathOf(source), pathOf(dest)]
  return watched(options, (...watch) => addon().importTable(from, to, tableOptions(format, options), ...watch))
}

function tableSync(format: string, source: Place, dest: Place, options: TableImportOptions): number {
  const [from, to] = [pathOf(source), pathOf(dest)]
  return at(() => addon().importTableSync(from, to, tableOptions(format, options)))
}

async function stores(source: Place, dest: Place, options: FieldImportOptions): Promise<Imported[]> {
  const [from, to] = [pathOf(source), pathOf(dest)]
  return (await watched(options, (...watch) => addon().importStores(from, to, storeOptions(options), ...watch))).map(importedOf)
}

function storesSync(source: Place, dest: Place, options: FieldImportOptions): Imported[] {
  const [from, to] = [pathOf(source), pathOf(dest)]
  return at(() => addon().importStoresSync(from, to, storeOptions(options))).map(importedOf)
}

function tableOptions(format: string, options: CsvImportOptions): NativeTableImportOptions {
  const { columns, mode, layout, statistics, delimiter, header } = optionsOf(options)
  return {
    ...given({ format, columns: columns && textsOf(columns, 'columns'), mode, layout, statistics, delimiter, header }),
    ...rulesOf(options),
  }
}

function storeOptions(options: FieldImportOptions): NativeImportOptions {
  const { codec, level, dictionary, train, fields } = optionsOf(options)
  return given({ codec, level, dictionary, train, fields: fields && textsOf(fields, 'fields') })
}

function chosen(options: Pick<ExportToOptions, 'index'>): RawIndex | undefined {
  const { index } = optionsOf(options)
  return index === undefined ? undefined : indexOf(index)
}

function importedOf({ name, path, kind, dtype, itemShape, codec, records }: NativeImported): Imported {
  return {
    ...(name != null && { name }),
    path,
    kind,
    dtype,
    ...(itemShape != null && { itemShape: Array.from(itemShape) }),
    codec,
    records,
  }
}

function only([made]: readonly Imported[]): Imported {
  return made!
}

function isTable(dest: Place): boolean {
  return pathOf(dest).endsWith('.cstore')
}
