/** What is stored of every record, found without the package: for programs that know nothing of stores. */

export class Frames {
  readonly #table: DataView
  readonly #chunk: Uint8Array | undefined
  /** Entries of a record: a ragged one has its shape in a second. */
  readonly #entries: number

  /** Without the chunk it knows only where they are. */
  constructor(files: ReadonlyMap<string, Uint8Array>, kind: 'dense' | 'ragged') {
    const table = files.get('0.loc')!
    this.#table = new DataView(table.buffer, table.byteOffset, table.byteLength)
    this.#chunk = files.get('0.chunk')
    this.#entries = kind === 'dense' ? 1 : 2
  }

  /** The stored elements of a record; a view. */
  get(record: number): Uint8Array {
    const { offset, stored } = this.entry(record)
    return this.#chunk!.subarray(offset, offset + stored)
  }

  /** How many bytes the elements of a record are. */
  size(record: number): number {
    return this.entry(record).size
  }

  /** Where the elements of a record are in the chunk, how many bytes they are there, and how many decoded. */
  entry(record: number): { offset: number; stored: number; size: number } {
    const at = 16 * record * this.#entries
    const field = (position: number) => this.#table.getUint32(at + 4 * position, true)
    return { offset: field(0), stored: field(1), size: field(2) }
  }
}
