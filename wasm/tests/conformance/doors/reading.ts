/** A door that cannot write: each kind of place gives it what is there. */

import type { Door, Files, Inside } from '../door.js'
import type { Golden } from '../golden.js'
import type { Place, Recask } from './package.js'

export interface Reading {
  readonly name: string
  readonly readOnly: string
  readonly lists: boolean
  /** The place of a golden folder, or of a golden table. */
  at(path: string): Place
}

export function readingDoor(recask: Recask, inside: Inside, golden: Golden, reading: Reading): Door<Place> {
  const never = (): never => {
    throw new Error(`${reading.name} cannot write, and no case that writes may come here`)
  }
  return {
    ...reading,
    recask,
    inside,
    original: async (folder) => reading.at(folder),
    originalTable: async (file) => reading.at(file),
    golden: async (folder): Promise<Files> => golden.folder(folder),
    goldenTable: async (file) => golden.file(file),
    table: never,
    copy: never,
    nowhere: never,
    files: never,
    noTable: never,
    tableBytes: never,
    tidy: async () => {},
  }
}
