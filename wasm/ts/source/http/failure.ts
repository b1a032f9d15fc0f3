import { RecaskError } from '../../errors.js'

/** A failure that may pass: the request is sent again. */
export class Passing extends Error {
  /** What it becomes when it does not pass. */
  readonly final: RecaskError
  /** How long the host wants to be left alone, in milliseconds. */
  readonly after: number | undefined

  constructor(final: RecaskError, after?: number) {
    super(final.message)
    this.final = final
    this.after = after
  }
}

/** An error of a file on a host: `sentence` goes on after its name. */
export function failed(code: string, file: string, sentence: string, cause?: unknown): RecaskError {
  return new RecaskError(code, `${file} ${sentence}`, { file }, cause === undefined ? undefined : { cause })
}

/** `fetch` does not say why it failed; with `isForeign` it may also have been forbidden to the page. */
export function unreachable(file: string, isForeign: boolean, cause: unknown): RecaskError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const refused = isForeign
    ? `, or its host does not allow pages of ${pageOrigin()} to read it (CORS: it has to answer with Access-Control-Allow-Origin, ` +
      `and with Access-Control-Allow-Headers where headers are given)`
    : ''
  return failed(
    'io',
    file,
    `cannot be reached (${reason}): the address is wrong, the network failed, or its host compresses ranges (Content-Encoding)${refused}`,
    cause,
  )
}

/** The origin that a browser compares with; `undefined` outside of browsers. */
export function pageOrigin(): string | undefined {
  return (globalThis as { location?: Location }).location?.origin
}

/** What a page of another origin has to be allowed to see. */
export const EXPOSE = 'the host has to send Access-Control-Expose-Headers: Content-Range, ETag'
