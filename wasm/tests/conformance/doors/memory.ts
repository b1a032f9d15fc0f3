/** Stores and tables in memory. */

import type { Door, Inside } from '../door.js'
import type { Golden } from '../golden.js'
import { only } from './only.js'
import type { Place, Recask } from './package.js'

/** The name of a table in a map of its own. */
const TABLE = 'table.cstore'

export function memoryDoor(recask: Recask, inside: Inside, golden: Golden): Door<Place> {
  const maps = new Map<Place, Map<string, Uint8Array>>()
  const holding = (files: Iterable<readonly [string, Uint8Array]>, table = false): Place => {
    // Copies: what is written must not show in the golden files.
    const map = new Map(Array.from(files, ([name, content]) => [name, content.slice()] as [string, Uint8Array]))
    const folder = recask.fromMemory(map)
    const place = table ? folder.file(TABLE) : folder
    maps.set(place, map)
    return place
  }
  const filesOf = (place: Place) => maps.get(place) ?? new Map<string, Uint8Array>()
  const copy = async (folder: string) => holding(golden.folder(folder))
  const table = async (file: string) => holding([[TABLE, golden.file(file)]], true)
  return {
    name: 'memory',
    recask,
    inside,
    lists: true,
    original: copy,
    copy,
    nowhere: async () => holding([]),
    files: async (place) => filesOf(place),
    originalTable: table,
    table,
    noTable: async () => holding([], true),
    tableBytes: async (place) => only(filesOf(place), TABLE),
    golden: async (folder) => golden.folder(folder),
    goldenTable: async (file) => golden.file(file),
    tidy: async () => maps.clear(),
  }
}
