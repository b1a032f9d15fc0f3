/** The generator of the native benchmarks, xorshift over 64 bits, in halves: `BigInt` would take minutes. */
export class Numbers {
  high: number
  low: number

  constructor(seed: bigint) {
    this.high = Number(seed >> 32n) >>> 0
    this.low = Number(seed & 0xffff_ffffn) >>> 0
  }

  /** Draws the next number, into `high` and `low`. */
  next(): void {
    let { high, low } = this
    high ^= (high << 13) | (low >>> 19)
    low ^= low << 13
    low ^= (low >>> 7) | (high << 25)
    high ^= high >>> 7
    high ^= (high << 17) | (low >>> 15)
    low ^= low << 17
    this.high = high >>> 0
    this.low = low >>> 0
  }

  /** The remainder of the whole number. */
  below(limit: number): number {
    return ((this.high % limit) * (2 ** 32 % limit) + (this.low % limit)) % limit
  }

  /** The next number, from 0 to 1. */
  unit(): number {
    this.next()
    return (this.high * 2 ** 21 + (this.low >>> 11)) / 2 ** 53
  }
}
