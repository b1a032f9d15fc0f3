import { existsSync } from 'node:fs'
import { RecaskError } from '../../../wasm/ts/errors.js'
import type { CreateDenseOptions, DenseStore, OpenOptions, RaggedStore, TableOptions } from '../../../wasm/ts/interface.js'
import type { Addon, NativeCreateOptions, NativeLoaderOptions, NativeOpenOptions, NativeStore, Watch } from '../native.js'
import { datasetAt } from './dataset.js'
import { fileAt, folderAt } from './disk_folder.js'
import { FallbackLoader, FallbackStreams } from './loader.js'
import { Module, type RecaskWasm } from './module.js'
import { FallbackSampler } from './sampler.js'
import { optionsOf, Stop } from './stop.js'
import { FallbackStore } from './stores.js'
import { FallbackTable, FallbackTableWriter } from './tables.js'

/** Stands in for the addon, by the package for browsers over the file system. `reason`: why there is none. */
export function fallback(reason: string): Addon & { ready(): Promise<void>; isReady(): boolean } {
  const module = new Module(reason)
  const lacks = (what: string) => () => module.unsupported(what)
  const opened = async (path: string, options: NativeOpenOptions, watch: Watch): Promise<NativeStore> => {
    const recask = await module.start()
    return FallbackStore.of(module, await openStore(recask, path, { ...optionsOf(watch), ...options } as OpenOptions))
  }
  return {
    ready: async () => void (await module.start()),
    isReady: () => module.isStarted,
    version: () => module.started.capabilities().version,
    zstd: () => module.started.capabilities().zstd,
    threads: () => module.started.capabilities().threads,
    // Here results are memory of JavaScript.
    release: () => false,
    memoryUse: () => ({ lent: 0, kept: 0 }),
    keepMemory: () => {},
    NativeStop: Stop,
    NativeStreams: FallbackStreams,
    openStore: (path, options, ...watch) => opened(path, options, watch),
    createStore: async (path, options) => FallbackStore.of(module, await createStore(await module.start(), path, options)),
    openTables: async (paths, ...watch) => {
      const { Table } = await module.start()
      for (const path of paths) refuseMissing(path)
      return new FallbackTable(module, await Table.open(paths.map(fileAt), optionsOf(watch)))
    },
    createTable: async (path, layout, statistics) => {
      const { Table } = await module.start()
      const options = { layout, statistics } as TableOptions
      return new FallbackTableWriter(module, await Table.create(fileAt(path), options))
    },
    appendTable: async (path) => {
      const { Table } = await module.start()
      refuseMissing(path)
      return new FallbackTableWriter(module, await Table.append(fileAt(path)))
    },
    compactTable: async (path, ...watch) => {
      const { Table } = await module.start()
      await Table.compact(fileAt(path), optionsOf(watch))
    },
    sampler: (mode, length, batch, seed, rank, world) => {
      const options = { mode: mode as 'cyclic', length, batch, seed: seed ?? undefined, rank, world }
      return new FallbackSampler(new module.started.Sampler(options))
    },
    loader: async (streams, options: NativeLoaderOptions) =>
      new FallbackLoader(module, await module.start(), streams as FallbackStreams, options),
    trainDictionary: async (samples, sizes, tier) => {
      let end = 0
      const parts = Array.from(sizes, (size) => samples.slice(end, (end += size)))
      const { trainDict } = await module.start()
      return trainDict(parts, { tier: tier as 'balanced' })
    },
    findDataset: async (path, stop) => datasetAt(await module.start(), path, optionsOf([stop]).signal),
    samplerOfState: lacks('the sampler of a state'),
    readState: lacks('reading a state'),
    importStores: lacks('an import'),
    importTable: lacks('an import'),
    appendSource: lacks('an import'),
    exportTo: lacks('an export'),
    command: lacks('the recask command'),
    openStoreSync: lacks('openSync'),
    createStoreSync: lacks('createSync'),
    openTablesSync: lacks('openSync'),
    createTableSync: lacks('createSync'),
    appendTableSync: lacks('appendSync'),
    compactTableSync: lacks('compactSync'),
    loaderSync: lacks('nextSync'),
    trainDictionarySync: lacks('trainDictSync'),
    findDatasetSync: lacks('openAnySync'),
    importStoresSync: lacks('an import'),
    importTableSync: lacks('an import'),
    appendSourceSync: lacks('an import'),
    exportToSync: lacks('an export'),
    commandSync: lacks('the recask command'),
  }
}

/** The package for browsers calls every table by the same name. */
function refuseMissing(path: string): void {
  if (!existsSync(path)) throw new RecaskError('store_not_found', `there is no table at ${path}`, { place: path })
}

/** The package for browsers has to be told what is there. */
async function openStore(recask: RecaskWasm, path: string, options: OpenOptions): Promise<DenseStore | RaggedStore> {
  const place = folderAt(path)
  try {
    return await recask.DenseStore.open(place, options)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'kind_mismatch') throw error
    return recask.RaggedStore.open(place, options)
  }
}

function createStore(recask: RecaskWasm, path: string, options: NativeCreateOptions): Promise<DenseStore | RaggedStore> {
  const { kind, itemShape, ...others } = options
  const wanted = { ...others, itemShape: Array.from(itemShape) } as CreateDenseOptions
  return kind === 'dense' ? recask.DenseStore.create(folderAt(path), wanted) : recask.RaggedStore.create(folderAt(path), wanted)
}
