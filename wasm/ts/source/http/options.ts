import type { Clock } from './clock.js'
import type { RequestRecord } from './statistics.js'

export interface UrlOptions {
  /** In place of the `fetch` of the page; it need not stream. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** For every request; a function is asked each time, for tokens that expire. */
  readonly headers?: HeadersInit | ((url: string) => HeadersInit | Promise<HeadersInit>) | undefined
  /** Ends all requests of the source, for good. */
  readonly signal?: AbortSignal | undefined
  readonly cache?: CacheOptions | undefined
  /**
   * Whether the folder has a `recask.json`, the listing that `recask index` writes. With `auto`, by default, it is looked for
   * where names are not known: a store that is opened by its own URL does not need it.
   */
  readonly index?: boolean | 'auto' | undefined
  /** What the URL leads to; by default a file where it ends with `.cstore`, else a folder. */
  readonly kind?: 'folder' | 'file' | undefined
  /** Requests in flight at a time; 6 by default, which is what a browser has for a host without HTTP/2. */
  readonly requests?: number | undefined
  /** How often a request is sent that fails for reasons that pass; 4 by default. */
  readonly attempts?: number | undefined
  /** The longest file, in bytes, that is read as a whole from a host that ignores ranges; 8 MiB by default. */
  readonly whole?: number | undefined
  /** Told of every request when it has ended. */
  readonly onRequest?: ((request: RequestRecord) => void) | undefined
  /** Time and chance, for tests. */
  readonly clock?: Clock | undefined
}

export interface CacheOptions {
  /** The most bytes that are kept; 64 MiB by default, 0 keeps none. */
  readonly bytes?: number | undefined
  /**
   * The unit in which files are read and kept, in bytes; 64 KiB by default. At 50 Mbit/s that takes 10 ms, less than a request
   * takes anyway, so smaller blocks save nothing; and records that lie scattered pay for larger ones.
   */
  readonly block?: number | undefined
}
