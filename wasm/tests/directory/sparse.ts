/** Bytes of a file of which most may be zeros: near 4 GiB, a test can neither hold nor copy them all. */

const BLOCK = 4096

export class Sparse {
  #blocks = new Map<number, Uint8Array>()
  #size = 0

  static of(bytes: Uint8Array): Sparse {
    const sparse = new Sparse()
    sparse.write(bytes, 0)
    return sparse
  }

  get size(): number {
    return this.#size
  }

  copy(): Sparse {
    const copy = new Sparse()
    copy.#size = this.#size
    copy.#blocks = new Map([...this.#blocks].map(([number, block]) => [number, block.slice()]))
    return copy
  }

  read(buffer: Uint8Array, at: number): number {
    const end = Math.min(at + buffer.length, this.#size)
    for (let from = at; from < end; ) {
      const [number, offset] = [Math.floor(from / BLOCK), from % BLOCK]
      const count = Math.min(BLOCK - offset, end - from)
      const block = this.#blocks.get(number)
      const target = buffer.subarray(from - at, from - at + count)
      if (block === undefined) target.fill(0)
      else target.set(block.subarray(offset, offset + count))
      from += count
    }
    return Math.max(end - at, 0)
  }

  write(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length; ) {
      const [number, offset] = [Math.floor((at + done) / BLOCK), (at + done) % BLOCK]
      const part = bytes.subarray(done, done + BLOCK - offset)
      const block = this.#blocks.get(number) ?? new Uint8Array(BLOCK)
      block.set(part, offset)
      this.#blocks.set(number, block)
      done += part.length
    }
    this.#size = Math.max(this.#size, at + bytes.length)
  }

  resize(size: number): void {
    for (const [number, block] of this.#blocks) {
      const start = number * BLOCK
      if (start >= size) this.#blocks.delete(number)
      else if (start + BLOCK > size) block.fill(0, size - start)
    }
    this.#size = size
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#size)
    this.read(bytes, 0)
    return bytes
  }
}
