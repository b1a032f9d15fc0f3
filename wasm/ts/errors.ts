import type { RecaskErrorFields } from './interface.js'
import type { Needs, RawFault } from './raw.js'

/**
 * What every failed call of Recask rejects with. The `code` is stable and the same in every language: `store_not_found`,
 * `corrupt_record`, `index_out_of_range`, `source_changed`, …; the message is for people and says what to do.
 *
 * ```js
 * try {
 *   await DenseStore.open(fromUrl('https://example.org/images'))
 * } catch (error) {
 *   if (error instanceof RecaskError && error.code === 'store_not_found') showUpload()
 *   else throw error
 * }
 * ```
 */
export class RecaskError extends Error implements RecaskErrorFields {
  override readonly name = 'RecaskError'
  readonly code: string
  declare readonly place?: string
  declare readonly file?: string
  declare readonly record?: number
  declare readonly offset?: number
  declare readonly stream?: string
  declare readonly step?: bigint
  declare readonly character?: number

  constructor(code: string, message: string, fields: Omit<RecaskErrorFields, 'code'> = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    Object.assign(this, given(fields))
  }
}

const FIELDS = ['place', 'file', 'record', 'offset', 'stream', 'step', 'character'] as const

/** Only the fields that have a value, so that an error shows no `undefined`. */
export function given(fields: Omit<RecaskErrorFields, 'code'>): Omit<RecaskErrorFields, 'code'> {
  return Object.fromEntries(FIELDS.flatMap((field) => (fields[field] == null ? [] : [[field, fields[field]]])))
}

/** An error of the core. */
export function fromFault(fault: RawFault): RecaskError {
  return new RecaskError(fault.code, fault.message, fault)
}

/** The mistake of a caller. */
export function invalid(message: string): RecaskError {
  return new RecaskError('invalid_argument', message)
}

/** Whether WebAssembly asks for bytes. */
export function isNeeds(thrown: unknown): thrown is Needs {
  return typeof thrown === 'object' && thrown !== null && 'needs' in thrown
}

/** Whether WebAssembly reports an error of the core. */
export function isFault(thrown: unknown): thrown is RawFault {
  return typeof thrown === 'object' && thrown !== null && !(thrown instanceof Error) && 'code' in thrown && 'message' in thrown
}
