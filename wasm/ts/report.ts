import { given } from './errors.js'
import type { Fault, Verification } from './interface.js'
import type { RawFault, RawVerification } from './raw.js'

export function verificationOf({ records, rows, found, faults }: RawVerification): Verification {
  return { ok: found === 0, records, ...(rows !== undefined && { rows }), found, faults: faults.map(faultOf) }
}

export function faultOf(fault: RawFault): Fault {
  return { code: fault.code, message: fault.message, ...given(fault) }
}
