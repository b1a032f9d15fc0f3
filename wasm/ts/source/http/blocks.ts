/** Blocks of files in the order of their last use. The ones that were not used for longest go first. */
export class BlockCache {
  readonly #limit: number
  readonly #blocks = new Map<string, Uint8Array>()
  #bytes = 0

  /** Keeps at most so many bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  get(file: string, block: number): Uint8Array | undefined {
    const key = keyOf(file, block)
    const bytes = this.#blocks.get(key)
    if (bytes !== undefined) {
      this.#blocks.delete(key)
      this.#blocks.set(key, bytes)
    }
    return bytes
  }

  /** The bytes must own their memory: a view would keep more alive than is counted. */
  put(file: string, block: number, bytes: Uint8Array): void {
    const key = keyOf(file, block)
    this.#remove(key)
    if (bytes.length > this.#limit) return
    this.#blocks.set(key, bytes)
    this.#bytes += bytes.length
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#limit) break
      this.#remove(oldest)
    }
  }

  /** Forgets all blocks of a file. */
  drop(file: string): void {
    for (const key of this.#blocks.keys()) {
      if (key.startsWith(`${file}\n`)) this.#remove(key)
    }
  }

  #remove(key: string): void {
    this.#bytes -= this.#blocks.get(key)?.length ?? 0
    this.#blocks.delete(key)
  }
}

function keyOf(file: string, block: number): string {
  return `${file}\n${block}`
}
