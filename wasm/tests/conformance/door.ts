/** How a door brings golden stores to the cases. */

import type { DenseStore, Package, RaggedStore, Selection, Table, TableWriter } from '../../ts/interface.js'

/** Files by name. */
export type Files = ReadonlyMap<string, Uint8Array>

/** One way into the library. All methods throw where the machine around the suite fails. */
export interface Door<Place> {
  readonly name: string
  readonly recask: Package<Place>
  readonly inside: Inside
  /** Where this door cannot write: why. */
  readonly readOnly?: string
  /** Where a loader never comes to step 2^64 - 1, because it counts the step behind each: why. */
  readonly endsBeforeLast?: string
  /** Whether names and sizes of all files are known before anything is read. */
  readonly lists: boolean
  /** A golden folder, to be read only. `.keep` is not part of it. */
  original(folder: string): Promise<Place>
  /** A place of its own with a copy of the files of a golden folder. */
  copy(folder: string): Promise<Place>
  /** A place where nothing is. */
  nowhere(): Promise<Place>
  /** The files at a place. */
  files(place: Place): Promise<Files>
  /** A golden table, to be read only. Where the door can write, nothing else is beside it. */
  originalTable(file: string): Promise<Place>
  /** A place of its own with a copy of a golden table. */
  table(file: string): Promise<Place>
  /** A place for a table where nothing is. */
  noTable(): Promise<Place>
  /** The table at a place. Throws where there is none, or anything else beside it. */
  tableBytes(place: Place): Promise<Uint8Array>
  /** Files of a golden folder, past the library. */
  golden(folder: string): Promise<Files>
  goldenTable(file: string): Promise<Uint8Array>
  /** Forgets the places that were made for a case. */
  tidy(): Promise<void>
}

/** What cases ask that is not worth a place in the public interface. */
export interface Inside {
  /** The identity of a store as loaderx writes it, as hexadecimal digits. */
  identityHex(store: DenseStore | RaggedStore): string
  /** The rows of one record of a table. */
  recordRows(table: Table, record: number): readonly [start: number, stop: number]
  /** Writes rows as one record, with names and types exactly as their table has them. */
  writeSelection(writer: TableWriter, rows: Selection): Promise<void>
  /** What the text of a state says. */
  readState(text: string): StateFields
}

export interface StateFields {
  readonly mode: string
  readonly seed: bigint
  readonly batch: bigint
  readonly length: bigint
  readonly step: bigint
  readonly done: BigUint64Array
  readonly rank: bigint
  readonly world: bigint
  /** The state as it is written again. */
  readonly text: string
}
