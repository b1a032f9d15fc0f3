import type { RawModule } from '../../raw.js'
import { TABLE } from '../../directory/names.js'
import type { Listing } from '../source.js'

/** The listing of a folder and of those below it, from its `recask.json`. Paths have `/` between their parts. */
export class Index {
  readonly #folders = new Map<string, { files: Map<string, number>; folders: Set<string> }>()

  constructor(streams: ReturnType<RawModule['parseIndex']>) {
    for (const { kind, path, files } of streams) {
      const parts = path === '.' ? [] : path.split('/')
      if (kind === 'table') {
        const name = parts.pop() ?? ''
        for (const size of Object.values(files)) this.#folder(parts).files.set(name, size)
      } else {
        for (const [name, size] of Object.entries(files)) this.#folder(parts).files.set(name, size)
      }
    }
  }

  /** What is directly in a folder; `undefined` where no stream is in it or below it. */
  list(path: string): Listing | undefined {
    const folder = this.#folders.get(path)
    return folder && { files: folder.files, folders: [...folder.folders] }
  }

  /** A table as a source of its own. */
  listFile(path: string): Listing | undefined {
    const size = this.sizeOf(path)
    return size === undefined ? undefined : { files: new Map([[TABLE, size]]), folders: [] }
  }

  sizeOf(path: string): number | undefined {
    const at = path.lastIndexOf('/')
    return this.#folders.get(path.slice(0, Math.max(at, 0)))?.files.get(path.slice(at + 1))
  }

  #folder(parts: readonly string[]) {
    const path = parts.join('/')
    let folder = this.#folders.get(path)
    if (!folder) {
      folder = { files: new Map(), folders: new Set() }
      this.#folders.set(path, folder)
      const last = parts.at(-1)
      if (last !== undefined) this.#folder(parts.slice(0, -1)).folders.add(last)
    }
    return folder
  }
}
