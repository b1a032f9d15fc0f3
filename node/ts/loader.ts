import { randomBytes } from 'node:crypto'
import { batchOf } from '../../wasm/ts/batch.js'
import { nameOf } from '../../wasm/ts/element.js'
import { invalid, RecaskError } from '../../wasm/ts/errors.js'
import { counted, wide } from '../../wasm/ts/indices.js'
import type * as Interface from '../../wasm/ts/interface.js'
import type { Batch, Integer, LoaderOptions, Options } from '../../wasm/ts/interface.js'
import { faultOf } from '../../wasm/ts/report.js'
import { waited } from '../../wasm/ts/waited.js'
import { addon } from './addon.js'
import { at, off, watched } from './call.js'
import { disposable } from './closing.js'
import { optionsOf, signalOf } from './given.js'
import type { TransformOptions } from './interface.js'
import type { NativeBatch, NativeLoader, NativeLoaderOptions, NativeLoss, NativeStreams, Standing } from './native.js'
import { makeSampler, Sampler } from './sampler.js'
import { Selection } from './selection.js'
import { Store } from './store.js'

/** Stores, tables and selections under the names of their streams. */
export type Streams = Readonly<
  Record<string, Interface.DenseStore | Interface.RaggedStore | Interface.Table | Interface.Selection>
>

/** A batch that is being made, or the end. */
interface Coming<T> {
  readonly made: Promise<Made<T> | undefined>
}

interface Made<T> {
  readonly step: bigint
  readonly result: T
  /** Where the run stands behind it. */
  readonly state: Standing
}

/**
 * Endless aligned batches in the order of a sampler, read ahead by threads of Rust.
 *
 * ```js
 * const loader = new Loader({ images, labels }, { batch: 64, seed: 1, workers: 4, transform: ({ step, streams }) => augment(streams) })
 * for await (const batch of loader) await train(batch)
 * ```
 *
 * The transform runs for several batches at a time where it waits for something; batches come in the order of their steps.
 * Leaving the loop gives everything back; the loader still knows where it stands and goes on from there when it is asked again.
 */
export class Loader<T = Batch> implements AsyncIterable<T> {
  static {
    disposable(this)
  }

  readonly #streams: Streams
  readonly #options: LoaderOptions
  readonly #transform: TransformOptions<T>['transform']
  readonly #ahead: number
  readonly #order: Order
  readonly #end: bigint | undefined
  #native: Promise<NativeLoader> | undefined
  #running: NativeLoader | undefined
  #coming: Coming<T>[] = []
  #pulled: Promise<unknown> = Promise.resolve()
  /** Where the run stands, where that is not where it began. */
  #state: Standing | undefined
  #failed: { readonly error: unknown } | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #isIterating = false
  #isClosed = false;
  declare [Symbol.dispose]: () => void;
  declare [Symbol.asyncDispose]: () => Promise<void>

  constructor(streams: Streams, options: TransformOptions<T>) {
    const { transform, workers = 4 } = optionsOf(options)
    if (transform !== undefined && typeof transform !== 'function')
      throw invalid(`transform is a function, not ${nameOf(transform)}`)
    if (options.state !== undefined && options.step !== undefined)
      throw invalid('a loader goes on at a state or at a step, not at both')
    this.#streams = { ...optionsOf(streams) }
    this.#options = { ...options, signal: signalOf(options) }
    this.#transform = transform
    this.#ahead = transform ? workersOf(workers) : 1
    this.#order = orderOf(options)
    this.#end = options.end === undefined ? undefined : wide(options.end, 'end')
  }

  /** The order. Not known before the first batch where rows of a filter have to be counted for it. */
  get sampler(): Sampler {
    const running = this.#running
    if (running) return Sampler.of(at(() => running.sampler()))
    const { state, rank, world, ...order } = this.#order
    if (state !== undefined) return Sampler.of(at(() => addon().samplerOfState(state, rank, world)))
    const [first] = Object.values(this.#streams)
    if (!first || !('length' in first)) {
      throw invalid('the order depends on how many rows are selected: give count() of the selection to a Sampler')
    }
    const { batch, mode = 'cyclic', seed } = order
    return Sampler.of(makeSampler({ mode, length: first.length, batch, seed, rank, world }))
  }

  /** The next batch; `undefined` behind the end. A signal stops the waiting, not the batch: the next call gets it. */
  async next(options: Options = {}): Promise<T | undefined> {
    const signal = signalOf(options)
    return this.#inTurn(() => this.#take(signal))
  }

  /** The next batch at once, for loaders without a transform. */
  nextSync(): Batch | undefined {
    if (this.#transform) throw invalid('a transform may have to be waited for: use next()')
    this.#refuseWaiting('next')
    if (this.#failed) throw this.#failed.error
    const running = this.#startedSync()
    try {
      const batch = this.#delivered(
        at(() => running.nextSync()),
        running,
      )
      this.#state = standingOf(running)
      return batch
    } catch (error) {
      if (this.#isBehindTheEnd(error)) return undefined
      throw error
    }
  }

  /** Where the run stands, as a line of JSON that every door of Recask resumes from. */
  state(): Promise<string> {
    return this.#inTurn(async () => {
      const running = await this.#started()
      this.#state ??= standingOf(running)
      return textOf(this.#state)
    })
  }

  stateSync(): string {
    this.#refuseWaiting('state')
    const running = this.#startedSync()
    this.#state ??= standingOf(running)
    if (typeof this.#state === 'string') return this.#state
    throw new RecaskError('unsupported', 'the state has to be waited for: use state()')
  }

  /** Goes on at another step. */
  async seek(step: Integer): Promise<void> {
    const target = wide(step, 'a step')
    await this.#inTurn(async () => {
      const running = await this.#started()
      await this.#drop()
      this.#failed = undefined
      await off(async () => running.seek(target))
      this.#state = standingOf(running)
    })
  }

  seekSync(step: Integer): void {
    const target = wide(step, 'a step')
    this.#refuseWaiting('seek')
    const running = this.#startedSync()
    this.#failed = undefined
    at(() => running.seekSync(target))
    this.#state = standingOf(running)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    if (this.#isIterating) throw invalid('the loader is being iterated already: make another loader for a second iteration')
    this.#isIterating = true
    try {
      for (let batch = await this.next(); batch !== undefined; batch = await this.next()) yield batch
    } finally {
      this.#isIterating = false
      await this.#settle()
      await this.#rest()
    }
  }

  /** Stops everything and gives memory back. Twice is once. The streams stay open. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#rest()
  }

  closeSync(): void {
    this.#isClosed = true
    this.#coming = []
    const [running, native] = [this.#running, this.#native]
    this.#running = this.#native = undefined
    if (running) at(() => running.closeSync())
    // It is being opened still.
    else native?.then((opened) => opened.close()).catch(() => {})
  }

  #inTurn<R>(work: () => Promise<R>): Promise<R> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw invalid('the loader is closed')
  }

  /** What works at once cannot wait for what is on its way. */
  #refuseWaiting(call: string): void {
    const isStarting = this.#native !== undefined && this.#running === undefined
    if (this.#coming.length > 0 || isStarting) throw invalid(`another batch is waited for: use ${call}()`)
  }

  async #started(): Promise<NativeLoader> {
    this.#refuseClosed()
    this.#native ??= this.#start().catch((error: unknown) => {
      this.#native = undefined
      throw error
    })
    const native = await this.#native
    this.#refuseClosed()
    this.#running = native
    return native
  }

  async #start(): Promise<NativeLoader> {
    const streams: NativeStreams = new (addon().NativeStreams)()
    for (const [name, stream] of entriesOf(this.#streams)) {
      if (Selection.is(stream)) {
        const rows = await Selection.resolve(stream, { signal: this.#options.signal })
        at(() => streams.addSelection(name, rows))
      } else {
        at(() => streams.addStore(name, storeOf(name, stream)))
      }
    }
    const state = this.#state && (await textOf(this.#state))
    return watched({ signal: this.#options.signal }, (...watch) => addon().loader(streams, this.#wanted(state), ...watch))
  }

  #startedSync(): NativeLoader {
    this.#refuseClosed()
    if (this.#running) return this.#running
    const streams: NativeStreams = new (addon().NativeStreams)()
    for (const [name, stream] of entriesOf(this.#streams)) {
      if (Selection.is(stream)) {
        const rows = Selection.resolveSync(stream)
        at(() => streams.addSelection(name, rows))
      } else {
        at(() => streams.addStore(name, storeOf(name, stream)))
      }
    }
    const running = at(() => addon().loaderSync(streams, this.#wanted(this.#state as string | undefined)))
    this.#running = running
    this.#native = Promise.resolve(running)
    return running
  }

  /** `standing`: where the run has come to. */
  #wanted(standing: string | undefined): NativeLoaderOptions {
    const { prefetch = 2, onLoss = 'fail', step } = this.#options
    const { batch, mode, seed, rank, world, state } = this.#order
    const resumed = standing ?? state
    return {
      batch,
      rank,
      world,
      prefetch: counted(prefetch, 'prefetch'),
      onLoss,
      ...(this.#end !== undefined && { end: this.#end }),
      ...(resumed !== undefined
        ? { state: resumed }
        : { ...(mode !== undefined && { mode }), seed, ...(step !== undefined && { step: wide(step, 'a step') }) }),
    }
  }

  async #take(signal: AbortSignal | undefined): Promise<T | undefined> {
    const signals = [signal, this.#options.signal]
    for (;;) {
      if (this.#failed) throw this.#failed.error
      const running = await waited(this.#started(), signals)
      this.#plan(running)
      const [coming] = this.#coming
      let made: Made<T> | undefined
      try {
        made = await waited(coming!.made, signals)
      } catch (error) {
        if (signals.some((one) => one?.aborted)) throw error
        this.#refuseClosed()
        if (this.#coming[0] === coming) this.#failed = { error }
        continue
      }
      this.#refuseClosed()
      // Dropped while it was waited for.
      if (this.#coming[0] !== coming) continue
      if (!made) {
        // Behind the end nothing is on its way.
        await this.#drop()
        return undefined
      }
      this.#coming.shift()
      this.#state = made.state
      if (this.#transform) this.#plan(running)
      return made.result
    }
  }

  /** Has as many batches coming as there are workers. */
  #plan(running: NativeLoader): void {
    while (this.#coming.length < this.#ahead) {
      const made = this.#make(running)
      // Whoever takes it is told.
      made.catch(() => {})
      this.#coming.push({ made })
    }
  }

  /** Batches are taken one after the other; what is made of them may take its time. */
  async #make(running: NativeLoader): Promise<Made<T> | undefined> {
    const pulled = this.#pulled.then(() => this.#pull(running))
    this.#pulled = pulled.catch(() => {})
    const taken = await pulled
    if (!taken) return undefined
    const { batch, state } = taken
    const result = this.#transform ? await transformed(batch, this.#transform) : (batch as T)
    return { step: batch.step, result, state }
  }

  async #pull(running: NativeLoader): Promise<{ batch: Batch; state: Standing } | undefined> {
    try {
      const batch = this.#delivered(await off(() => running.next()), running)
      return batch && { batch, state: standingOf(running) }
    } catch (error) {
      if (this.#isBehindTheEnd(error)) return undefined
      throw error
    }
  }

  /** Tells of losses, and leaves out what is behind the end. */
  #delivered(made: NativeBatch | null | undefined, running: NativeLoader): Batch | undefined {
    const losses = made?.losses ?? at(() => running.losses())
    for (const loss of losses) if (this.#end === undefined || loss.step < this.#end) this.#lost(loss)
    if (!made || (this.#end !== undefined && made.step >= this.#end)) return undefined
    return batchOf(made.step, made)
  }

  #lost(loss: NativeLoss): void {
    this.#options.onLost?.({ ...faultOf(loss), stream: loss.stream, step: loss.step })
  }

  #isBehindTheEnd(error: unknown): boolean {
    return this.#end !== undefined && error instanceof RecaskError && error.step !== undefined && error.step >= this.#end
  }

  /** Forgets what is on its way, once nothing is taken from the addon any more. */
  async #drop(): Promise<void> {
    this.#coming = []
    await this.#pulled
  }

  /** Has the state as text, while there is something that can tell it. */
  async #settle(): Promise<void> {
    const state = this.#state
    if (typeof state !== 'function' || this.#isClosed) return
    try {
      this.#state = await textOf(state)
    } catch (error) {
      this.#failed ??= { error }
    }
  }

  /** Gives everything back. Asked again, the loader goes on where it stood. */
  async #rest(): Promise<void> {
    this.#coming = []
    const native = this.#native
    this.#running = this.#native = undefined
    if (!native) return
    const running = await native.catch(() => undefined)
    if (running) await off(() => running.close())
    await this.#pulled
  }
}

async function textOf(standing: Standing): Promise<string> {
  return typeof standing === 'string' ? standing : off(standing)
}

/** What decides the order, once and for all. */
interface Order {
  readonly batch: number
  readonly mode: LoaderOptions['mode']
  readonly seed: bigint
  readonly rank: number
  readonly world: number
  readonly state: string | undefined
}

/** Where a run stands. What keeps its state from being told is told to whoever asks for it. */
function standingOf(running: NativeLoader): Standing {
  try {
    return at(() => running.state())
  } catch (error) {
    return () => Promise.reject(error)
  }
}

/** Each of them holds a batch. */
const MOST_WORKERS = 4096

function workersOf(workers: number): number {
  if (counted(workers, 'workers', 1) > MOST_WORKERS) throw invalid(`workers is at most ${MOST_WORKERS}, not ${workers}`)
  return workers
}

function orderOf({ batch, mode, seed, rank = 0, world = 1, state }: LoaderOptions): Order {
  return {
    batch: counted(batch, 'batch'),
    mode,
    seed: seed === undefined ? randomBytes(8).readBigUInt64LE() : wide(seed, 'seed'),
    rank: counted(rank, 'rank'),
    world: counted(world, 'world', 1),
    state,
  }
}

async function transformed<T>(batch: Batch, transform: (batch: Batch) => T | PromiseLike<T>): Promise<T> {
  try {
    return await transform(batch)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const message = `the transform of step ${batch.step} failed: ${said}`
    throw new RecaskError('transform_failed', message, { step: batch.step }, { cause: error })
  }
}

function entriesOf(streams: Streams): [name: string, stream: unknown][] {
  const entries = Object.entries(streams)
  if (entries.length === 0) throw invalid('a loader has at least one stream')
  return entries
}

function storeOf(name: string, stream: unknown) {
  const raw = Store.rawOf(stream)
  if (!raw) throw invalid(`stream '${name}' is a store, a table or a selection, not ${nameOf(stream)}`)
  return raw
}
