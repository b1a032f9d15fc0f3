import { type Folder, openBlob, type OpenFile } from './folder.js'

/** Folders and files that were dropped on a page, as all browsers give them. */
export class EntryFolder implements Folder {
  readonly #entries: () => Promise<readonly FileSystemEntry[]>
  #known: Promise<ReadonlyMap<string, FileSystemEntry>> | undefined

  constructor(entries: () => Promise<readonly FileSystemEntry[]>) {
    this.#entries = entries
  }

  static of(directory: FileSystemDirectoryEntry): EntryFolder {
    return new EntryFolder(() => readAll(directory.createReader()))
  }

  async list(): Promise<{ files: string[]; folders: string[] }> {
    const entries = [...(await this.#all()).values()]
    const names = (isFile: boolean) => entries.filter((entry) => entry.isFile === isFile).map(({ name }) => name)
    return { files: names(true), folders: names(false) }
  }

  async folder(name: string): Promise<Folder | undefined> {
    const entry = (await this.#all()).get(name)
    return entry?.isDirectory ? EntryFolder.of(entry as FileSystemDirectoryEntry) : undefined
  }

  async file(name: string): Promise<OpenFile | undefined> {
    const entry = (await this.#all()).get(name)
    if (!entry?.isFile) return undefined
    return openBlob(await new Promise<Blob>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)))
  }

  #all(): Promise<ReadonlyMap<string, FileSystemEntry>> {
    return (this.#known ??= this.#entries().then((entries) => new Map(entries.map((entry) => [entry.name, entry]))))
  }
}

/** A reader gives some at a time, and none at the end. */
async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
