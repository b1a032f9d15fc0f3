/**
 * Recask in the browser: record stores, column tables, and a loader whose order is the same in every language. See the README of
 * the package for a start, and the types below for everything else.
 *
 * @packageDocumentation
 */

import { openAny } from './any.js'
import { DenseStore } from './dense.js'
import { trainDict } from './dictionary.js'
import type { Package } from './interface.js'
import { Loader } from './loader.js'
import { RaggedStore } from './ragged.js'
import { Sampler } from './sampler.js'
import type { Source } from './source/source.js'
import { Table } from './table.js'

export { openAny, DenseStore, RaggedStore, Table, Sampler, Loader, trainDict }
export { init, capabilities } from './init.js'
export { fromUrl } from './source/http.js'
export { fromFiles } from './source/files.js'
export { fromOpfs } from './source/opfs.js'
export { fromMemory } from './source/memory.js'
export { copyToOpfs, listOpfs, opfsFiles, removeOpfs } from './opfs.js'
export { Selection } from './selection.js'
export { TableWriter } from './table_writer.js'
export { RecaskError } from './errors.js'
export { float16ToFloat32 } from './half.js'

export type { AnyOptions } from './any.js'
export type { ModuleSource } from './compile.js'
export type { CopyOptions } from './directory/copy.js'
export type { OpfsEntry } from './directory/files.js'
export type { Tier } from './dictionary.js'
export type { Streams } from './feed.js'
export type { Parameters } from './selection.js'
export type { Capabilities, InitOptions } from './start.js'
export type { PickedFiles } from './source/files.js'
export type { HttpSource } from './source/http.js'
export type { CacheOptions, UrlOptions } from './source/http/options.js'
export type { RequestRecord, SourceStats } from './source/http/statistics.js'
export type { MemoryFile } from './source/memory.js'
export type { Source } from './source/source.js'
export type {
  Batch,
  CodecName,
  Column,
  ColumnData,
  ColumnInput,
  CreateDenseOptions,
  CreateOptions,
  Dataset,
  DenseBatch,
  Fault,
  Index,
  Integer,
  LoaderOptions,
  LongOptions,
  Mode,
  Occurrence,
  OpenOptions,
  Options,
  Package,
  Parameter,
  Progress,
  RaggedBatch,
  RaggedRecord,
  RecaskErrorFields,
  SamplerOptions,
  Slice,
  Stats,
  Summary,
  TableBatch,
  TableOptions,
  TypedArray,
  Verification,
} from './interface.js'

/** Everything as one value, for code that works with this package as well as with the one for Node.js. */
export const recask = { DenseStore, RaggedStore, Table, Sampler, Loader, openAny, trainDict } satisfies Package<Source>
