import type { Sampler } from '../../../wasm/ts/interface.js'
import type { NativeSampler } from '../native.js'

/** A sampler of the package for browsers in the shape of the addon's. */
export class FallbackSampler implements NativeSampler {
  readonly #sampler: Sampler

  constructor(sampler: Sampler) {
    this.#sampler = sampler
  }

  get mode(): NativeSampler['mode'] {
    return this.#sampler.mode
  }

  get length(): bigint {
    return this.#sampler.length
  }

  get batch(): number {
    return this.#sampler.batch
  }

  get seed(): bigint {
    return this.#sampler.seed
  }

  get rank(): number {
    return this.#sampler.rank
  }

  get world(): number {
    return this.#sampler.world
  }

  get stepsPerCycle(): bigint | null {
    return this.#sampler.stepsPerCycle
  }

  at(step: bigint): BigUint64Array {
    return this.#sampler.at(step)
  }

  stepsOf(record: bigint, from: bigint, count: number): BigUint64Array {
    const found = this.#sampler.stepsOf(record, { from, count })
    return BigUint64Array.from(found.flatMap(({ step, position }) => [step, BigInt(position)]))
  }

  epoch(number: bigint): BigUint64Array {
    const { start, end } = this.#sampler.epoch(number)
    return BigUint64Array.of(start, end)
  }

  shard(rank: number, world: number): NativeSampler {
    return new FallbackSampler(this.#sampler.shard(rank, world))
  }
}
