/** One request, when it has ended. */
export interface RequestRecord {
  /** Without what stands behind `?`, which may be secret. */
  readonly url: string
  readonly start: number
  /** Not included. */
  readonly end: number
  /** 0 where there was no answer. */
  readonly status: number
  /** That arrived. */
  readonly bytes: number
  /** When it was sent, in milliseconds since 1970. */
  readonly time: number
  readonly milliseconds: number
}

/** What a source over HTTP did so far. */
export interface SourceStats {
  readonly requests: number
  /** That arrived. */
  readonly bytes: number
  /** Blocks that were in the cache. */
  readonly hits: number
  /** Blocks that were not. */
  readonly misses: number
  readonly cachedBytes: number
  /** The last requests, the newest at the end. */
  readonly log: readonly RequestRecord[]
}

const LOGGED = 256

/** Counts requests, and remembers the last ones. */
export class Statistics {
  hits = 0
  misses = 0
  #requests = 0
  #bytes = 0
  #log: RequestRecord[] = []
  readonly #onRequest: ((request: RequestRecord) => void) | undefined

  constructor(onRequest: ((request: RequestRecord) => void) | undefined) {
    this.#onRequest = onRequest
  }

  record(request: RequestRecord): void {
    this.#requests += 1
    this.#bytes += request.bytes
    this.#log.push(request)
    // Cut now and then, not with every request.
    if (this.#log.length >= 2 * LOGGED) this.#log = this.#log.slice(-LOGGED)
    this.#onRequest?.(request)
  }

  now(cachedBytes: number): SourceStats {
    const { hits, misses } = this
    return { requests: this.#requests, bytes: this.#bytes, hits, misses, cachedBytes, log: this.#log.slice(-LOGGED) }
  }
}
