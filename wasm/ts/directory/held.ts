/**
 * Handles of the browser that are held while somebody waits for them.
 *
 * Chromium forgets what a handle was asked once the handle is collected as garbage, and to wait for the answer does not keep it from
 * that: the answer then never comes.
 */

import type { FileHandle, FileStream, FolderHandle, SyncHandle } from './browser.js'

/** A folder whose answers come, and of whose files and folders they do. */
export function heldFolder(handle: FolderHandle): FolderHandle {
  return new HeldFolder(handle)
}

/** A file whose answers come. */
export function heldFile(handle: FileHandle): FileHandle {
  return new HeldFile(handle)
}

class HeldFolder implements FolderHandle {
  readonly kind = 'directory'
  readonly name: string
  readonly #handle: FolderHandle

  constructor(handle: FolderHandle) {
    this.name = handle.name
    this.#handle = handle
  }

  async getFileHandle(name: string, options?: { create?: boolean }): Promise<FileHandle> {
    return new HeldFile(await until(this.#handle, this.#handle.getFileHandle(name, options)))
  }

  async getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<FolderHandle> {
    return new HeldFolder(await until(this.#handle, this.#handle.getDirectoryHandle(name, options)))
  }

  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void> {
    return until(this.#handle, this.#handle.removeEntry(name, options))
  }

  async *entries(): ReturnType<FolderHandle['entries']> {
    const entries = this.#handle.entries()[Symbol.asyncIterator]()
    const asked = [this.#handle, entries]
    for (;;) {
      const next = await until(asked, entries.next())
      if (next.done) return
      yield next.value
    }
  }
}

class HeldFile implements FileHandle {
  readonly kind = 'file'
  readonly name: string
  readonly #handle: FileHandle
  /** What a browser does not have is not here either. */
  readonly createSyncAccessHandle?: (...options: []) => Promise<SyncHandle>
  readonly createWritable?: () => Promise<FileStream>
  readonly move?: (name: string) => Promise<void>

  constructor(handle: FileHandle) {
    this.name = handle.name
    this.#handle = handle
    if (handle.createSyncAccessHandle) {
      this.createSyncAccessHandle = (...options) => until(handle, handle.createSyncAccessHandle!(...options))
    }
    if (handle.createWritable) {
      this.createWritable = async () => new HeldStream(await until(handle, handle.createWritable!()))
    }
    if (handle.move) {
      this.move = (name) => until(handle, handle.move!(name))
    }
  }

  getFile(): Promise<Blob> {
    return until(this.#handle, this.#handle.getFile())
  }
}

class HeldStream implements FileStream {
  readonly #stream: FileStream

  constructor(stream: FileStream) {
    this.#stream = stream
  }

  write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    return until(this.#stream, this.#stream.write(bytes))
  }

  close(): Promise<void> {
    return until(this.#stream, this.#stream.close())
  }

  abort(reason?: unknown): Promise<void> {
    return until(this.#stream, this.#stream.abort(reason))
  }
}

const held = new Map<symbol, unknown>()

/** Waits for an answer, and holds whom it is awaited from. */
async function until<T>(asked: unknown, answer: Promise<T>): Promise<T> {
  const key = Symbol()
  held.set(key, asked)
  try {
    return await answer
  } finally {
    held.delete(key)
  }
}
