import type { FileHandle, SyncHandle } from '../../directory/browser.js'
import { nameOf } from '../../directory/problem.js'
import { RecaskError } from '../../errors.js'
import { openBlob, type OpenFile } from './folder.js'

/** How often a file is looked at anew that others write at the same time. */
const TRIES = 10

/**
 * Opens a file of the origin private file system for reading.
 *
 * Where a synchronous handle can be shared, in workers of Chromium, that is some hundred times faster for small reads (1,000 of
 * 1 KiB in 10 ms instead of 900) and twice to six times for large ones. No writer gets the file meanwhile, so it is not kept for
 * long. Where a writer has it, or on a page, the browser reads it as a `Blob`.
 */
export async function openInPlace(handle: FileHandle): Promise<OpenFile> {
  return (await openShared(handle)) ?? openAnew(handle)
}

interface Sharing {
  createSyncAccessHandle?(options: { mode: 'read-only' }): Promise<SyncHandle>
}

/** Elsewhere the mode is passed over, and the handle would be exclusive. */
export function canShare(): boolean {
  const { FileSystemSyncAccessHandle } = globalThis as { FileSystemSyncAccessHandle?: { prototype: object } }
  return FileSystemSyncAccessHandle !== undefined && 'mode' in FileSystemSyncAccessHandle.prototype
}

async function openShared(handle: FileHandle): Promise<OpenFile | undefined> {
  if (!canShare()) return undefined
  let file: SyncHandle | undefined
  try {
    file = await (handle as Sharing).createSyncAccessHandle?.({ mode: 'read-only' })
  } catch (error) {
    if (nameOf(error) === 'NoModificationAllowedError') return undefined
    throw error
  }
  return file && new SharedFile(file)
}

class SharedFile implements OpenFile {
  readonly size: number
  readonly #file: SyncHandle

  constructor(file: SyncHandle) {
    this.#file = file
    this.size = file.getSize()
  }

  read(start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start)
    return bytes.subarray(0, this.#file.read(bytes, { at: start }))
  }

  close(): void {
    this.#file.close()
  }
}

/** A `Blob` is a state of the file: the next write to it makes it unreadable, and what is wanted of it is there all the same. */
export async function openAnew(handle: FileHandle): Promise<OpenFile> {
  let file = openBlob(await handle.getFile())
  const read = async (start: number, end: number) => {
    for (let tries = 1; ; tries++) {
      const tried = file
      try {
        return await tried.read(start, Math.min(end, tried.size))
      } catch (error) {
        if (nameOf(error) !== 'NotReadableError') throw error
        if (tries >= TRIES)
          throw new RecaskError('store_busy', `${handle.name} is being written all the time; try again later`)
      }
      // Others may have looked already.
      if (file === tried) file = openBlob(await handle.getFile())
    }
  }
  return { size: file.size, read }
}
