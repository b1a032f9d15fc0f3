import type { Folder, OpenFile } from './folder.js'

/** A folder in a Map from paths, with `/` between their parts, to whatever can be opened. It always shows the Map as it is. */
export class MapFolder<T> implements Folder {
  readonly #files: ReadonlyMap<string, T>
  readonly #open: (content: T) => OpenFile
  readonly #prefix: string

  constructor(files: ReadonlyMap<string, T>, open: (content: T) => OpenFile, prefix = '') {
    this.#files = files
    this.#open = open
    this.#prefix = prefix
  }

  async list(): Promise<{ files: string[]; folders: string[] }> {
    const files: string[] = []
    const folders = new Set<string>()
    for (const path of this.#files.keys()) {
      if (!path.startsWith(this.#prefix)) continue
      const name = path.slice(this.#prefix.length)
      const end = name.indexOf('/')
      if (end < 0) files.push(name)
      else folders.add(name.slice(0, end))
    }
    return { files, folders: [...folders] }
  }

  async folder(name: string): Promise<Folder> {
    return new MapFolder(this.#files, this.#open, `${this.#prefix}${name}/`)
  }

  async file(name: string): Promise<OpenFile | undefined> {
    const content = this.#files.get(this.#prefix + name)
    return content === undefined ? undefined : this.#open(content)
  }
}
