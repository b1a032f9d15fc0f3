/** Stores read through the WebAssembly module itself, from files that are at hand. */

import type { Freed, Need, RawFiles, RawModule, RawStore, RawTable } from '../../ts/raw.js'

/** Files as somebody finds them who only reads. */
export interface ReadFiles {
  sizes(): Map<string, number>
  read(name: string, start: number, end: number): Uint8Array
}

/** Opens the store of some files for reading, uses it, and lets it go. */
export function reading<T>(raw: RawModule, place: ReadFiles, use: (store: RawStore) => T): T {
  return using(raw, place, (files) => raw.openStore(files), use)
}

/** The same for the table of some files, which is called `table.cstore`. */
export function readingTable<T>(raw: RawModule, place: ReadFiles, use: (table: RawTable) => T): T {
  return using(raw, place, (files) => raw.openTables(Uint32Array.of(files.id)), use)
}

function using<Opened extends Freed, T>(
  raw: RawModule,
  place: ReadFiles,
  open: (files: RawFiles) => Opened,
  use: (opened: Opened) => T,
): T {
  const files = new raw.RawFiles('a folder')
  try {
    for (const [name, size] of place.sizes()) files.know(name, size)
    files.complete()
    const opened = brought(files, place, () => open(files))
    try {
      return brought(files, place, () => use(opened))
    } finally {
      opened.free()
    }
  } finally {
    files.free()
  }
}

function brought<T>(files: RawFiles, place: ReadFiles, call: () => T): T {
  for (;;) {
    try {
      return call()
    } catch (thrown) {
      const { needs } = thrown as { needs?: readonly Need[] }
      if (needs === undefined) {
        throw thrown
      }
      for (const { name, start, end } of needs) files.put(name, start, place.read(name, start, end))
    }
  }
}
