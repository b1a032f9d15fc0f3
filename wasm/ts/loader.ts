import { batchOf } from './batch.js'
import { disposable, remembered, whenForgotten } from './closing.js'
import { invalid } from './errors.js'
import { Feed, knownLength, orderOf, type Streams } from './feed.js'
import { counted, wide } from './indices.js'
import type * as Interface from './interface.js'
import type { Batch, Integer, LoaderOptions, Options } from './interface.js'
import { enter } from './module.js'
import type { RawBatch } from './raw.js'
import { faultOf } from './report.js'
import { Sampler } from './sampler.js'
import { waited } from './waited.js'

/** A batch that is being made. */
interface Coming {
  readonly step: bigint
  readonly batch: Promise<RawBatch | undefined>
}

/**
 * Endless aligned batches in the order of a sampler, made ahead of their use.
 *
 * ```js
 * const loader = new Loader({ images, labels }, { batch: 64, seed: 1 })
 * for await (const { step, streams } of loader) {
 *   await train(streams.images.data, streams.labels.data)
 *   if (step === 999n) break
 * }
 * localStorage.setItem('run', await loader.state())
 * ```
 *
 * Leaving the loop stops what is made ahead; the loader still knows where it stands, until it is closed.
 */
export class Loader implements Interface.Loader {
  static {
    disposable(this)
  }

  readonly #streams: Streams
  readonly #options: LoaderOptions
  readonly #prefetch: number
  readonly #end: bigint | undefined
  /** What has to be given back, also where nobody closes the loader. */
  readonly #open: { feed?: Promise<Feed>; isClosed: boolean } = { isClosed: false }
  /** The lowest step that was not delivered, where it is known already. */
  #next: bigint | undefined
  /** Steps above it that were. */
  readonly #done = new Set<bigint>()
  #ahead: Coming[] = []
  #stop = new AbortController()
  #failed: { readonly error: unknown } | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isIterating = false
  declare [Symbol.asyncDispose]: () => Promise<void>

  constructor(streams: Streams, options: LoaderOptions) {
    this.#streams = { ...streams }
    this.#options = { ...options }
    this.#prefetch = counted(options.prefetch ?? 2, 'prefetch')
    this.#end = options.end === undefined ? undefined : wide(options.end, 'end')
    if (options.step !== undefined) {
      if (options.state !== undefined) throw invalid('a loader goes on at a state or at a step, not at both')
      this.#next = wide(options.step, 'a step')
    }
    const open = this.#open
    whenForgotten(this, () => closeFeed(open))
  }

  /** The order. Not known before the first batch where rows of a filter have to be counted for it. */
  get sampler(): Sampler {
    const length = knownLength(this.#streams)
    if (length === undefined && this.#options.state === undefined) {
      throw invalid('the order depends on how many rows are selected: give count() of the selection to a Sampler')
    }
    return Sampler.of(enter(() => orderOf(this.#options, length ?? 0)))
  }

  /** The next batch; `undefined` behind the end. A signal stops the waiting, not the batch: the next call gets it. */
  next(options: Options = {}): Promise<Batch | undefined> {
    return this.#inTurn(() => this.#take(options.signal))
  }

  /** Where the run stands, as a line of JSON that every door of Recask resumes from. */
  state(): Promise<string> {
    return this.#inTurn(async () => {
      const feed = await this.#started()
      return feed.state(this.#next ?? 0n, this.#done)
    })
  }

  /** Goes on at another step. */
  async seek(step: Integer): Promise<void> {
    const target = wide(step, 'a step')
    await this.#inTurn(async () => {
      await this.#started()
      this.#drop()
      this.#failed = undefined
      this.#done.clear()
      this.#next = target
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Batch, void, undefined> {
    if (this.#isIterating) throw invalid('the loader is being iterated already: make another loader for a second iteration')
    this.#isIterating = true
    try {
      for (let batch = await this.next(); batch; batch = await this.next()) yield batch
    } finally {
      this.#isIterating = false
      this.#drop()
    }
  }

  /** Stops everything and gives memory back. Twice is once. The streams stay open. */
  async close(): Promise<void> {
    remembered(this)
    this.#drop()
    await closeFeed(this.#open)
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  async #started(): Promise<Feed> {
    if (this.#open.isClosed) throw invalid('the loader is closed')
    this.#open.feed ??= Feed.of(this.#streams, this.#options)
    const feed = await this.#open.feed
    if (this.#open.isClosed) throw invalid('the loader is closed')
    this.#next ??= this.#resumed()
    return feed
  }

  /** The step to start at, and those behind it that a state counts as delivered. */
  #resumed(): bigint {
    const { state } = this.#options
    if (state === undefined) return 0n
    const { step, done } = enter((raw) => raw.readState(state))
    for (const delivered of done) this.#done.add(delivered)
    return step
  }

  async #take(signal: AbortSignal | undefined): Promise<Batch | undefined> {
    const signals = [signal, this.#options.signal]
    for (;;) {
      if (this.#failed) throw this.#failed.error
      const feed = await waited(this.#started(), signals)
      this.#plan(feed, 1)
      const [coming] = this.#ahead
      if (!coming) return undefined
      let made: RawBatch | undefined
      try {
        made = await waited(coming.batch, signals)
      } catch (error) {
        if (signals.some((one) => one?.aborted)) throw error
        if (this.#ahead[0] === coming) this.#fail(error)
      }
      // Dropped while it was waited for.
      if (this.#ahead[0] !== coming) continue
      this.#ahead.shift()
      this.#passed(coming.step)
      this.#plan(feed, this.#prefetch)
      for (const loss of made?.losses ?? []) this.#options.onLost?.({ ...faultOf(loss), stream: loss.stream, step: loss.step })
      if (made?.streams) return batchOf(coming.step, made)
    }
  }

  #fail(error: unknown): void {
    this.#failed = { error }
    this.#drop()
  }

  /** Has so many batches coming. */
  #plan(feed: Feed, count: number): void {
    const last = this.#ahead.at(-1)
    let step = last ? last.step + 1n : (this.#next ?? 0n)
    for (; this.#ahead.length < count && (this.#end === undefined || step < this.#end); step += 1n) {
      if (this.#done.has(step)) continue
      const batch = feed.fill(step, this.#stop.signal)
      // Whoever takes it is told.
      batch.catch(() => {})
      this.#ahead.push({ step, batch })
    }
  }

  #passed(step: bigint): void {
    let next = step + 1n
    while (this.#done.delete(next)) next += 1n
    for (const done of this.#done) if (done < next) this.#done.delete(done)
    this.#next = next
  }

  /** Forgets what was made ahead. */
  #drop(): void {
    this.#stop.abort(invalid('the loader does not need this batch any more'))
    this.#stop = new AbortController()
    this.#ahead = []
  }
}

async function closeFeed(open: { feed?: Promise<Feed>; isClosed: boolean }): Promise<void> {
  if (open.isClosed) return
  open.isClosed = true
  const feed = await open.feed?.catch(() => undefined)
  feed?.free()
}
