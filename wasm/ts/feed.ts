import { attempt } from './attempt.js'
import { nameOf } from './element.js'
import { invalid } from './errors.js'
import type { Files } from './files.js'
import { counted } from './indices.js'
import { init } from './init.js'
import type * as Interface from './interface.js'
import type { LoaderOptions } from './interface.js'
import { enter, free } from './module.js'
import type { RawBatch, RawFeed, RawSampler } from './raw.js'
import { makeSampler } from './sampler.js'
import { Selection } from './selection.js'
import { Store } from './store.js'

export type Streams = Readonly<
  Record<string, Interface.DenseStore | Interface.RaggedStore | Interface.Table | Interface.Selection>
>

/** The streams of a loader and their order, in WebAssembly. */
export class Feed {
  readonly raw: RawFeed
  readonly #files: readonly Files[]

  private constructor(raw: RawFeed, files: readonly Files[]) {
    this.raw = raw
    this.#files = files
  }

  /** May read: rows that a filter selects, and samples to compare with a state. */
  static async of(streams: Streams, options: LoaderOptions): Promise<Feed> {
    await init()
    const { state, signal, onLoss = 'fail' } = options
    const { raw: gathered, length, files } = await gather(streams, signal)
    const order = enter(() => orderOf(options, length))
    const raw = enter((module) => module.feed(gathered, order, onLoss, state))
    free(gathered, order)
    const feed = new Feed(raw, files.map((each) => each.share()))
    try {
      if (state !== undefined) await attempt(() => raw.check(state), { signal })
      return feed
    } catch (error) {
      feed.free()
      throw error
    }
  }

  fill(step: bigint, signal: AbortSignal): Promise<RawBatch | undefined> {
    const coalescing = this.#files[0]?.source.coalescing
    return attempt(() => this.raw.fill(step), { signal, coalescing })
  }

  state(step: bigint, done: Iterable<bigint>): Promise<string> {
    const others = BigUint64Array.from(done)
    return attempt(() => this.raw.state(step, others))
  }

  free(): void {
    free(this.raw)
    for (const each of this.#files) each.release()
  }
}

/** The order that a loader was asked for, over so many records. */
export function orderOf(options: LoaderOptions, length: number): RawSampler {
  const { state, batch, mode = 'cyclic', seed, rank = 0, world = 1 } = options
  if (state === undefined) return makeSampler({ mode, length, batch, seed, rank, world })
  counted(rank, 'rank')
  counted(world, 'world', 1)
  return enter((raw) => raw.samplerOfState(state, rank, world))
}

/** How many records the first stream has; `undefined` where they have to be counted first. */
export function knownLength(streams: Streams): number | undefined {
  const [first] = Object.values(streams)
  return first && 'length' in first ? first.length : undefined
}

async function gather(streams: Streams, signal: AbortSignal | undefined) {
  const raw = enter(({ RawStreams }) => new RawStreams())
  const files = new Set<Files>()
  let length: number | undefined
  for (const [name, stream] of Object.entries(streams)) {
    const handle = Store.handleOf(stream) ?? Selection.handleOf(stream)
    if (!handle) throw invalid(`stream '${name}' is a store, a table or a selection, not ${nameOf(stream)}`)
    for (const each of handle.files) files.add(each)
    if (stream instanceof Store) {
      Store.handleOf(stream)!.ask((store) => raw.addStore(name, store))
      length ??= stream.length
    } else {
      const rows = await Selection.resolve(stream as Selection, { signal })
      enter(() => raw.addSelection(name, rows))
      length ??= enter(() => rows.length)
    }
  }
  if (length === undefined) throw invalid('a loader has at least one stream')
  return { raw, length, files: [...files] }
}
