/** What differs between the runtimes. */

import type { Source } from '../ts/source/source.js'

export type Recask = typeof import('../ts/index.js')

export interface Surroundings {
  readonly recask: Recask
  /** A file of the data. */
  file(path: string): Promise<Uint8Array<ArrayBuffer>>
  /** A store of the data as a place over HTTP, without a cache. */
  overHttp?(folder: string): Source
  /** A copy of a store in the origin private file system. */
  inOpfs?(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<Source>
  /** The WebAssembly module of parquet-wasm. */
  parquetModule(): Promise<Uint8Array<ArrayBuffer>>
  /** Where that of @bokuweb/zstd-wasm is; in Node.js it finds it by itself. */
  readonly zstdModule?: string
}
