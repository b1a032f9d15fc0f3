/**
 * Stores and tables that are written in memory: in a Map from paths to contents. After every call the Map shows what is
 * there. The contents that it had are not written to; those that it gets are views, which a later append may outgrow, until
 * the directory is closed.
 */

import type { SyncFile } from '../raw.js'
import { GrowingFile } from './growing.js'
import { DRAFT, TABLE } from './names.js'
import type { PreparedDirectory } from './prepared.js'
import { named } from './problem.js'

/** Paths that are being written: folders of stores with a slash behind, and tables. */
const taken = new WeakMap<Map<string, Uint8Array>, Set<string>>()

/** The record store in the folder `path` of the Map, or one that will be created there; by default its files have no folder. */
export function memoryStore(files: Map<string, Uint8Array>, path = ''): PreparedDirectory {
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`
  return new MemoryDirectory(path, files, prefix, (name) => prefix + name, (full) => {
    return full.startsWith(prefix) ? full.slice(prefix.length) : undefined
  })
}

/** The table with this path in the Map, or one that will be created there. */
export function memoryTable(files: Map<string, Uint8Array>, path: string): PreparedDirectory {
  const draft = `${path}.draft`
  const nameOf = (full: string) => (full === path ? TABLE : full === draft ? DRAFT : undefined)
  return new MemoryDirectory(path, files, path, (name) => (name === TABLE ? path : draft), nameOf)
}

class MemoryDirectory implements PreparedDirectory {
  readonly name: string
  readonly #map: Map<string, Uint8Array>
  readonly #place: string
  readonly #pathOf: (name: string) => string
  readonly #files = new Map<string, GrowingFile>()
  /** What the Map has of ours. */
  readonly #shown = new Map<string, Uint8Array>()
  #blocked: Error | undefined

  constructor(
    name: string,
    map: Map<string, Uint8Array>,
    place: string,
    pathOf: (name: string) => string,
    nameOf: (path: string) => string | undefined,
  ) {
    this.name = name
    this.#map = map
    this.#place = place
    this.#pathOf = pathOf
    const places = taken.get(map) ?? new Set<string>()
    taken.set(map, places)
    if (places.has(place)) {
      this.#blocked = named('NoModificationAllowedError', 'it is being written already')
      return
    }
    places.add(place)
    for (const [path, bytes] of map) {
      const file = nameOf(path)
      if (file !== undefined) {
        this.#files.set(file, new GrowingFile(bytes))
        this.#shown.set(file, bytes)
      }
    }
  }

  open(name: string, create: boolean, fresh: boolean): SyncFile {
    this.#check()
    const file = this.#files.get(name)
    if (file !== undefined) {
      if (fresh) {
        throw named('AlreadyExists', `${this.#pathOf(name)} exists already`)
      }
      return file
    }
    if (!create) {
      throw this.#missing(name)
    }
    const made = new GrowingFile(new Uint8Array(0))
    this.#files.set(name, made)
    return made
  }

  has(name: string): boolean {
    this.#check()
    return this.#files.has(name)
  }

  remove(name: string): void {
    this.#check()
    if (!this.#files.delete(name)) {
      throw this.#missing(name)
    }
  }

  rename(from: string, to: string): void {
    this.#check()
    const file = this.#files.get(from)
    if (file === undefined) {
      throw this.#missing(from)
    }
    this.#files.delete(from)
    this.#files.set(to, file)
  }

  names(): string[] {
    this.#check()
    return [...this.#files.keys()]
  }

  wanted(): boolean {
    return false
  }

  async prepare(): Promise<void> {}

  async settle(): Promise<void> {
    if (this.#blocked === undefined) {
      this.#show((file) => file.view())
    }
  }

  async close(): Promise<void> {
    if (this.#blocked === undefined) {
      this.#blocked = named('UnknownError', 'the files were closed')
      this.#show((file) => file.exact())
      taken.get(this.#map)?.delete(this.#place)
    }
  }

  #show(contentOf: (file: GrowingFile) => Uint8Array): void {
    for (const name of this.#shown.keys()) {
      if (!this.#files.has(name)) {
        this.#map.delete(this.#pathOf(name))
        this.#shown.delete(name)
      }
    }
    for (const [name, file] of this.#files) {
      const content = contentOf(file)
      this.#shown.set(name, content)
      this.#map.set(this.#pathOf(name), content)
    }
  }

  #missing(name: string): Error {
    return named('NotFoundError', `${this.#pathOf(name)} does not exist`)
  }

  #check(): void {
    if (this.#blocked !== undefined) {
      throw this.#blocked
    }
  }
}
