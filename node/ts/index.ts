/**
 * Recask in Node.js: record stores, column tables, and a loader whose order is the same in every language. See the README of the
 * package for a start, and the types below for everything else.
 *
 * @packageDocumentation
 */

import type { Package } from '../../wasm/ts/interface.js'
import { openAny } from './any.js'
import { DenseStore } from './dense.js'
import { trainDict } from './dictionary.js'
import { Loader } from './loader.js'
import type { Place } from './place.js'
import { RaggedStore } from './ragged.js'
import { Sampler } from './sampler.js'
import { Table } from './table.js'

export { openAny, DenseStore, RaggedStore, Table, Sampler, Loader, trainDict }
export { init, capabilities, keepMemory, memoryUse } from './addon.js'
export { openAnySync, verify, verifySync } from './any.js'
export { command, commandSync } from './command.js'
export {
  appendSource,
  appendSourceSync,
  exportTo,
  exportToSync,
  importArrow,
  importArrowSync,
  importCsv,
  importCsvSync,
  importIdx,
  importIdxSync,
  importJsonl,
  importJsonlSync,
  importNpy,
  importNpySync,
  importNpz,
  importNpzSync,
  importParquet,
  importParquetSync,
} from './convert.js'
export { dateUnit, NOT_A_TIME } from './dates.js'
export { trainDictSync } from './dictionary.js'
export { importFiles } from './import_files.js'
export { release } from './release.js'
export { Selection } from './selection.js'
export { TableWriter } from './table_writer.js'
export { RecaskError } from '../../wasm/ts/errors.js'
export { float16ToFloat32 } from '../../wasm/ts/half.js'

export type { Capabilities } from './addon.js'
export type { Dataset } from './any.js'
export type {
  CsvImportOptions,
  ExportToOptions,
  FieldImportOptions,
  Imported,
  StoreImportOptions,
  TableImportOptions,
} from './convert.js'
export type { Tier } from './dictionary.js'
export type { Decode, Decoded, ImportedFiles, ImportFilesOptions } from './import_files.js'
export type {
  ArrowOptions,
  Cell,
  ColumnsByName,
  ExportOptions,
  FolderVerification,
  Loss,
  RecordsOptions,
  Releasable,
  Row,
  Rules,
  StoreRecord,
  TransformOptions,
  WritableOptions,
} from './interface.js'
export type { Streams } from './loader.js'
export type { Place } from './place.js'
export type { Parameters } from './selection.js'
export type {
  Batch,
  CodecName,
  Column,
  ColumnData,
  ColumnInput,
  CreateDenseOptions,
  CreateOptions,
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
} from '../../wasm/ts/interface.js'

/** Everything as one value, for code that works with this package as well as with the one for browsers. */
export const recask = { DenseStore, RaggedStore, Table, Sampler, Loader, openAny, trainDict } satisfies Package<Place>
