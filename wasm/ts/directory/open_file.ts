/** An open file of the origin private file system. */

import type { SyncFile } from '../raw.js'
import type { SyncHandle } from './browser.js'
import { named } from './problem.js'

/** A file whose handle can be exchanged, because a file that gets another name has to be closed for that. */
export class OpenFile implements SyncFile {
  #handle: SyncHandle | undefined
  /** Whether it was changed since the last flush. */
  #isChanged = false

  constructor(handle: SyncHandle) {
    this.#handle = handle
  }

  read(buffer: Uint8Array, { at }: { at: number }): number {
    const handle = this.#open()
    let done = 0
    while (done < buffer.length) {
      const count = handle.read(done === 0 ? buffer : buffer.subarray(done), { at: at + done })
      if (count === 0) {
        break
      }
      if (!isCount(count, buffer.length - done)) {
        throw named('UnknownError', `the browser failed to read at ${at + done}`)
      }
      done += count
    }
    return done
  }

  write(buffer: Uint8Array, { at }: { at: number }): number {
    const handle = this.#open()
    this.#isChanged = true
    let done = 0
    while (done < buffer.length) {
      const count = handle.write(done === 0 ? buffer : buffer.subarray(done), { at: at + done })
      // Chromium throws where the quota ends, but in a private window it answers with an error number instead.
      if (count === 0 || !isCount(count, buffer.length - done)) {
        throw full()
      }
      done += count
    }
    return done
  }

  getSize(): number {
    return this.#open().getSize()
  }

  truncate(size: number): void {
    const handle = this.#open()
    this.#isChanged = true
    handle.truncate(size)
    // The same private windows fail without a word.
    if (handle.getSize() !== size) {
      throw full()
    }
  }

  flush(): void {
    this.#open().flush()
    this.#isChanged = false
  }

  /** Flushes what was changed through this handle. */
  flushChanges(): void {
    if (this.#isChanged) {
      this.flush()
    }
  }

  /** Gives the handle back; the file may be opened anew. */
  close(): void {
    this.#handle?.close()
    this.#handle = undefined
  }

  reopen(handle: SyncHandle): void {
    this.#handle = handle
  }

  #open(): SyncHandle {
    if (this.#handle === undefined) {
      throw named('UnknownError', 'the file was closed')
    }
    return this.#handle
  }
}

function isCount(count: number, most: number): boolean {
  return Number.isSafeInteger(count) && count >= 0 && count <= most
}

function full(): Error {
  return named('QuotaExceededError', 'the browser gives this site no more space')
}
