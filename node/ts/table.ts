import { invalid } from '../../wasm/ts/errors.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { Column, LongOptions, Options, TableOptions, Verification } from '../../wasm/ts/interface.js'
import { verificationOf } from '../../wasm/ts/report.js'
import { addon } from './addon.js'
import { at, off, watched } from './call.js'
import { disposable } from './closing.js'
import { optionsOf } from './given.js'
import type { Rules } from './interface.js'
import type { NativeTable } from './native.js'
import { pathOf, type Place } from './place.js'
import { type Owner, Selection } from './selection.js'
import { TableWriter } from './table_writer.js'

/** A column table: one `.cstore` file, or several as one. It is a selection of all its rows and columns. */
export class Table extends Selection implements Interface.Table {
  static {
    disposable(this)
  }

  /** Opens one table, or several as one. */
  static async open(place: Place | readonly Place[], options: Options = {}): Promise<Table> {
    const paths = pathsOf(place)
    return new Table(await watched(options, (...watch) => addon().openTables(paths, ...watch)), paths.join(', '))
  }

  static openSync(place: Place | readonly Place[]): Table {
    const paths = pathsOf(place)
    return new Table(
      at(() => addon().openTablesSync(paths)),
      paths.join(', '),
    )
  }

  /** Starts a new table; the first write fixes the columns. */
  static async create(place: Place, options: TableOptions = {}): Promise<TableWriter> {
    const [path, layout, statistics] = created(place, options)
    return TableWriter.of(await off(() => addon().createTable(path, layout, statistics)))
  }

  static createSync(place: Place, options: TableOptions = {}): TableWriter {
    const [path, layout, statistics] = created(place, options)
    return TableWriter.of(at(() => addon().createTableSync(path, layout, statistics)))
  }

  /** Continues a table behind its last row. */
  static async append(place: Place): Promise<TableWriter> {
    const path = pathOf(place)
    return TableWriter.of(await off(() => addon().appendTable(path)))
  }

  static appendSync(place: Place): TableWriter {
    const path = pathOf(place)
    return TableWriter.of(at(() => addon().appendTableSync(path)))
  }

  /** Writes all rows of a table as one record in its place. */
  static async compact(place: Place, options: LongOptions = {}): Promise<void> {
    const path = pathOf(place)
    await watched(options, (...watch) => addon().compactTable(path, ...watch))
  }

  static compactSync(place: Place): void {
    const path = pathOf(place)
    at(() => addon().compactTableSync(path))
  }

  /** Makes a new table of Arrow IPC, a file or a stream, and resolves to the number of its rows. */
  static async fromArrow(place: Place, bytes: Uint8Array, options: TableOptions & Rules & LongOptions = {}): Promise<number> {
    const writer = await Table.create(place, options)
    try {
      const rows = await writer.writeArrow(bytes, options)
      await writer.close()
      return rows
    } catch (error) {
      await writer.abort()
      throw error
    }
  }

  static fromArrowSync(place: Place, bytes: Uint8Array, options: TableOptions & Rules = {}): number {
    const writer = Table.createSync(place, options)
    try {
      const rows = writer.writeArrowSync(bytes, options)
      writer.closeSync()
      return rows
    } catch (error) {
      writer.abortSync()
      throw error
    }
  }

  /** @internal What is open behind a table, for tests. */
  static rawOf(table: Table): NativeTable {
    return table.#raw
  }

  readonly kind = 'table'
  /** Rows. */
  readonly length: number
  readonly schema: readonly Column[]
  /** Pieces in which the rows were written. */
  readonly fileRecords: number
  readonly #raw: NativeTable
  readonly #state: State;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>

  private constructor(raw: NativeTable, name: string) {
    const schema = at(() => raw.schema()).map(({ name, dtype }) => ({ name, dtype }))
    const state = new State(name)
    super(state, schema, { later: async () => at(() => raw.all()), now: () => at(() => raw.all()) })
    this.#raw = raw
    this.#state = state
    this.schema = schema
    this.length = raw.length
    this.fileRecords = raw.fileRecords
  }

  /** Checks everything that can be checked: the values themselves have no checksums. */
  async verify(options: LongOptions = {}): Promise<Verification> {
    this.#state.check()
    return verificationOf(await watched(options, (...watch) => this.#raw.verify(...watch)))
  }

  verifySync(): Verification {
    this.#state.check()
    return verificationOf(at(() => this.#raw.verifySync()))
  }

  /** Gives back files and memory. Twice is once. Selections of it can be used no more. */
  async close(): Promise<void> {
    this.#state.isClosed = true
    await off(() => this.#raw.close())
  }

  closeSync(): void {
    this.#state.isClosed = true
    at(() => this.#raw.closeSync())
  }
}

class State implements Owner {
  isClosed = false

  constructor(private readonly name: string) {}

  check(): void {
    if (this.isClosed) throw invalid(`${this.name} is closed`)
  }
}

function pathsOf(place: Place | readonly Place[]): string[] {
  const paths = [place].flat().map((one) => pathOf(one as Place))
  if (paths.length === 0) throw invalid('a table has at least one file')
  return paths
}

function created(place: Place, options: TableOptions): [path: string, layout: string, statistics: boolean] {
  const { layout = '0.3', statistics = false } = optionsOf(options)
  return [pathOf(place), layout, statistics]
}
