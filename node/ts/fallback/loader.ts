import type { Batch, DenseBatch, Loader, LoaderOptions, RaggedBatch, TableBatch } from '../../../wasm/ts/interface.js'
import { elementOf } from '../../../wasm/ts/element.js'
import type {
  NativeBatch,
  NativeLoader,
  NativeLoaderOptions,
  NativeLoss,
  NativeSampler,
  NativeSelection,
  NativeStop,
  NativeStore,
  NativeStreamBatch,
  NativeStreams,
  Standing,
} from '../native.js'
import type { Module, RecaskWasm } from './module.js'
import { FallbackSampler } from './sampler.js'
import { RunStanding } from './standing.js'
import { optionsOf } from './stop.js'
import { FallbackStore } from './stores.js'
import { bytesOf, FallbackSelection } from './tables.js'

type Stream = FallbackStore['inside'] | FallbackSelection['inside']

export class FallbackStreams implements NativeStreams {
  readonly all: Record<string, Stream> = {}

  addStore(name: string, store: NativeStore): void {
    this.all[name] = (store as FallbackStore).inside
  }

  addSelection(name: string, selection: NativeSelection): void {
    this.all[name] = (selection as unknown as FallbackSelection).inside
  }
}

/** A loader of the package for browsers in the shape of the addon's. */
export class FallbackLoader implements NativeLoader {
  readonly #module: Module
  readonly #loader: Loader
  readonly #losses: NativeLoss[]
  readonly #standing: RunStanding

  constructor(module: Module, recask: RecaskWasm, streams: FallbackStreams, options: NativeLoaderOptions) {
    const losses: NativeLoss[] = []
    this.#module = module
    this.#losses = losses
    this.#loader = new recask.Loader(streams.all, { ...options, onLost: (loss) => losses.push(loss) } as LoaderOptions)
    this.#standing = new RunStanding(this.#loader, options.step, options.state)
  }

  async next(stop?: NativeStop | null): Promise<NativeBatch | undefined> {
    const batch = await this.#loader.next(optionsOf([stop]))
    if (!batch) return undefined
    this.#standing.passed(batch.step)
    return this.#batch(batch)
  }

  losses(): NativeLoss[] {
    return this.#losses.splice(0)
  }

  state(): Standing {
    return this.#standing.now
  }

  async seek(step: bigint): Promise<void> {
    await this.#loader.seek(step)
    this.#standing.sought(step)
  }

  sampler(): NativeSampler {
    return new FallbackSampler(this.#loader.sampler)
  }

  close(): Promise<void> {
    return this.#loader.close()
  }

  nextSync = (): never => this.#module.unsupported('nextSync')
  seekSync = (): never => this.#module.unsupported('seekSync')
  closeSync = (): never => this.#module.unsupported('closeSync')

  #batch({ step, indices, streams }: Batch): NativeBatch {
    return {
      step,
      indices,
      streams: Object.entries(streams).map(([name, batch]) => streamOf(name, batch)),
      losses: this.losses(),
    }
  }
}

/** Values are little-endian already, and their types say so. */
function streamOf(name: string, batch: DenseBatch | RaggedBatch | TableBatch): NativeStreamBatch {
  if (batch.kind === 'table') return { name, kind: 'table', length: batch.length, columns: batch.columns.map(bytesOf) }
  const { data, dtype } = batch
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  if (batch.kind === 'dense') return { name, kind: 'dense', dtype, bytes, shape: Float64Array.from(batch.shape) }
  const { width } = elementOf(dtype)
  return {
    name,
    kind: 'ragged',
    dtype,
    bytes,
    offsets: width > 1 ? batch.offsets.map((offset) => offset / width) : batch.offsets,
    extents: Float64Array.from(batch.shapes.flat()),
    ranks: Uint8Array.from(batch.shapes, ({ length }) => length),
  }
}
