import { columnOf } from '../../wasm/ts/columns.js'
import { nameOf } from '../../wasm/ts/element.js'
import { invalid, RecaskError } from '../../wasm/ts/errors.js'
import { counted, indexOf } from '../../wasm/ts/indices.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { Column, ColumnData, Index, LongOptions, Parameter, Summary } from '../../wasm/ts/interface.js'
import type { RawIndex } from '../../wasm/ts/raw.js'
import { at, off, watched } from './call.js'
import { given, optionsOf, textsOf } from './given.js'
import type { ArrowOptions, ColumnsByName, ExportOptions, NodeSelection, Row } from './interface.js'
import type { NativeSelection, NativeTableExport } from './native.js'
import { pathOf, type Place } from './place.js'
import { rowsOf } from './rows.js'

/** Values for `?`, `$1` or `:name` of a filter. */
export type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>

/** Finds the rows; what is derived asks that which it is derived of first. May read. */
export interface Find {
  later(options: LongOptions): Promise<NativeSelection>
  now(): NativeSelection
}

/** The table behind selections. */
export interface Owner {
  /** Throws once it is closed. */
  check(): void
}

/** A selection knows how its rows come about; the rows themselves from when they were first wanted. */
export class Selection implements Interface.Selection, NodeSelection {
  readonly #owner: Owner
  readonly #schema: readonly Column[]
  readonly #find: Find
  #found: NativeSelection | undefined

  /** @internal */
  constructor(owner: Owner, schema: readonly Column[], find: Find) {
    this.#owner = owner
    this.#schema = schema
    this.#find = find
  }

  /** @internal */
  static is(selection: unknown): selection is Selection {
    return typeof selection === 'object' && selection !== null && #find in selection
  }

  /** @internal */
  static resolve(selection: Selection, options: LongOptions): Promise<NativeSelection> {
    return selection.#later(options)
  }

  /** @internal */
  static resolveSync(selection: Selection): NativeSelection {
    return selection.#now()
  }

  /** Names of the selected columns. */
  get columnNames(): readonly string[] {
    return this.#schema.map(({ name }) => name)
  }

  /** Only these columns, in this order. */
  select(names: readonly string[]): Selection {
    const columns = textsOf(names, 'names of columns').map((name) => this.#columnOf(name))
    return this.#derived(columns, (rows) => rows.select(columns.map(({ name }) => name)))
  }

  /** Only these of the selected rows. */
  rows(rows: Index): Selection {
    const index = copied(indexOf(rows))
    return this.#derived(this.#schema, (all) => all.rows(index))
  }

  head(count: number): Selection {
    counted(count, 'a number of rows')
    return this.#derived(this.#schema, (rows) => rows.head(count))
  }

  tail(count: number): Selection {
    counted(count, 'a number of rows')
    return this.#derived(this.#schema, (rows) => rows.tail(count))
  }

  /** Only rows that pass a filter, the WHERE clause of SQL, with values for `?`, `$1` or `:name`. */
  filter(expression: string, parameters: Parameters = []): Selection {
    if (typeof expression !== 'string') throw invalid('a filter is a text')
    const values = Array.isArray(parameters) ? [...parameters] : { ...parameters }
    return new Selection(this.#owner, this.#schema, {
      later: async (options) => {
        const rows = await this.#later(options)
        return watched(options, (...watch) => rows.filter(expression, values, ...watch))
      },
      now: () => {
        const rows = this.#now()
        return at(() => rows.filterSync(expression, values))
      },
    })
  }

  /** How many rows are selected. */
  async count(options: LongOptions = {}): Promise<number> {
    const rows = await this.#later(options)
    return off(async () => rows.length)
  }

  countSync(): number {
    const rows = this.#now()
    return known(
      at(() => rows.length),
      'countSync',
    )
  }

  /** The selected rows as rows of the table. */
  async rowNumbers(options: LongOptions = {}): Promise<Float64Array> {
    const rows = await this.#later(options)
    return off(async () => rows.rowNumbers())
  }

  rowNumbersSync(): Float64Array {
    const rows = this.#now()
    return known(
      at(() => rows.rowNumbers()),
      'rowNumbersSync',
    )
  }

  async columns(options: LongOptions = {}): Promise<ColumnData[]> {
    const rows = await this.#later(options)
    return (await watched(options, (...watch) => rows.columns(...watch))).map(columnOf)
  }

  columnsSync(): ColumnData[] {
    const rows = this.#now()
    return at(() => rows.columnsSync()).map(columnOf)
  }

  async column(name: string, options: LongOptions = {}): Promise<ColumnData> {
    const [column] = await this.select([name]).columns(options)
    return column!
  }

  columnSync(name: string): ColumnData {
    const [column] = this.select([name]).columnsSync()
    return column!
  }

  /** Figures of every selected column; with `skipMissing` NaN and NaT are left out. */
  async summaries(options: LongOptions & { readonly skipMissing?: boolean } = {}): Promise<Summary[]> {
    const rows = await this.#later(options)
    return watched(options, (...watch) => rows.summaries(options.skipMissing === true, ...watch))
  }

  summariesSync(options: { readonly skipMissing?: boolean } = {}): Summary[] {
    const rows = this.#now()
    return at(() => rows.summariesSync(options.skipMissing === true))
  }

  /** How many different values a column has; exact up to some thousands. */
  async distinct(name: string, options: LongOptions = {}): Promise<{ readonly count: number; readonly isExact: boolean }> {
    this.#columnOf(name)
    const rows = await this.#later(options)
    return watched(options, (...watch) => rows.distinct(name, ...watch))
  }

  distinctSync(name: string): { readonly count: number; readonly isExact: boolean } {
    this.#columnOf(name)
    const rows = this.#now()
    return at(() => rows.distinctSync(name))
  }

  /** An object with an array for each column. */
  async object(options: LongOptions = {}): Promise<ColumnsByName> {
    return byName(await this.columns(options))
  }

  objectSync(): ColumnsByName {
    return byName(this.columnsSync())
  }

  /** As Arrow IPC: a file, or with `format: 'stream'` a stream, which `apache-arrow` and others read. */
  async arrow(options: ArrowOptions = {}): Promise<Uint8Array> {
    const { format = 'file' } = optionsOf(options)
    const rows = await this.#later(options)
    return watched(options, (...watch) => rows.arrow(format, ...watch))
  }

  arrowSync(options: Pick<ArrowOptions, 'format'> = {}): Uint8Array {
    const { format = 'file' } = optionsOf(options)
    const rows = this.#now()
    return at(() => rows.arrowSync(format))
  }

  /** An object for each row: texts as strings, 64-bit integers and dates as `bigint`. */
  async toRows(options: LongOptions = {}): Promise<Row[]> {
    return rowsOf(await this.columns(options))
  }

  toRowsSync(): Row[] {
    return rowsOf(this.columnsSync())
  }

  /** Writes a file in the format of its ending: `.parquet`, `.csv`, `.arrow`, `.npz`, `.jsonl`. Resolves to the number of rows. */
  async export(path: Place, options: ExportOptions & LongOptions = {}): Promise<number> {
    const [file, wanted] = [pathOf(path), exportOf(options)]
    const rows = await this.#later(options)
    return watched(options, (...watch) => rows.exportAs(file, wanted, ...watch))
  }

  exportSync(path: Place, options: ExportOptions = {}): number {
    const [file, wanted] = [pathOf(path), exportOf(options)]
    const rows = this.#now()
    return at(() => rows.exportAsSync(file, wanted))
  }

  #columnOf(name: string): Column {
    if (typeof name !== 'string') throw invalid(`the name of a column is a text, not ${nameOf(name)}`)
    const column = this.#schema.find((one) => one.name === name)
    if (column) return column
    throw new RecaskError('column_not_found', `there is no column '${name}'; there are ${this.columnNames.join(', ')}`)
  }

  #derived(schema: readonly Column[], change: (rows: NativeSelection) => NativeSelection): Selection {
    return new Selection(this.#owner, schema, {
      later: async (options) => {
        const rows = await this.#later(options)
        return at(() => change(rows))
      },
      now: () => {
        const rows = this.#now()
        return at(() => change(rows))
      },
    })
  }

  async #later(options: LongOptions): Promise<NativeSelection> {
    this.#owner.check()
    return (this.#found ??= await this.#find.later(options))
  }

  #now(): NativeSelection {
    this.#owner.check()
    return (this.#found ??= this.#find.now())
  }
}

/** What WebAssembly has to look for first is not there at once. */
function known<T>(value: T | Promise<T>, what: string): T {
  if (value instanceof Promise) {
    value.catch(() => {})
    throw new RecaskError('unsupported', `${what} needs the addon, and WebAssembly stands in for it here`)
  }
  return value
}

/** Rows are looked for when they are first wanted; whoever changes his array meanwhile does not change them. */
function copied(index: RawIndex): RawIndex {
  return index.slice() as RawIndex
}

function exportOf(options: ExportOptions): NativeTableExport {
  const { format, replace, delimiter, header, compression } = optionsOf(options)
  return given({ format, replace, delimiter, header, compression })
}

function byName(columns: readonly ColumnData[]): ColumnsByName {
  return Object.fromEntries(columns.map(({ name, data }) => [name, data]))
}
