import type { ColumnData, ColumnInput, Parameter, Selection, Table, TableWriter } from '../../../wasm/ts/interface.js'
import { elementOf, valuesOf } from '../../../wasm/ts/element.js'
import type { RawIndex, RawSummary, RawVerification } from '../../../wasm/ts/raw.js'
import type { NativeColumn, NativeColumnData, NativeSelection, NativeTable, NativeTableWriter, Watch } from '../native.js'
import { indexFrom } from './index_of.js'
import type { Module } from './module.js'
import { optionsOf } from './stop.js'

/** A selection of the package for browsers in the shape of the addon's. */
export class FallbackSelection implements NativeSelection {
  readonly #module: Module
  readonly inside: Selection

  constructor(module: Module, selection: Selection) {
    this.#module = module
    this.inside = selection
  }

  get length(): Promise<number> {
    return this.inside.count()
  }

  names(): string[] {
    return [...this.inside.columnNames]
  }

  select(names: string[]): FallbackSelection {
    return this.#of(this.inside.select(names))
  }

  rows(index: RawIndex): FallbackSelection {
    return this.#of(this.inside.rows(indexFrom(index)))
  }

  head(count: number): FallbackSelection {
    return this.#of(this.inside.head(count))
  }

  tail(count: number): FallbackSelection {
    return this.#of(this.inside.tail(count))
  }

  async filter(expression: string, parameters: unknown, ...watch: Watch): Promise<FallbackSelection> {
    const filtered = this.inside.filter(expression, parameters as readonly Parameter[])
    // Finds the rows, once.
    await filtered.count(optionsOf(watch))
    return this.#of(filtered)
  }

  rowNumbers(): Promise<Float64Array> {
    return this.inside.rowNumbers()
  }

  async columns(...watch: Watch): Promise<NativeColumnData[]> {
    return (await this.inside.columns(optionsOf(watch))).map(bytesOf)
  }

  summaries(skipMissing: boolean, ...watch: Watch): Promise<RawSummary[]> {
    return this.inside.summaries({ ...optionsOf(watch), skipMissing })
  }

  distinct(name: string, ...watch: Watch): Promise<{ count: number; isExact: boolean }> {
    return this.inside.distinct(name, optionsOf(watch))
  }

  arrow = (): never => this.#module.unsupported('arrow')
  arrowSync = (): never => this.#module.unsupported('arrowSync')
  exportAs = (): never => this.#module.unsupported('export')
  exportAsSync = (): never => this.#module.unsupported('exportSync')
  filterSync = (): never => this.#module.unsupported('a filter at once')
  columnsSync = (): never => this.#module.unsupported('columnsSync')
  summariesSync = (): never => this.#module.unsupported('summariesSync')
  distinctSync = (): never => this.#module.unsupported('distinctSync')

  #of(selection: Selection): FallbackSelection {
    return new FallbackSelection(this.#module, selection)
  }
}

export class FallbackTable implements NativeTable {
  readonly length: number
  readonly fileRecords: number
  readonly #module: Module
  readonly #table: Table

  constructor(module: Module, table: Table) {
    this.#module = module
    this.#table = table
    this.length = table.length
    this.fileRecords = table.fileRecords
  }

  schema(): NativeColumn[] {
    return [...this.#table.schema]
  }

  all(): FallbackSelection {
    return new FallbackSelection(this.#module, this.#table)
  }

  verify(...watch: Watch): Promise<RawVerification> {
    return this.#table.verify(optionsOf(watch))
  }

  close(): Promise<void> {
    return this.#table.close()
  }

  recordRows = (): never => this.#module.unsupported('the rows of a record')
  verifySync = (): never => this.#module.unsupported('verifySync')
  closeSync = (): never => this.#module.unsupported('closeSync')
}

export class FallbackTableWriter implements NativeTableWriter {
  readonly #module: Module
  readonly #writer: TableWriter

  constructor(module: Module, writer: TableWriter) {
    this.#module = module
    this.#writer = writer
  }

  get rows(): number {
    return this.#writer.rows
  }

  write(names: string[], dtypes: string[], values: Uint8Array[]): Promise<void> {
    return this.#writer.write(Object.fromEntries(names.map((name, at) => [name, inputOf(dtypes[at]!, values[at]!)])))
  }

  commit(): Promise<void> {
    return this.#writer.commit()
  }

  close(): Promise<void> {
    return this.#writer.close()
  }

  abort(): Promise<void> {
    return this.#writer.abort()
  }

  writeSelection = (): never => this.#module.unsupported('writeSelection')
  writeSelectionSync = (): never => this.#module.unsupported('writeSelectionSync')
  writeArrow = (): never => this.#module.unsupported('writeArrow')
  writeArrowSync = (): never => this.#module.unsupported('writeArrowSync')
  writeSync = (): never => this.#module.unsupported('writeSync')
  commitSync = (): never => this.#module.unsupported('commitSync')
  closeSync = (): never => this.#module.unsupported('closeSync')
  abortSync = (): never => this.#module.unsupported('abortSync')
}

export function bytesOf({ name, dtype, data }: ColumnData): NativeColumnData {
  return { name, dtype, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
}

function inputOf(dtype: string, bytes: Uint8Array): ColumnInput {
  return { dtype, data: valuesOf(bytes.slice(), elementOf(dtype)) }
}
