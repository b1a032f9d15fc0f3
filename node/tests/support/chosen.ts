/** Indices in every form, for stores and tables of any length, beside the positions that they choose. */

import fc from 'fast-check'
import type { Index } from '../../ts/index.js'

const FORMS = [
  'one',
  'list',
  'mask',
  'Int32Array',
  'Uint32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'slice',
] as const

/** An index that is not bound to a length yet. */
export interface Choice {
  readonly form: (typeof FORMS)[number]
  readonly numbers: readonly number[]
}

export const choice: fc.Arbitrary<Choice> = fc.record({
  form: fc.constantFrom(...FORMS),
  numbers: fc.array(fc.nat(), { maxLength: 12 }),
})

/** The index for so many records, and the positions that it chooses, by the rules of Python. */
export function chosen({ form, numbers }: Choice, length: number): { index: Index; positions: number[] } {
  switch (form) {
    case 'one': {
      if (length === 0) return { index: [], positions: [] }
      const index = ((numbers[0] ?? 0) % (2 * length)) - length
      return { index, positions: [(index + length) % length] }
    }
    case 'mask': {
      const index = Array.from({ length }, (_, position) => (numbers[position % (numbers.length || 1)] ?? 0) % 2 === 1)
      return { index, positions: index.flatMap((flag, position) => (flag ? [position] : [])) }
    }
    case 'slice':
      return sliced(numbers, length)
    default:
      return listed(form, length === 0 ? [] : numbers, length)
  }
}

function listed(form: string, numbers: readonly number[], length: number): { index: Index; positions: number[] } {
  const signed = numbers.map((number) => (number % (2 * length)) - length)
  const positions = signed.map((number) => (number + length) % length)
  switch (form) {
    case 'Int32Array':
      return { index: Int32Array.from(signed), positions }
    case 'Float64Array':
      return { index: Float64Array.from(signed), positions }
    case 'BigInt64Array':
      return { index: BigInt64Array.from(signed, BigInt), positions }
    // These have no negative numbers.
    case 'Uint32Array':
      return { index: Uint32Array.from(positions), positions }
    case 'BigUint64Array':
      return { index: BigUint64Array.from(positions, BigInt), positions }
    default:
      return { index: signed, positions }
  }
}

function sliced([start, stop, step]: readonly number[], length: number): { index: Index; positions: number[] } {
  const bound = (number: number | undefined) =>
    number === undefined || number % 5 === 0 ? undefined : (number % (4 * length + 3)) - 2 * length - 1
  const [from, to] = [bound(start), bound(stop)]
  const by = [undefined, 1, 2, 3, -1, -2, -5][(step ?? 0) % 7]
  return { index: { start: from, stop: to, step: by }, positions: range(from, to, by ?? 1, length) }
}

/** Every position that lies between the bounds, step by step. */
function range(start: number | undefined, stop: number | undefined, step: number, length: number): number[] {
  const from = (bound: number) => (bound < 0 ? bound + length : bound)
  const all = Array.from({ length }, (_, position) => position)
  if (step > 0) {
    const [first, behind] = [Math.max(0, from(start ?? 0)), from(stop ?? length)]
    return all.filter((position) => position >= first && position < behind && (position - first) % step === 0)
  }
  const first = Math.min(length - 1, start === undefined ? length - 1 : from(start))
  const last = stop === undefined ? -1 : from(stop)
  return all.reverse().filter((position) => position <= first && position > last && (first - position) % step === 0)
}

/** As the format defines a deletion: from the highest position down, the last record takes the place of the deleted one. */
export function swapRemoved<Item>(items: readonly Item[], positions: readonly number[]): Item[] {
  const left = [...items]
  for (const position of [...new Set(positions)].sort((a, b) => b - a)) {
    const last = left.pop()!
    if (position < left.length) left[position] = last
  }
  return left
}
