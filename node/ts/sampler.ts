import { counted, wide } from '../../wasm/ts/indices.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { Integer, Mode, Occurrence, SamplerOptions } from '../../wasm/ts/interface.js'
import { occurrences } from '../../wasm/ts/occurrences.js'
import { addon } from './addon.js'
import { at } from './call.js'
import { optionsOf } from './given.js'
import type { NativeSampler } from './native.js'

/** A sampler that the addon has made. */
class Made {
  constructor(readonly raw: NativeSampler) {}
}

/**
 * Batches as a pure function of seed and step, the same in every language.
 *
 * ```js
 * const sampler = new Sampler({ mode: 'cyclic', length: 60_000, batch: 256, seed: 42 })
 * sampler.at(1000)    // BigUint64Array of 256 records
 * ```
 */
export class Sampler implements Interface.Sampler {
  readonly #raw: NativeSampler
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
    const raw = options instanceof Made ? options.raw : makeSampler(options)
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
  static of(raw: NativeSampler): Sampler {
    return new Sampler(new Made(raw) as unknown as SamplerOptions)
  }

  /**
   * The records of a step, for this rank. The order `iid` draws all steps before it first, which takes long for late ones;
   * `iid_seek`, which is as random, and the others know any step at once.
   */
  at(step: Integer): BigUint64Array {
    const number = wide(step, 'a step')
    return at(() => this.#raw.at(number))
  }

  /** Where a record appears, from `from` on. Only sequential and cyclic orders know. */
  stepsOf(record: Integer, { from = 0, count = 1 }: { readonly from?: Integer; readonly count?: number } = {}): Occurrence[] {
    const [number, first] = [wide(record, 'a record'), wide(from, 'from')]
    return occurrences(count, (most) => at(() => this.#raw.stepsOf(number, first, most)))
  }

  /** First step of an epoch, and first step behind it. Only sequential and cyclic orders have epochs. */
  epoch(number: Integer): { readonly start: bigint; readonly end: bigint } {
    const epoch = wide(number, 'an epoch')
    const [start = 0n, end = 0n] = at(() => this.#raw.epoch(epoch))
    return { start, end }
  }

  /** The same order for another rank. */
  shard(rank: number, world: number): Sampler {
    counted(rank, 'rank')
    counted(world, 'world', 1)
    return Sampler.of(at(() => this.#raw.shard(rank, world)))
  }
}

export function makeSampler(options: SamplerOptions): NativeSampler {
  const { mode, length, batch, seed, rank = 0, world = 1 } = optionsOf(options)
  const records = wide(length, 'length')
  const key = seed === undefined ? undefined : wide(seed, 'seed')
  counted(batch, 'batch')
  counted(rank, 'rank')
  counted(world, 'world')
  return at(() => addon().sampler(mode, records, batch, key, rank, world))
}
