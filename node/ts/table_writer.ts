import { typed } from '../../wasm/ts/columns.js'
import { nameOf } from '../../wasm/ts/element.js'
import { invalid } from '../../wasm/ts/errors.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { ColumnInput, LongOptions } from '../../wasm/ts/interface.js'
import { at, off, watched } from './call.js'
import { disposable } from './closing.js'
import { rulesOf } from './rules.js'
import type { Rules } from './interface.js'
import type { NativeTableWriter } from './native.js'
import { Selection } from './selection.js'

type Columns = Readonly<Record<string, ColumnInput>>

/** Writes a table, record by record. Calls take effect in the order in which they were made. */
export class TableWriter implements Interface.TableWriter {
  static {
    disposable(this)
  }

  readonly #raw: NativeTableWriter
  #rows: number;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>

  private constructor(raw: NativeTableWriter) {
    this.#raw = raw
    this.#rows = at(() => raw.rows)
  }

  /** @internal */
  static of(raw: NativeTableWriter): TableWriter {
    return new TableWriter(raw)
  }

  /** Rows that were written, committed or not. */
  get rows(): number {
    return this.#rows
  }

  /** Writes rows as one record; columns have equally many values. */
  async write(columns: Columns): Promise<void> {
    const { names, dtypes, values } = packed(columns)
    await off(() => this.#raw.write(names, dtypes, values))
    this.#measure()
  }

  writeSync(columns: Columns): void {
    const { names, dtypes, values } = packed(columns)
    at(() => this.#raw.writeSync(names, dtypes, values))
    this.#measure()
  }

  /** Writes the record batches of Arrow IPC, a file or a stream, as records; resolves to the number of their rows. */
  async writeArrow(bytes: Uint8Array, rules: Rules & LongOptions = {}): Promise<number> {
    const [arrow, wanted] = [arrowOf(bytes), rulesOf(rules)]
    const rows = await watched(rules, (...watch) => this.#raw.writeArrow(arrow, wanted, ...watch))
    this.#measure()
    return rows
  }

  writeArrowSync(bytes: Uint8Array, rules: Rules = {}): number {
    const [arrow, wanted] = [arrowOf(bytes), rulesOf(rules)]
    const rows = at(() => this.#raw.writeArrowSync(arrow, wanted))
    this.#measure()
    return rows
  }

  /** Writes the selected rows and columns of a table as one record. */
  async writeSelection(rows: Selection): Promise<void> {
    const selection = await Selection.resolve(chosen(rows), {})
    await off(() => this.#raw.writeSelection(selection))
    this.#measure()
  }

  writeSelectionSync(rows: Selection): void {
    const selection = Selection.resolveSync(chosen(rows))
    at(() => this.#raw.writeSelectionSync(selection))
    this.#measure()
  }

  /** Makes what was written visible and durable. */
  async commit(): Promise<void> {
    await off(() => this.#raw.commit())
  }

  commitSync(): void {
    at(() => this.#raw.commitSync())
  }

  /** Closes without a commit of what was written since the last one. */
  async abort(): Promise<void> {
    await off(() => this.#raw.abort())
  }

  abortSync(): void {
    at(() => this.#raw.abortSync())
  }

  /** Commits, and gives back files and memory. Twice is once. */
  async close(): Promise<void> {
    await off(() => this.#raw.close())
  }

  closeSync(): void {
    at(() => this.#raw.closeSync())
  }

  #measure(): void {
    try {
      this.#rows = this.#raw.rows
    } catch {
      // Closed meanwhile: what it had stays.
    }
  }
}

function packed(columns: Columns): { names: string[]; dtypes: string[]; values: Uint8Array[] } {
  if (typeof columns !== 'object' || columns === null) throw invalid(`rows are an object of columns, not ${nameOf(columns)}`)
  const given = Object.entries(columns).map(([name, input]) => ({ name, ...typed(name, input) }))
  return {
    names: given.map(({ name }) => name),
    dtypes: given.map(({ dtype }) => dtype),
    values: given.map(({ bytes }) => bytes),
  }
}

function arrowOf(bytes: unknown): Uint8Array {
  if (bytes instanceof Uint8Array) return bytes
  throw invalid(`Arrow IPC is given as a Uint8Array, not as ${nameOf(bytes)}`)
}

function chosen(rows: unknown): Selection {
  if (Selection.is(rows)) return rows
  throw invalid(`rows are a table or a selection of one, not ${nameOf(rows)}`)
}
