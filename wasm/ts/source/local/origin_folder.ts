import { type FileHandle, type FolderHandle, hasFile } from '../../directory/browser.js'
import { isLock, lockOf, witnessOf } from '../../directory/names.js'
import { refuseInterrupted } from '../../directory/place.js'
import type { Folder, OpenFile } from './folder.js'
import { found, HandleFolder } from './handle_folder.js'
import { HeldFiles } from './held_files.js'
import { canShare, openAnew, openInPlace } from './in_place.js'

/** For how long nobody looks for a writer again, in milliseconds. */
const TRUST = 10
/** How often an empty file is looked at without what tells of a writer: one that just closes removes the file first. */
const LOOKS = 2

/** A folder of the origin private file system. It is no place of a copy that was interrupted, and what writers opened ahead is no file. */
export class OriginFolder implements Folder {
  readonly #handle: FolderHandle
  readonly #folder: HandleFolder
  /** Files that were found; finding one costs about as much as opening it. */
  readonly #files = new Map<string, FileHandle>()
  readonly #held = new HeldFiles()
  /** Whether there are locks, as it was a moment ago. */
  readonly #locks = new Map<string, Promise<boolean>>()

  private constructor(handle: FolderHandle) {
    this.#handle = handle
    this.#folder = new HandleFolder(handle, openInPlace)
  }

  static async of(handle: FolderHandle): Promise<OriginFolder> {
    await refuseInterrupted(handle)
    return new OriginFolder(handle)
  }

  list(): ReturnType<Folder['list']> {
    return this.#folder.list()
  }

  async folder(name: string): Promise<Folder | undefined> {
    const handle = await this.#folder.handleOf(name)
    return handle && OriginFolder.of(handle)
  }

  async file(name: string): Promise<OpenFile | undefined> {
    const witness = witnessOf(name)
    for (let looks = 1; ; looks++) {
      const file = await this.#opened(name)
      if (!file || file.size > 0 || witness === undefined) return file
      const isLeft = await hasFile(this.#handle, witness)
      if (!isLeft && looks === LOOKS) return file
      file.close?.()
      if (isLeft) return undefined
    }
  }

  letGo(): void {
    this.#held.letGo()
  }

  #opened(name: string): Promise<OpenFile | undefined> {
    return this.#held.use(name, async () => {
      const known = this.#files.get(name)
      const opened = known && (await found(this.#open(name, known)))
      if (opened) return opened
      // It was removed, and another one may have its name.
      this.#files.delete(name)
      const handle = await found(this.#handle.getFileHandle(name))
      if (handle) this.#files.set(name, handle)
      return handle && found(this.#open(name, handle))
    })
  }

  /** A writer needs its files alone: where there is one, or seems to be, none is shared any more. */
  async #open(name: string, handle: FileHandle): Promise<OpenFile> {
    const isAlone = canShare() && !isLock(name) && !(await this.#isLocked(lockOf(name)))
    return isAlone ? openInPlace(handle) : openAnew(handle)
  }

  #isLocked(lock: string): Promise<boolean> {
    const known = this.#locks.get(lock)
    if (known) return known
    const asked = hasFile(this.#handle, lock)
    this.#locks.set(lock, asked)
    setTimeout(() => this.#locks.delete(lock), TRUST)
    return asked
  }
}
