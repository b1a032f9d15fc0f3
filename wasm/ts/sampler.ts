import { counted, wide } from './indices.js'
import type * as Interface from './interface.js'
import type { Integer, Mode, Occurrence, SamplerOptions } from './interface.js'
import { enter } from './module.js'
import { occurrences } from './occurrences.js'
import type { RawSampler } from './raw.js'

/** A sampler that WebAssembly has made. */
class Made {
  constructor(readonly raw: RawSampler) {}
}

/**
 * Batches as a pure function of seed and step, the same in every language. Works without waiting, so `await init()` has to come
 * before.
 *
 * ```js
 * await init()
 * const sampler = new Sampler({ mode: 'cyclic', length: 60_000, batch: 256, seed: 42 })
 * sampler.at(1000)    // BigUint64Array of 256 records
 * ```
 */
export class Sampler implements Interface.Sampler {
  readonly #raw: RawSampler
  readonly mode: Mode
  /** Records. */
  readonly length: bigint
  /** Records of one global batch. */
  readonly batch: number
  readonly seed: bigint
  readonly rank: number
  readonly world: number
  /** Steps of a pass over all records, where the order has passes. */
  readonly stepsPerCycle: bigint | null

  constructor(options: SamplerOptions) {
    const raw = options instanceof Made ? options.raw : make(options)
    this.#raw = raw
    this.mode = raw.mode
    this.length = raw.length
    this.batch = raw.batch
    this.seed = raw.seed
    this.rank = raw.rank
    this.world = raw.world
    this.stepsPerCycle = raw.stepsPerCycle ?? null
  }

  /** @internal */
  static of(raw: RawSampler): Sampler {
    return new Sampler(new Made(raw) as unknown as SamplerOptions)
  }

  /**
   * The records of a step, for this rank. The order `iid` draws all steps before it first, which takes long for late ones;
   * `iid_seek`, which is as random, and the others know any step at once.
   */
  at(step: Integer): BigUint64Array {
    const number = wide(step, 'a step')
    return enter(() => this.#raw.at(number))
  }

  /** Where a record appears, from `from` on. Only sequential and cyclic orders know. */
  stepsOf(record: Integer, { from = 0, count = 1 }: { readonly from?: Integer; readonly count?: number } = {}): Occurrence[] {
    const [number, first] = [wide(record, 'a record'), wide(from, 'from')]
    return occurrences(count, (most) => enter(() => this.#raw.stepsOf(number, first, most)))
  }

  /** First step of an epoch, and first step behind it. Only sequential and cyclic orders have epochs. */
  epoch(number: Integer): { readonly start: bigint; readonly end: bigint } {
    const epoch = wide(number, 'an epoch')
    const [start = 0n, end = 0n] = enter(() => this.#raw.epoch(epoch))
    return { start, end }
  }

  /** The same order for another rank. */
  shard(rank: number, world: number): Sampler {
    counted(rank, 'rank')
    counted(world, 'world', 1)
    return Sampler.of(enter(() => this.#raw.shard(rank, world)))
  }
}

function make({ mode, length, batch, seed, rank = 0, world = 1 }: SamplerOptions): RawSampler {
  const records = wide(length, 'length')
  const key = seed === undefined ? undefined : wide(seed, 'seed')
  counted(batch, 'batch')
  counted(rank, 'rank')
  counted(world, 'world')
  return enter((raw) => raw.sampler(mode, records, batch, key, rank, world))
}

/** A sampler for other parts of the package. */
export { make as makeSampler }
