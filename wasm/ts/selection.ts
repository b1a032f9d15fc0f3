import { columnOf } from './columns.js'
import { invalid, RecaskError } from './errors.js'
import type { Handle } from './handle.js'
import { counted, indexOf } from './indices.js'
import type * as Interface from './interface.js'
import type { Column, ColumnData, Index, LongOptions, Parameter, Summary } from './interface.js'
import { enter } from './module.js'
import type { RawSelection, RawTable } from './raw.js'

/** Values for `?`, `$1` or `:name` of a filter. */
export type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>

/** Finds the rows. May read. */
type Find = (options: LongOptions) => RawSelection | Promise<RawSelection>

/** A selection knows how its rows come about; the rows themselves from when they were first wanted. */
export class Selection implements Interface.Selection {
  readonly #handle: Handle<RawTable>
  readonly #schema: readonly Column[]
  readonly #find: Find
  #found: RawSelection | undefined

  /** @internal */
  constructor(handle: Handle<RawTable>, schema: readonly Column[], find: Find) {
    this.#handle = handle
    this.#schema = schema
    this.#find = find
  }

  /** @internal What is open behind a selection or a table. */
  static handleOf(selection: unknown): Handle<RawTable> | undefined {
    return typeof selection === 'object' && selection !== null && #handle in selection ? selection.#handle : undefined
  }

  /** @internal */
  static resolve(selection: Selection, options: LongOptions): Promise<RawSelection> {
    return selection.#resolve(options)
  }

  /** Names of the selected columns. */
  get columnNames(): readonly string[] {
    return this.#schema.map(({ name }) => name)
  }

  /** Only these columns, in this order. */
  select(names: readonly string[]): Selection {
    const columns = names.map((name) => this.#columnOf(name))
    return this.#derived(columns, (rows) => enter(() => rows.select(columns.map(({ name }) => name))))
  }

  /** Only these of the selected rows. */
  rows(rows: Index): Selection {
    const index = indexOf(rows)
    return this.#derived(this.#schema, (all) => enter(() => all.rows(index)))
  }

  head(count: number): Selection {
    counted(count, 'a number of rows')
    return this.#derived(this.#schema, (rows) => enter(() => rows.head(count)))
  }

  tail(count: number): Selection {
    counted(count, 'a number of rows')
    return this.#derived(this.#schema, (rows) => enter(() => rows.tail(count)))
  }

  /** Only rows that pass a filter, the WHERE clause of SQL, with values for `?`, `$1` or `:name`. */
  filter(expression: string, parameters: Parameters = []): Selection {
    if (typeof expression !== 'string') throw invalid('a filter is a text')
    const values = Array.isArray(parameters) ? [...parameters] : { ...parameters }
    return this.#derived(this.#schema, (rows, options) => filtered(rows, this.#handle, expression, values, options))
  }

  /** How many rows are selected. */
  async count(options: LongOptions = {}): Promise<number> {
    const rows = await this.#resolve(options)
    return enter(() => rows.length)
  }

  /** The selected rows as rows of the table. */
  async rowNumbers(options: LongOptions = {}): Promise<Float64Array> {
    const rows = await this.#resolve(options)
    return this.#handle.read(() => rows.rowNumbers(), options)
  }

  async columns(options: LongOptions = {}): Promise<ColumnData[]> {
    const rows = await this.#resolve(options)
    return (await this.#handle.read(() => rows.columns(), options)).map(columnOf)
  }

  async column(name: string, options: LongOptions = {}): Promise<ColumnData> {
    const [column] = await this.select([name]).columns(options)
    return column!
  }

  /** Figures of every selected column; with `skipMissing` NaN and NaT are left out. */
  async summaries(options: LongOptions & { readonly skipMissing?: boolean } = {}): Promise<Summary[]> {
    const rows = await this.#resolve(options)
    return this.#handle.read(() => rows.summaries(options.skipMissing === true), options)
  }

  /** How many different values a column has; exact up to some thousands. */
  async distinct(name: string, options: LongOptions = {}): Promise<{ readonly count: number; readonly isExact: boolean }> {
    this.#columnOf(name)
    const rows = await this.#resolve(options)
    return this.#handle.read(() => rows.distinct(name), options)
  }

  #columnOf(name: string): Column {
    const column = this.#schema.find((one) => one.name === name)
    if (column) return column
    throw new RecaskError('column_not_found', `there is no column '${name}'; there are ${this.columnNames.join(', ')}`)
  }

  #derived(
    schema: readonly Column[],
    change: (rows: RawSelection, options: LongOptions) => RawSelection | Promise<RawSelection>,
  ): Selection {
    return new Selection(this.#handle, schema, async (options) => change(await this.#resolve(options), options))
  }

  async #resolve(options: LongOptions): Promise<RawSelection> {
    void this.#handle.raw
    this.#found ??= await this.#find(options)
    return this.#found
  }
}

/** Window after window, so that a table of any size takes little memory. */
async function filtered(
  rows: RawSelection,
  handle: Handle<RawTable>,
  expression: string,
  parameters: Parameters,
  options: LongOptions,
): Promise<RawSelection> {
  const { length } = rows
  const found: Float64Array[] = []
  const look = (from: number, count: number) => {
    found.push(rows.filter(expression, parameters, from, count))
    return from + count >= length
  }
  await handle.readAll(length, look, options)
  const positions = new Float64Array(found.reduce((sum, { length: some }) => sum + some, 0))
  let end = 0
  for (const some of found) {
    positions.set(some, end)
    end += some.length
  }
  return enter(() => rows.rows(positions))
}
