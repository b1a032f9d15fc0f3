import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RecaskError } from '../../ts/errors.js'
import { countOf, counted, indexOf, wide } from '../../ts/indices.js'
import type { Index } from '../../ts/interface.js'

const refused = (index: unknown, code: string, message: RegExp) =>
  assert.throws(
    () => indexOf(index as Index),
    (error) => error instanceof RecaskError && error.code === code && message.test(error.message),
  )

test('one record is a list of one', () => {
  assert.deepEqual(indexOf(5), Float64Array.of(5))
  assert.deepEqual(indexOf(-1), Float64Array.of(-1))
})

test('lists of any kind are lists', () => {
  const list = Float64Array.of(3, -1, 0)
  assert.deepEqual(indexOf([3, -1, 0]), list)
  assert.deepEqual(indexOf(Int32Array.of(3, -1, 0)), list)
  assert.deepEqual(indexOf(BigInt64Array.of(3n, -1n, 0n)), list)
  assert.equal(indexOf(list), list)
  assert.deepEqual(indexOf(Uint32Array.of(2 ** 32 - 1)), Float64Array.of(2 ** 32 - 1))
  assert.deepEqual(indexOf(BigUint64Array.of(2n ** 60n)), BigUint64Array.of(2n ** 60n))
  assert.deepEqual(indexOf([]), new Float64Array())
})

test('booleans are a mask', () => {
  assert.deepEqual(indexOf([true, false, true]), Uint8Array.of(1, 0, 1))
  refused([true, 1], 'invalid_argument', /booleans only/)
  refused([1, true], 'invalid_argument', /not a boolean/)
})

test('a slice keeps what is absent', () => {
  assert.deepEqual(indexOf({}), [undefined, undefined, undefined])
  assert.deepEqual(indexOf({ start: -3, step: 2 }), [-3, undefined, 2])
})

test('says what is no index', () => {
  refused(1.5, 'invalid_argument', /1\.5/)
  refused([0, NaN], 'invalid_argument', /NaN/)
  refused(Float64Array.of(Infinity), 'invalid_argument', /Infinity/)
  refused({ stop: 0.5 }, 'invalid_argument', /0\.5/)
  refused(2 ** 53, 'index_out_of_range', /2\^53/)
  refused(BigInt64Array.of(-(2n ** 60n)), 'index_out_of_range', /2\^53/)
  refused('3', 'invalid_argument', /a string/)
  refused(undefined, 'invalid_argument', /undefined/)
  refused(Uint8Array.of(1), 'invalid_argument', /Uint8Array/)
  refused(['1'], 'invalid_argument', /a string/)
})

test('a slice chooses as many records as in Python', () => {
  const bound = fc.option(fc.integer({ min: -15, max: 15 }), { nil: undefined })
  const step = fc.option(fc.integer({ min: -4, max: 4 }).filter((step) => step !== 0), { nil: undefined })
  fc.assert(
    fc.property(bound, bound, step, fc.nat(10), (start, stop, step, length) => {
      assert.equal(countOf([start, stop, step], length), sliced(length, start, stop, step).length)
    }),
  )
})

/** One record after the other. */
function sliced(length: number, start: number | undefined, stop: number | undefined, step = 1): number[] {
  const place = (bound: number) => (bound < 0 ? bound + length : bound)
  const from = start === undefined ? (step > 0 ? 0 : length - 1) : place(start)
  const to = stop === undefined ? (step > 0 ? length : -1) : Math.max(place(stop), -1)
  const chosen = []
  const first = step > 0 ? Math.max(from, 0) : Math.min(from, length - 1)
  for (let at = first; step > 0 ? at < Math.min(to, length) : at > to && at >= 0; at += step) chosen.push(at)
  return chosen
}

test('counts lists and masks', () => {
  assert.equal(countOf(Float64Array.of(4, 4, 4), 5), 3)
  assert.equal(countOf(Uint8Array.of(1, 0, 1, 1), 4), 3)
  assert.equal(countOf(BigUint64Array.of(1n), 4), 1)
})

test('integers of 64 bits', () => {
  assert.equal(wide(7, 'a step'), 7n)
  assert.equal(wide(2n ** 64n - 1n, 'a step'), 2n ** 64n - 1n)
  for (const bad of [-1, 1.5, NaN, 2 ** 53, 2n ** 64n, -1n, '7' as never]) assert.throws(() => wide(bad, 'a step'), /a step is/)
})

test('numbers of things', () => {
  assert.equal(counted(3, 'batch'), 3)
  for (const bad of [-1, 0.5, NaN, undefined as never]) assert.throws(() => counted(bad, 'batch'), /batch is a whole number/)
  assert.throws(() => counted(0, 'world', 1), /from 1/)
})
