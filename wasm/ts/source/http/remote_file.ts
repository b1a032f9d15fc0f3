import type { RecaskError } from '../../errors.js'
import { Shared } from '../shared.js'
import { Assembly } from './assembly.js'
import { failed } from './failure.js'
import type { Host } from './host.js'
import { measure } from './length.js'
import type { Target } from './send.js'
import { transfer } from './transfer.js'
import { difference, strongValidator, together, type Version } from './version.js'

/** Half-open. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** What was read of a file. */
export interface ReadBytes {
  /** In the order of the ranges. */
  readonly bytes: readonly Uint8Array[]
  readonly length: number | undefined
}

/** The most bytes of one request: longer ranges come as several at a time. */
export const MOST = 4 * 1024 * 1024

/** Blocks that come by one request. */
interface Run {
  readonly first: number
  readonly work: Shared<readonly Uint8Array[] | undefined>
}

let made = 0

/** One state of one file on a host. Once it has changed there it cannot be read any more. */
export class RemoteFile implements Target {
  readonly host: Host
  readonly name: string
  readonly url: string
  direct: string | undefined
  /** The size that a listing gives it. */
  readonly #listed: () => number | undefined
  readonly #pending = new Map<number, Run>()
  #version: Version | undefined
  /** Names its blocks in the cache, which may outlive this object where the host tells one state from another. */
  #key = ''
  #isAbsent = false
  #failure: RecaskError | undefined
  #length: Shared<void> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(host: Host, url: URL, listed: () => number | undefined) {
    this.host = host
    this.url = url.href
    this.name = url.origin + url.pathname
    this.#listed = listed
  }

  get version(): Version | undefined {
    return this.#version
  }

  /** Reads ranges; `undefined` where there is no such file. */
  async read(
    ranges: readonly Range[],
    signal: AbortSignal,
    onBytes?: (bytes: number) => void,
  ): Promise<ReadBytes | undefined> {
    if (this.#failure) throw this.#failure
    if (this.#isAbsent) return undefined
    // What is longer than one request should not be asked for behind the end.
    if (ranges.some(({ start, end }) => end - start > MOST)) await this.#learnLength(signal)
    const total = this.#total ?? Infinity
    const parts = ranges.map(({ start, end }) => new Assembly(start, Math.min(end, total), this.host.block))
    await this.#bring(wantedBy(parts, this.host.block), signal, onBytes)
    if (ranges.some(({ start, end }) => start === end)) await this.#learnLength(signal)
    // Answers for other ranges may have shown it meanwhile.
    if (this.#failure) throw this.#failure
    if (this.#isAbsent) return undefined
    const length = this.#total
    if (length !== undefined && parts.some((part) => part.reached > length))
      throw this.changed('it ends before what was read')
    return { bytes: parts.map((part) => part.bytes), length }
  }

  learn(version: Version): void {
    if (this.#failure) throw this.#failure
    const listed = this.#listed()
    if (version.total !== undefined && listed !== undefined && listed !== version.total) {
      throw this.changed(`it has ${version.total} bytes, and ${listed} in recask.json: write that anew (recask index)`)
    }
    if (!this.#version) {
      this.#version = version
      const validator = strongValidator(version)
      this.#key = validator === undefined ? `${this.url} #${(made += 1)}` : `${this.url} ${validator}`
      return
    }
    const reason = difference(this.#version, version)
    if (reason !== undefined) throw this.changed(reason)
    this.#version = together(this.#version, version)
  }

  changed(reason: string): RecaskError {
    this.host.cache.drop(this.#key)
    this.#failure ??= failed('source_changed', this.name, `changed while it was read (${reason}); open its place again`)
    return this.#failure
  }

  get #total(): number | undefined {
    return this.#version?.total
  }

  /** Hands over blocks, from the cache, from requests in flight, and from new ones. */
  async #bring(wanted: Map<number, Assembly[]>, signal: AbortSignal, onBytes?: (bytes: number) => void): Promise<void> {
    const { cache, statistics } = this.host
    const deliver = (block: number, bytes: Uint8Array) => {
      for (const part of wanted.get(block) ?? []) {
        const taken = part.take(block, bytes)
        onBytes?.(taken)
      }
    }
    const runs = new Set<Run>()
    const missing: number[] = []
    for (const block of [...wanted.keys()].sort((a, b) => a - b)) {
      const bytes = cache.get(this.#key, block)
      if (bytes) {
        statistics.hits += 1
        deliver(block, bytes)
        continue
      }
      statistics.misses += 1
      const run = this.#pending.get(block)
      if (run && !run.work.isStopped) runs.add(run)
      else missing.push(block)
    }
    for (const [first, count] of consecutive(missing, Math.max(1, Math.floor(MOST / this.host.block)))) {
      runs.add(this.#start(first, count))
    }
    const join = async ({ first, work }: Run) => {
      const blocks = await work.join(signal)
      blocks?.forEach((bytes, position) => deliver(first + position, bytes))
    }
    await Promise.all(Array.from(runs, join))
  }

  #start(first: number, count: number): Run {
    const work = async (signal: AbortSignal) => {
      try {
        return await this.#inTurn(() => this.#fetch(first, count, signal))
      } finally {
        for (let block = first; block < first + count; block++) {
          if (this.#pending.get(block) === run) this.#pending.delete(block)
        }
      }
    }
    const run: Run = { first, work: new Shared(work) }
    for (let block = first; block < first + count; block++) this.#pending.set(block, run)
    return run
  }

  /** Until the host has answered with a range, requests for a file wait for each other: each may bring all of it. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.host.hasRanges) return work()
    const turn = this.#turn.then(work, work)
    this.#turn = turn
    return turn
  }

  async #fetch(first: number, count: number, signal: AbortSignal): Promise<readonly Uint8Array[] | undefined> {
    signal.throwIfAborted()
    if (this.#failure) throw this.#failure
    if (this.#isAbsent) return undefined
    const { block, cache } = this.host
    const start = first * block
    const end = Math.min(start + count * block, this.#total ?? Infinity)
    if (start >= end) return []
    // Where the host ignores ranges, the request before this one brought everything.
    const known = positions(first, Math.ceil((end - start) / block)).map((at) => cache.get(this.#key, at))
    if (known.every((bytes) => bytes !== undefined)) return known
    const arrival = await transfer(this, start, end, signal)
    if (arrival.kind === 'absent') {
      this.#isAbsent = true
      return undefined
    }
    // Another answer may have shown that these bytes are of another state.
    if (this.#failure) throw this.#failure
    if (arrival.kind === 'whole') return this.#keep(arrival.bytes, 0).slice(first, first + count)
    return this.#keep(arrival.bytes, first)
  }

  /** Cuts bytes into blocks that own their memory, and caches them. */
  #keep(bytes: Uint8Array, first: number): Uint8Array[] {
    const { block, cache } = this.host
    const blocks: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += block) {
      const piece = bytes.length <= block ? bytes : bytes.slice(at, at + block)
      cache.put(this.#key, first + blocks.length, piece)
      blocks.push(piece)
    }
    return blocks
  }

  async #learnLength(signal: AbortSignal): Promise<void> {
    if (this.#total !== undefined || this.#isAbsent) return
    if (!this.#length || this.#length.isStopped) {
      this.#length = new Shared((signal) => this.#inTurn(() => this.#fetchLength(signal)))
    }
    const length = this.#length
    try {
      await length.join(signal)
    } finally {
      if (this.#length === length) this.#length = undefined
    }
  }

  /** One byte tells the length of a file; none is there where it is empty. */
  async #fetchLength(signal: AbortSignal): Promise<void> {
    if (this.#total !== undefined || this.#isAbsent) return
    if (this.#version === undefined) {
      const arrival = await transfer(this, 0, 1, signal)
      if (arrival.kind === 'absent') this.#isAbsent = true
      if (arrival.kind === 'whole') this.#keep(arrival.bytes, 0)
    }
    if (this.#total === undefined && !this.#isAbsent) await measure(this, signal)
  }
}

/** The blocks that ranges lie in. */
function wantedBy(parts: readonly Assembly[], block: number): Map<number, Assembly[]> {
  const wanted = new Map<number, Assembly[]>()
  for (const part of parts) {
    for (let at = Math.floor(part.start / block); part.start < part.end && at * block < part.end; at++) {
      const here = wanted.get(at)
      if (here) here.push(part)
      else wanted.set(at, [part])
    }
  }
  return wanted
}

/** Runs of at most so many consecutive numbers of a sorted list, as first and count. */
function consecutive(sorted: readonly number[], most: number): [number, number][] {
  const runs: [number, number][] = []
  for (const number of sorted) {
    const last = runs.at(-1)
    if (last && last[0] + last[1] === number && last[1] < most) last[1] += 1
    else runs.push([number, 1])
  }
  return runs
}

function positions(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, position) => first + position)
}
