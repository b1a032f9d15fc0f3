/** What is stored of every record, for programs that know nothing of stores. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Frames } from '../../../wasm/bench/frames.js'
import type { Case } from '../cases.js'

export class StoredRecords {
  /** With the bytes of all records in memory. */
  static async whole(store: string, of: Case): Promise<StoredRecords> {
    return new StoredRecords(await filesOf(store, ['0.loc', '0.chunk']), of)
  }

  /** That knows where they are only. */
  static async places(store: string, of: Case): Promise<StoredRecords> {
    return new StoredRecords(await filesOf(store, ['0.loc']), of)
  }

  readonly length: number
  readonly kind: Case['kind']
  readonly #frames: Frames

  private constructor(files: ReadonlyMap<string, Uint8Array>, { records, kind }: Case) {
    this.length = records
    this.kind = kind
    this.#frames = new Frames(files, kind)
  }

  /** The bytes of a record; a view. */
  get(record: number): Uint8Array {
    return this.#frames.get(record)
  }

  /** Where it is in the file of the store, and how many bytes it is decoded. */
  entry(record: number): { readonly offset: number; readonly stored: number; readonly size: number } {
    return this.#frames.entry(record)
  }
}

async function filesOf(store: string, names: readonly string[]): Promise<Map<string, Uint8Array>> {
  return new Map(await Promise.all(names.map(async (name) => [name, new Uint8Array(await readFile(join(store, name)))] as const)))
}
