import { attempt } from './attempt.js'
import { disposable } from './closing.js'
import { Handle } from './handle.js'
import { invalid } from './errors.js'
import { init } from './init.js'
import type * as Interface from './interface.js'
import type { Column, LongOptions, Options, TableOptions, Verification } from './interface.js'
import { placeOf } from './place.js'
import type { RawTable } from './raw.js'
import { verificationOf } from './report.js'
import { Selection } from './selection.js'
import type { Source } from './source/source.js'
import { TableWriter } from './table_writer.js'
import { directoryOf, finished, watch } from './writing.js'

/** A column table: one `.cstore` file, or several as one. It is a selection of all its rows and columns. */
export class Table extends Selection implements Interface.Table {
  static {
    disposable(this)
  }

  /** Opens one table, or several as one. */
  static async open(source: Source | readonly Source[], options: Options = {}): Promise<Table> {
    await init()
    const sources = [source].flat() as readonly Source[]
    if (sources.length === 0) throw invalid('a table has at least one file')
    return Table.at(sources.map(placeOf), options)
  }

  /** @internal With what is known of the places. */
  static async at(sources: readonly Source[], options: Options): Promise<Table> {
    const open = await Handle.forReading(
      sources,
      (raw, files) => raw.openTables(Uint32Array.from(files, ({ id }) => id)),
      options,
    )
    return new Table(open)
  }

  /** Starts a new table; the first write fixes the columns. */
  static async create(source: Source, options: TableOptions = {}): Promise<TableWriter> {
    await init()
    const { layout = '0.3', statistics = false } = options
    return TableWriter.of(
      await Handle.forWriting(placeOf(source), true, (raw, directory) => raw.createTable(directory, layout, statistics)),
    )
  }

  /** Continues a table behind its last row. */
  static async append(source: Source): Promise<TableWriter> {
    await init()
    return TableWriter.of(await Handle.forWriting(placeOf(source), false, (raw, directory) => raw.appendTable(directory)))
  }

  /** Writes all rows of a table as one record in its place. */
  static async compact(source: Source, options: LongOptions = {}): Promise<void> {
    await init()
    const directory = await directoryOf(placeOf(source), false, options)
    const watched = watch(options)
    try {
      await attempt((raw) => raw.compactTable(directory, watched.tell), { signal: options.signal, directory })
    } catch (error) {
      throw watched.reason(error)
    } finally {
      await finished(directory, () => {})
    }
  }

  readonly kind = 'table'
  /** Rows. */
  readonly length: number
  readonly schema: readonly Column[]
  /** Pieces in which the rows were written. */
  readonly fileRecords: number
  readonly #handle: Handle<RawTable>
  declare [Symbol.asyncDispose]: () => Promise<void>

  private constructor(handle: Handle<RawTable>) {
    const schema = handle.ask((raw) => raw.schema()).map(({ name, dtype }) => ({ name, dtype }))
    super(handle, schema, () => handle.ask((raw) => raw.all()))
    this.#handle = handle
    this.schema = schema
    this.length = handle.ask(({ length }) => length)
    this.fileRecords = handle.ask(({ fileRecords }) => fileRecords)
  }

  /** Checks everything that can be checked: the values themselves have no checksums. */
  async verify(options: LongOptions = {}): Promise<Verification> {
    return verificationOf(await this.#handle.read((raw) => raw.verify(), options))
  }

  /** Gives back files and memory. Twice is once. Selections of it can be used no more. */
  close(): Promise<void> {
    return this.#handle.close()
  }
}
