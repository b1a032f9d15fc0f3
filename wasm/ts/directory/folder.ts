/** A folder of the origin private file system under the names that the core uses. */

import { RecaskError } from '../errors.js'
import { type FileHandle, type FolderHandle, hasFile, type SyncHandle } from './browser.js'
import { DRAFT, INCOMPLETE, TABLE, draftOf, isLock } from './names.js'
import { OpenFile } from './open_file.js'
import { interrupted } from './place.js'
import { nameOf } from './problem.js'

/** How often a file is opened that somebody else removed between finding and opening it. */
const TRIES = 3
/** How long to wait for a file that is taken, again and again, in milliseconds. */
const PAUSES = [5, 10, 20, 40, 80, 160, 320]

/** By what a changed file is told from an unchanged one. */
export interface Look {
  readonly size: number
  readonly modified: number | undefined
}

export class Folder {
  readonly handle: FolderHandle
  readonly #table: string | undefined
  #canMove = true

  /** `table`: the name of the one file that is meant. */
  constructor(handle: FolderHandle, table?: string) {
    this.handle = handle
    this.#table = table
  }

  /** The name of a file in the folder. */
  nameOf(name: string): string {
    if (this.#table === undefined) {
      return name
    }
    return name === TABLE ? this.#table : name === DRAFT ? draftOf(this.#table) : name
  }

  /** What is in the folder; a refusal where files are being copied there. */
  async names(): Promise<Map<string, 'file' | 'directory'>> {
    const names = new Map<string, 'file' | 'directory'>()
    for await (const [name, { kind }] of this.handle.entries()) {
      names.set(name, kind)
    }
    if (names.has(INCOMPLETE)) {
      throw interrupted(this.handle.name)
    }
    return names
  }

  /** Whether there is a file of this name. */
  has(name: string): Promise<boolean> {
    return hasFile(this.handle, this.nameOf(name))
  }

  /** Opens a file for reading and writing, for nobody else at the same time. */
  async open(name: string, create: boolean): Promise<OpenFile> {
    return new OpenFile(await this.access(name, create))
  }

  /** The bare handle of {@link open}. */
  access(name: string, create: boolean): Promise<SyncHandle> {
    // Only writers take a lock, and they keep it.
    return isLock(name) ? this.#access(name, create) : patiently(() => this.#access(name, create))
  }

  async #access(name: string, create: boolean): Promise<SyncHandle> {
    for (let tries = 1; ; tries++) {
      try {
        const file = await this.handle.getFileHandle(this.nameOf(name), { create })
        this.#canMove = file.move !== undefined
        if (file.createSyncAccessHandle === undefined) {
          if (create) {
            await this.removeEmpty(name)
          }
          throw new RecaskError(
            'unsupported',
            'a page cannot write to the origin private file system; call from a dedicated worker',
          )
        }
        return await file.createSyncAccessHandle()
      } catch (error) {
        if (!create || tries >= TRIES || nameOf(error) !== 'NotFoundError') {
          throw error
        }
      }
    }
  }

  /** Whether {@link move} is there, as far as a file was opened. */
  get canMove(): boolean {
    return this.#canMove
  }

  /** What a file is now. */
  async look(name: string): Promise<Look> {
    const file: Blob & { readonly lastModified?: number } = await (await this.#file(name)).getFile()
    return { size: file.size, modified: file.lastModified }
  }

  /** Gives another name, in one step, in which the file with that name goes if it is still as it was `seen`. */
  async move(from: string, to: string, seen: Look | undefined): Promise<void> {
    await patiently(async () => {
      if (seen !== undefined) {
        const { size, modified } = await this.look(to)
        if (size !== seen.size || modified !== seen.modified) {
          throw new RecaskError('store_busy', `${this.nameOf(to)} was changed by somebody else meanwhile; do it again`)
        }
      }
      await (await this.#file(from)).move?.(this.nameOf(to))
    })
  }

  /** Removes a file, whatever is in it. One that cannot be removed stays. */
  async remove(name: string): Promise<void> {
    await patiently(() => this.handle.removeEntry(this.nameOf(name))).catch(() => {})
  }

  /** Removes a file that is empty still; whether no empty one stays. */
  async removeEmpty(name: string): Promise<boolean> {
    try {
      // Whoever opened it since may have filled it.
      if ((await this.look(name)).size === 0) {
        await patiently(() => this.handle.removeEntry(this.nameOf(name)))
      }
      return true
    } catch (error) {
      // Taken by somebody who needs it, if it is not gone already.
      return nameOf(error) === 'NotFoundError'
    }
  }

  #file(name: string): Promise<FileHandle> {
    return this.handle.getFileHandle(this.nameOf(name))
  }
}

/** Waits for readers: in Chromium they may hold a file for one round of reads. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await work()
    } catch (error) {
      if (nameOf(error) !== 'NoModificationAllowedError') {
        throw error
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
  return work()
}
