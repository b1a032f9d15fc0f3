/** What directories throw: named errors as the browser's own are, which the core gives a code, and errors with a code. */

import { RecaskError } from '../errors.js'

/** What asks for a file to be opened; see `Directory` in `raw.ts`. */
export const PREPARE: { readonly prepare: true } = Object.freeze({ prepare: true })

/** An error like a `DOMException` of this name. */
export function named(name: string, message: string): Error {
  const error = new Error(message)
  error.name = name
  return error
}

/** The name of whatever was thrown. */
export function nameOf(error: unknown): string {
  const name = (error as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : ''
}

/** The error that people see for one of the browser: what was tried, and why it failed. */
export function refusal(error: unknown, tried: string): RecaskError {
  if (error instanceof RecaskError) {
    return error
  }
  const why = error instanceof Error ? error.message : String(error)
  return new RecaskError(codeOf(error), `cannot ${tried}: ${why}`, {}, { cause: error })
}

function codeOf(error: unknown): string {
  switch (nameOf(error)) {
    case 'NotFoundError':
      return 'missing_file'
    case 'NoModificationAllowedError':
      return 'store_busy'
    case 'QuotaExceededError':
      return 'device_full'
    case 'NotAllowedError':
    case 'SecurityError':
      return 'permission_denied'
    default:
      return 'io'
  }
}
