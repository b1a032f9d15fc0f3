/**
 * How a server misbehaves. A path asks for it in its query, `?fault=reset:2,no-etag`, so that every file below a URL with that
 * query does; or a test sets it for a path. A number with `times` says how many of the first requests for a path it spoils.
 */
export interface Faults {
  /** Answers 200 with the whole file. */
  readonly 'ignore-range'?: true
  /** Sends half of the body and cuts the connection, so many times. */
  readonly truncate?: number
  /** Sends half of the body and ends it as if it were all, so many times. */
  readonly chop?: number
  /** Cuts the connection before it answers, so many times. */
  readonly reset?: number
  /** Waits so many milliseconds before it answers. */
  readonly delay?: number
  /** Waits so many milliseconds in the middle of the body. */
  readonly slow?: number
  /** Never answers. */
  readonly hang?: true
  /** Answers with this status; with `times`, only so often. */
  readonly status?: number
  readonly times?: number
  /** Of such an answer: so many seconds, or a date. */
  readonly 'retry-after'?: string
  /** After so many requests the file is another one of the same length. */
  readonly 'change-after'?: number
  /** After so many requests the file is gone. */
  readonly 'gone-after'?: number
  /** After so many requests the file has one byte more. */
  readonly 'grow-after'?: number
  readonly 'no-etag'?: true
  readonly 'weak-etag'?: true
  readonly 'no-modified'?: true
  /** Compresses what it sends, ranges too. */
  readonly gzip?: true
  readonly 'wrong-content-range'?: true
  /** Hides the header, as a host does that does not expose it to other origins. */
  readonly 'no-content-range'?: true
  readonly 'no-content-length'?: true
  /** Does not tell the total: `bytes 0-9/*`. */
  readonly 'no-total'?: true
  /** Sends so many bytes more than were asked for. */
  readonly longer?: number
  /** Sends at most so many bytes of a range. */
  readonly most?: number
  /** Sends elsewhere, where the file is. */
  readonly redirect?: true
  /** Where it sends to, the address is good for so many requests. */
  readonly 'redirect-expires'?: number
}

/** Reads `reset:2,no-etag`. */
export function parseFaults(text: string | null): Faults {
  const pairs = (text ?? '').split(',').filter((part) => part !== '')
  const valueOf = (value: string | undefined) => (value === undefined ? true : /^\d+$/.test(value) ? Number(value) : value)
  const split = pairs.map(
    (pair) => [pair.split(':')[0], pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined] as const,
  )
  return Object.fromEntries(split.map(([name, value]) => [name, name === 'retry-after' ? value : valueOf(value)]))
}
