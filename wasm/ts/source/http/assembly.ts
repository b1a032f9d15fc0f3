/** A range of a file that is put together from blocks. */
export class Assembly {
  readonly start: number
  readonly end: number
  readonly #block: number
  #bytes: Uint8Array | undefined
  #filled = 0

  constructor(start: number, end: number, block: number) {
    this.start = start
    this.end = end
    this.#block = block
  }

  /** What has arrived; where the file ends, fewer than the range. */
  get bytes(): Uint8Array {
    return this.#bytes?.subarray(0, this.#filled) ?? new Uint8Array()
  }

  /** Behind the last byte that has arrived. */
  get reached(): number {
    return this.#filled === 0 ? 0 : this.start + this.#filled
  }

  /** Takes what it needs of a block, and says how many bytes that are. */
  take(block: number, bytes: Uint8Array): number {
    const origin = block * this.#block
    const from = Math.max(this.start, origin)
    const to = Math.min(this.end, origin + bytes.length)
    if (from >= to) return 0
    const piece = bytes.subarray(from - origin, to - origin)
    if (from === this.start && this.end <= origin + this.#block) {
      // Within one block there is nothing to put together.
      this.#bytes = piece
    } else {
      this.#bytes ??= new Uint8Array(this.end - this.start)
      this.#bytes.set(piece, from - this.start)
    }
    this.#filled = Math.max(this.#filled, to - this.start)
    return piece.length
  }
}
