import { RecaskError } from '../../wasm/ts/errors.js'
import type { RecaskErrorFields } from '../../wasm/ts/interface.js'
import type { RawFault } from './native.js'

/** What the addon puts before the JSON of an error of the core. */
const MARKER = 'recask:'

/** What the addon threw, as people get it. */
export function translated(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown instanceof RecaskError) return thrown
  if (isForeign(thrown)) return new RecaskError(thrown.code, thrown.message, thrown as RecaskErrorFields, { cause: thrown })
  const fault = faultOf(thrown.message)
  if (fault) return new RecaskError(fault.code, fault.message, fault)
  // Node-API itself refuses values of wrong types.
  if (isNodeApi(thrown)) return new RecaskError('invalid_argument', thrown.message, {}, { cause: thrown })
  return thrown
}

/** The error of recask-wasm, which has a class of its own. */
function isForeign(thrown: Error & { readonly code?: unknown }): thrown is Error & { readonly code: string } {
  return thrown.name === 'RecaskError' && typeof thrown.code === 'string'
}

/** The same error with the place of the store, where it does not say it. */
export function located(error: unknown, place: string): unknown {
  if (!(error instanceof RecaskError) || error.place !== undefined) return error
  const message = error.message.includes(place) ? error.message : `${error.message} (${place})`
  return new RecaskError(error.code, message, { ...error, place }, { cause: error.cause })
}

/** The failure of a call that was stopped. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof RecaskError && error.code === 'interrupted'
}

function faultOf(message: string): RawFault | undefined {
  if (!message.startsWith(MARKER)) return undefined
  try {
    return faultFrom(JSON.parse(message.slice(MARKER.length)) as Fields)
  } catch {
    return undefined
  }
}

type Fields = Omit<RawFault, 'step'> & { readonly step?: number | string }

/** JSON has no `bigint`: steps above 2^53 are digits. */
function faultFrom({ step, ...fields }: Fields): RawFault {
  return step == null ? fields : { ...fields, step: BigInt(step) }
}

const REFUSALS = [
  'InvalidArg',
  'ObjectExpected',
  'StringExpected',
  'NumberExpected',
  'BooleanExpected',
  'ArrayExpected',
  'BigintExpected',
]

function isNodeApi(error: Error & { code?: unknown }): boolean {
  return typeof error.code === 'string' && REFUSALS.includes(error.code)
}
