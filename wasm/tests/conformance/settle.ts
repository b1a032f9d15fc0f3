/** Comparing an answer or an error with what is expected. */

import type { Expect, Fault, Refusal, Whole } from './cases.js'

/** Thrown: says what differs. */
export class Difference extends Error {}

/** Thrown: says why a door cannot have the case. */
export class Skipped extends Error {}

/** What an error of the library says. */
export interface Raised extends Fault {
  readonly message: string
  readonly stream?: string
  readonly step?: bigint
}

/** Does something, and compares what comes of it. */
export async function settle<T, W extends object>(
  work: () => T | Promise<T>,
  expected: Expect<W>,
  compare: (answer: T, wanted: W) => void | Promise<void>,
): Promise<void> {
  const outcome = await tried(work)
  if (isRefusal(expected)) {
    if (!('error' in outcome)) {
      throw new Difference(`no error, expected ${expected.error}`)
    }
    refused(outcome.error, expected)
  } else if ('error' in outcome) {
    throw new Difference(shown(outcome.error))
  } else {
    await compare(outcome.answer, expected)
  }
}

/** The answer, or the error of the library; any other one is thrown on. */
export async function tried<T>(work: () => T | Promise<T>): Promise<{ answer: T } | { error: Raised }> {
  try {
    return { answer: await work() }
  } catch (error) {
    return { error: raised(error) }
  }
}

/** An error as one of the library; any other one is thrown on. */
export function raised(error: unknown): Raised {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.name === 'RecaskError') {
    return error as Raised & Error
  }
  throw error
}

export function isRefusal<W extends object>(expected: Expect<W>): expected is Refusal {
  return 'error' in expected && typeof expected.error === 'string'
}

function refused(error: Raised, refusal: Refusal): void {
  const { error: code, step, ...where } = refusal
  const isStep = step === undefined || error.step === BigInt(step)
  const isStream = where.stream === undefined || error.stream === where.stream
  if (!isAsWanted(error, { ...where, code }) || !isStep || !isStream) {
    throw new Difference(`${shown(error)}, expected ${print(refusal)}`)
  }
}

/** Compares what `wanted` says; what it leaves out may be anything. */
function isAsWanted(found: Fault, wanted: Fault): boolean {
  return (
    found.code === wanted.code &&
    (wanted.file === undefined || wanted.file === found.file) &&
    (wanted.record === undefined || wanted.record === found.record) &&
    (wanted.offset === undefined || wanted.offset === found.offset)
  )
}

/** Both lists in the order of records, files and offsets. */
export function sameFaults(found: readonly Fault[], wanted: readonly Fault[]): void {
  const [left, right] = [sorted(found), sorted(wanted)]
  if (left.length !== right.length || !left.every((fault, at) => isAsWanted(fault, right[at]!))) {
    throw new Difference(`faults: ${print(left)}, expected ${print(right)}`)
  }
}

function sorted(faults: readonly Fault[]): Fault[] {
  const key = ({ record, file, offset, code }: Fault): Fault => ({
    ...(record !== undefined && { record }),
    ...(file !== undefined && { file }),
    ...(offset !== undefined && { offset }),
    code,
  })
  return faults.map(key).sort(
    (left, right) =>
      (left.record ?? -1) - (right.record ?? -1) ||
      compared(left.file ?? '', right.file ?? '') ||
      (left.offset ?? -1) - (right.offset ?? -1) ||
      compared(left.code, right.code),
  )
}

export function compared(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

export function same(what: string, got: unknown, wanted: unknown): void {
  const [left, right] = [print(got), print(wanted)]
  if (left !== right) {
    throw new Difference(`${what}: ${left}, expected ${right}`)
  }
}

/** Whole numbers as decimal digits, whatever they came as. */
export function digits(numbers: Iterable<Whole | bigint>): string[] {
  return Array.from(numbers, (number) => BigInt(number).toString())
}

function shown({ code, message, file, record, offset, stream, step }: Raised): string {
  return `${code} (${message}) ${print({ file, record, offset, stream, step })}`
}

function print(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner)) ?? 'nothing'
}
