import { type FileHandle, open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Folder, OpenFile } from '../../../wasm/ts/source/local/folder.js'
import { LocalSource } from '../../../wasm/ts/source/local/local_source.js'
import type { Source } from '../../../wasm/ts/source/source.js'
import { storeDirectory, tableDirectory } from './disk_directory.js'

/** A system call costs about as much as reading so many bytes more. */
const COALESCING = { gap: 32 * 1024, max: 8 * 1024 * 1024 }

/** The store in a folder. */
export function folderAt(path: string): Source {
  const tree = {
    name: path,
    root: () => folderOf(path),
    coalescing: COALESCING,
    hasLeftovers: false,
    write: async () => storeDirectory(path),
  }
  return new LocalSource(tree, [], 'folder')
}

/** The table in a file. */
export function fileAt(path: string): Source {
  const tree = {
    name: dirname(path),
    root: () => folderOf(dirname(path)),
    coalescing: COALESCING,
    hasLeftovers: false,
    write: async () => tableDirectory(path),
  }
  return new LocalSource(tree, [basename(path)], 'file')
}

class DiskFolder implements Folder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async list(): Promise<{ files: string[]; folders: string[] }> {
    const [files, folders]: [string[], string[]] = [[], []]
    for (const entry of await readdir(this.#path, { withFileTypes: true })) {
      // A link is what it leads to.
      const kind = entry.isSymbolicLink() ? await stat(join(this.#path, entry.name)).catch(() => entry) : entry
      if (kind.isDirectory()) folders.push(entry.name)
      else if (kind.isFile()) files.push(entry.name)
    }
    return { files, folders }
  }

  folder(name: string): Promise<Folder | undefined> {
    return folderOf(join(this.#path, name))
  }

  async file(name: string): Promise<OpenFile | undefined> {
    const handle = await found(open(join(this.#path, name), 'r'))
    if (!handle) return undefined
    const status = await handle.stat()
    if (status.isFile()) return new DiskFile(handle, status.size)
    await handle.close()
    return undefined
  }
}

class DiskFile implements OpenFile {
  readonly size: number
  readonly #handle: FileHandle

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle
    this.size = size
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start)
    let done = 0
    while (done < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, done, bytes.length - done, start + done)
      if (bytesRead === 0) break
      done += bytesRead
    }
    return bytes.subarray(0, done)
  }

  close(): void {
    this.#handle.close().catch(() => {})
  }
}

async function folderOf(path: string): Promise<Folder | undefined> {
  const status = await found(stat(path))
  return status?.isDirectory() ? new DiskFolder(path) : undefined
}

async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
