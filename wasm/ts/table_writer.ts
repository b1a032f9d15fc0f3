import { disposable } from './closing.js'
import { typed } from './columns.js'
import type { Handle } from './handle.js'
import type * as Interface from './interface.js'
import type { ColumnInput } from './interface.js'
import type { RawTableWriter } from './raw.js'
import { Selection } from './selection.js'

/** Writes a table, record by record. Calls take turns. */
export class TableWriter implements Interface.TableWriter {
  static {
    disposable(this)
  }

  readonly #handle: Handle<RawTableWriter>
  #rows: number
  declare [Symbol.asyncDispose]: () => Promise<void>

  private constructor(handle: Handle<RawTableWriter>) {
    this.#handle = handle
    this.#rows = handle.ask(({ rows }) => rows)
  }

  /** @internal */
  static of(handle: Handle<RawTableWriter>): TableWriter {
    return new TableWriter(handle)
  }

  /** Rows that were written, committed or not. */
  get rows(): number {
    return this.#rows
  }

  /** Writes rows as one record; columns have equally many values, which must not change until the promise resolves. */
  async write(columns: Readonly<Record<string, ColumnInput>>): Promise<void> {
    const given = Object.entries(columns).map(([name, input]) => ({ name, ...typed(name, input) }))
    const [names, dtypes] = [given.map(({ name }) => name), given.map(({ dtype }) => dtype)]
    await this.#handle.read((raw) => raw.write(names, dtypes, given.map(({ bytes }) => bytes)))
    this.#rows = this.#handle.ask(({ rows }) => rows)
  }

  /** @internal Writes rows of a table as one record, with names and types exactly as it has them. */
  async writeSelection(rows: Selection): Promise<void> {
    const selection = await Selection.resolve(rows, {})
    await this.#handle.read((raw) => raw.writeSelection(selection))
    this.#rows = this.#handle.ask(({ rows }) => rows)
  }

  /** Makes what was written visible and durable. */
  async commit(): Promise<void> {
    await this.#handle.read((raw) => raw.commit())
  }

  /** Closes without a commit of what was written since the last one. */
  async abort(): Promise<void> {
    await this.#handle.close(() => this.#handle.raw.abort())
  }

  /** Commits, and gives back files and memory. Twice is once. */
  close(): Promise<void> {
    return this.#handle.close(() => this.#handle.raw.close())
  }
}
