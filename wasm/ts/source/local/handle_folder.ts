import type { FileHandle, FolderHandle } from '../../directory/browser.js'
import { nameOf } from '../../directory/problem.js'
import type { Folder, OpenFile } from './folder.js'

type OpenHandle = (handle: FileHandle) => Promise<OpenFile>

/** A folder of the browser's file system. */
export class HandleFolder implements Folder {
  readonly #handle: FolderHandle
  readonly #open: OpenHandle

  constructor(handle: FolderHandle, open: OpenHandle) {
    this.#handle = handle
    this.#open = open
  }

  async list(): Promise<{ files: string[]; folders: string[] }> {
    const files: string[] = []
    const folders: string[] = []
    for await (const [name, { kind }] of this.#handle.entries()) (kind === 'file' ? files : folders).push(name)
    return { files, folders }
  }

  async folder(name: string): Promise<Folder | undefined> {
    const handle = await this.handleOf(name)
    return handle && new HandleFolder(handle, this.#open)
  }

  /** Of a folder in this one. */
  handleOf(name: string): Promise<FolderHandle | undefined> {
    return found(this.#handle.getDirectoryHandle(name))
  }

  async file(name: string): Promise<OpenFile | undefined> {
    const handle = await found(this.#handle.getFileHandle(name))
    return handle && this.#open(handle)
  }
}

/** Nothing where there is nothing of this name, or something of the other kind. */
export async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (['NotFoundError', 'TypeMismatchError'].includes(nameOf(error))) return undefined
    throw error
  }
}
