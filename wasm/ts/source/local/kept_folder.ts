import type { Folder, OpenFile } from './folder.js'

/** A folder that keeps its files as they were found first, so that it shows when one of them changes. */
export class KeptFolder implements Folder {
  readonly #folder: Folder
  readonly #files = new Map<string, Promise<OpenFile | undefined>>()
  readonly #folders = new Map<string, Promise<Folder | undefined>>()

  constructor(folder: Folder) {
    this.#folder = folder
  }

  list(): ReturnType<Folder['list']> {
    return this.#folder.list()
  }

  folder(name: string): Promise<Folder | undefined> {
    return kept(this.#folders, name, async () => {
      const folder = await this.#folder.folder(name)
      return folder && new KeptFolder(folder)
    })
  }

  file(name: string): Promise<OpenFile | undefined> {
    return kept(this.#files, name, () => this.#folder.file(name))
  }
}

/** A failure is nothing to keep. */
function kept<T>(all: Map<string, Promise<T>>, name: string, find: () => Promise<T>): Promise<T> {
  const known = all.get(name)
  if (known) return known
  const asked = find()
  all.set(name, asked)
  asked.catch(() => all.delete(name))
  return asked
}
