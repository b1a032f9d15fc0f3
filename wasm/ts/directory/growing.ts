/** A file in memory. */

import type { SyncFile } from '../raw.js'
import { named } from './problem.js'

/** Room for twice as much, so that appends cost what they add. */
const GROWTH = 2
const SMALLEST = 64

export class GrowingFile implements SyncFile {
  #bytes: Uint8Array
  /** Bytes in use; behind them are zeros. */
  #size: number
  /** Whether the bytes are somebody else's, and are copied before the first change. */
  #borrowed: boolean

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#size = bytes.length
    this.#borrowed = true
  }

  read(buffer: Uint8Array, { at }: { at: number }): number {
    const part = this.#bytes.subarray(Math.min(at, this.#size), Math.min(at + buffer.length, this.#size))
    buffer.set(part)
    return part.length
  }

  write(buffer: Uint8Array, { at }: { at: number }): number {
    const end = at + buffer.length
    this.#own(end)
    this.#bytes.set(buffer, at)
    this.#size = Math.max(this.#size, end)
    return buffer.length
  }

  getSize(): number {
    return this.#size
  }

  truncate(size: number): void {
    this.#own(size)
    this.#bytes.fill(0, size, this.#size)
    this.#size = size
  }

  flush(): void {}

  /** What is in it, as a view that later changes may show in. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  /** What is in it, without room for more. */
  exact(): Uint8Array {
    return this.#bytes.length === this.#size ? this.#bytes : this.#bytes.slice(0, this.#size)
  }

  #own(size: number): void {
    if (!this.#borrowed && size <= this.#bytes.length) {
      return
    }
    const room = size > this.#bytes.length ? Math.max(size, SMALLEST, this.#bytes.length * GROWTH) : this.#bytes.length
    const bytes = allocated(room) ?? allocated(Math.max(size, this.#size))
    if (bytes === undefined) {
      throw named('QuotaExceededError', `there is no memory for a file of ${size} bytes`)
    }
    bytes.set(this.view())
    this.#bytes = bytes
    this.#borrowed = false
  }
}

function allocated(size: number): Uint8Array | undefined {
  try {
    return new Uint8Array(size)
  } catch {
    return undefined
  }
}
