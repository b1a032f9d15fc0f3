import { invalid } from '../../errors.js'
import { Limit } from '../limit.js'
import { BlockCache } from './blocks.js'
import { clock, type Clock } from './clock.js'
import type { UrlOptions } from './options.js'
import { Statistics } from './statistics.js'

const MIB = 1024 * 1024

/** What all files of a source share, and what one of them taught about the host. */
export class Host {
  readonly options: UrlOptions
  readonly clock: Clock
  readonly limit: Limit
  readonly cache: BlockCache
  readonly statistics: Statistics
  readonly block: number
  readonly attempts: number
  readonly whole: number
  /** It has answered with a range, so others may be asked for at the same time. */
  hasRanges = false

  constructor(options: UrlOptions) {
    const { cache, requests, attempts, whole } = options
    this.options = options
    this.clock = options.clock ?? clock
    this.block = counted('cache.block', cache?.block ?? 64 * 1024, 1)
    this.cache = new BlockCache(counted('cache.bytes', cache?.bytes ?? 64 * MIB, 0))
    this.limit = new Limit(counted('requests', requests ?? 6, 1))
    this.attempts = counted('attempts', attempts ?? 4, 1)
    this.whole = counted('whole', whole ?? 8 * MIB, 0)
    this.statistics = new Statistics(options.onRequest)
  }
}

function counted(name: string, value: number, least: number): number {
  if (!Number.isSafeInteger(value) || value < least) throw invalid(`${name} is ${value}; give a whole number from ${least}`)
  return value
}
