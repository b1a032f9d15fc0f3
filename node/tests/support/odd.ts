/** Values of every kind, most of which no call takes. */

import fc from 'fast-check'

/** Gives itself away wherever somebody looks into it. */
export class Trap extends Error {}

export function trap(): never {
  throw new Trap('trapped')
}

export function detached<Array extends Uint8Array | Float64Array | BigUint64Array>(array: Array): Array {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] })
  return array
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const Resizable = ArrayBuffer as unknown as new (length: number, options: { maxByteLength: number }) => ArrayBuffer

const HUGE = [2 ** 31, 2 ** 32, 2 ** 52, 2 ** 53 - 1, 2 ** 53, 1e300, Infinity, -Infinity, NaN, -0, 0.5, -1, -(2 ** 53)]

const SPECIAL: readonly (() => unknown)[] = [
  ...HUGE.map((number) => () => number),
  ...[2n ** 63n - 1n, 2n ** 64n - 1n, 2n ** 64n, -1n, 10n ** 40n].map((number) => () => number),
  () => Symbol('odd'),
  () => trap,
  () => async () => {},
  () => new Date(NaN),
  () => /x/,
  () => new URL('https://example.org/a'),
  () => new DataView(new ArrayBuffer(8)),
  () => new ArrayBuffer(8),
  () => new SharedArrayBuffer(8),
  () => new Uint8Array(new SharedArrayBuffer(8)),
  () => detached(new Uint8Array(8)),
  () => detached(Float64Array.of(0, 1)),
  () => detached(BigUint64Array.of(0n, 1n)),
  () => new Float64Array(new Resizable(24, { maxByteLength: 64 }), 0, 2),
  () => Buffer.from('bytes'),
  () => new Array(3),
  () => Object.create(null),
  () => Object.create(Uint8Array.prototype),
  () => ({ length: 2 ** 32 }),
  () => ({ length: -1, 0: 1 }),
  () => ({ start: 2 ** 53, stop: -(2 ** 60), step: 1 }),
  () => ({ start: 0, stop: 3, step: 0 }),
  () => ({ data: new Uint8Array(4), shape: [2 ** 53 - 1, 2 ** 53 - 1] }),
  () => ({ data: new Uint8Array(4), shape: new Array(300).fill(1) }),
  () => ({ dtype: '<f4', data: new Uint8Array(3) }),
  () => ({ then: trap }),
  () => ({ toString: trap, valueOf: trap }),
  () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap }),
  () => new Proxy([0, 1], {}),
  () => new Proxy(new Uint8Array(8), {}),
  revoked,
  () => AbortSignal.abort(),
  () => ({ signal: AbortSignal.abort() }),
  () => ({ aborted: true, throwIfAborted: trap, addEventListener: trap }),
]

/** Nothing outside of the folder of the test is named. */
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((text) => text.replaceAll(/[/\\.~:]/g, '_'))

/** Makes one: fast-check looks into values, which some of them do not stand. */
export const odd: fc.Arbitrary<() => unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SPECIAL) },
  {
    weight: 2,
    arbitrary: fc
      .anything({
        key: text,
        values: [text, fc.boolean(), fc.double(), fc.maxSafeInteger(), fc.bigInt(), fc.constantFrom(null, undefined)],
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
        maxDepth: 2,
      })
      .map((value) => () => value),
  },
)

/** Arguments that are right, or wrong in one place: another value, one field of an object or of a list, too few, too many. */
export function spoiled(right: readonly unknown[], how: number, at: number, wrong: unknown): unknown[] {
  const given = [...right]
  const place = given.length === 0 ? 0 : at % given.length
  const old = given[place]
  switch (how % 6) {
    case 0:
      return given
    case 1:
      return given.slice(0, place)
    case 2:
      return [...given, wrong]
    case 3:
      if (
        typeof old === 'object' &&
        old !== null &&
        !ArrayBuffer.isView(old) &&
        Object.getPrototypeOf(old) === Object.prototype
      ) {
        const names = Object.keys(old)
        given[place] = { ...old, [names[(at >> 3) % (names.length || 1)] ?? 'signal']: wrong }
        return given
      }
      if (Array.isArray(old)) {
        given[place] = [...old.slice(1), wrong]
        return given
      }
  }
  given[place] = wrong
  return given
}

/** Right arguments with a wrong value in every place, one after the other: an argument, a field of an object, the end of a list. */
export function everySpoilt(right: readonly unknown[], wrong: unknown): unknown[][] {
  const put = (at: number, value: unknown) => right.map((old, i) => (i === at ? value : old))
  return right.flatMap((old, at) => {
    const whole = put(at, wrong)
    if (Array.isArray(old)) return [whole, put(at, [...old.slice(1), wrong])]
    if (typeof old !== 'object' || old === null || Object.getPrototypeOf(old) !== Object.prototype) return [whole]
    return [whole, ...Object.keys(old).map((name) => put(at, { ...old, [name]: wrong }))]
  })
}
