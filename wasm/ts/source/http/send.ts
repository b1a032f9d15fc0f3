import { pageOrigin, Passing, unreachable } from './failure.js'
import type { Host } from './host.js'
import { strongValidator, type Version } from './version.js'

/** A file that is asked for. */
export interface Target {
  readonly host: Host
  /** For messages: the address without what may be secret. */
  readonly name: string
  readonly url: string
  /** Where its host redirected to. */
  direct: string | undefined
  /** What was learned so far. */
  readonly version: Version | undefined
  /** Takes in what an answer says. Throws where the file changed. */
  learn(version: Version): void
  /** The error of a file that changed, and how that shows. */
  changed(reason: string): Error
}

/** An answer, and whether it was asked for with `If-Range`. */
export interface Answer {
  readonly response: Response
  readonly isConditional: boolean
}

/** Asks for the bytes from `start` to before `end`. */
export async function send(target: Target, start: number, end: number, signal: AbortSignal): Promise<Answer> {
  const { options } = target.host
  const url = target.direct ?? target.url
  // Tokens are for the host that they were given for; where it redirects to has its own signature in the URL.
  const isElsewhere = new URL(url).origin !== new URL(target.url).origin
  const given = isElsewhere ? undefined : options.headers
  const headers = new Headers(typeof given === 'function' ? await given(url) : given)
  headers.set('Range', `bytes=${start}-${end - 1}`)
  const validator = target.version && !isForeign(url) ? strongValidator(target.version) : undefined
  if (validator !== undefined) headers.set('If-Range', validator)
  signal.throwIfAborted()
  try {
    // The browser's own cache would let the requests for one file wait for each other, and might answer with an old state.
    const response = await (options.fetch ?? fetch)(url, { headers, signal, cache: 'no-store' })
    return { response, isConditional: validator !== undefined }
  } catch (error) {
    signal.throwIfAborted()
    throw new Passing(unreachable(target.name, isForeign(url), error))
  }
}

/**
 * Whether a page of another origin asks. For `If-Range`, unlike `Range`, it needs the leave of the host, in a request of its
 * own for every file every few seconds, and most hosts give none. Nothing is lost: a validator that it can see comes with every
 * answer, and is compared.
 */
function isForeign(url: string): boolean {
  const page = pageOrigin()
  return page !== undefined && page !== new URL(url).origin
}
