/** Tables beside arrays, through random records, layouts, selections and filters. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import type { Selection as Rows, TypedArray } from '../../ts/index.js'
import { check } from '../support/checking.js'
import { choice, chosen } from '../support/chosen.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

/** Columns of several types, of whose values little is different, so that filters find something. */
const COLUMNS = {
  id: (number: number) => number - 500,
  small: (number: number) => number % 7,
  wide: (number: number) => BigInt(number % 11) * 2n ** 60n - 2n ** 62n,
  ratio: (number: number) => ((number % 13) - 6) / 4,
  flag: (number: number) => number % 3 === 0,
  time: (number: number) => BigInt(number % 5),
  word: (number: number) => ['', 'a', 'bc', 'def', 'zz'][number % 5]!,
  letter: (number: number) => ['', 'é', '中文', '🙂'][number % 4]!,
} as const

type Name = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Name[]

/** Rows, each of which is a number that its values follow from. */
type Written = readonly number[]

const written = fc.array(fc.nat(1000), { maxLength: 30 })
const layout = fc.constantFrom(
  { layout: '0.3' as const },
  { layout: '0.5' as const },
  { layout: '0.5' as const, statistics: true },
)

/** A comparison beside what it means. */
interface Condition {
  readonly text: string
  readonly holds: (row: number) => boolean
}

const comparison: fc.Arbitrary<Condition> = fc
  .record({
    name: fc.constantFrom('id' as const, 'small' as const, 'wide' as const, 'ratio' as const),
    operator: fc.constantFrom('<', '<=', '=', '!=', '>=', '>'),
    number: fc.nat(1000),
  })
  .map(({ name, operator, number }) => {
    const bound = COLUMNS[name](number)
    const compared: Record<string, (value: number | bigint) => boolean> = {
      '<': (value) => value < bound,
      '<=': (value) => value <= bound,
      '=': (value) => value === bound,
      '!=': (value) => value !== bound,
      '>=': (value) => value >= bound,
      '>': (value) => value > bound,
    }
    return { text: `${name} ${operator} ${bound}`, holds: (row) => compared[operator]!(COLUMNS[name](row)) }
  })

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    comparison,
    fc.tuple(tie('condition'), tie('condition'), fc.boolean()).map(([left, right, both]) => ({
      text: `(${left.text} ${both ? 'AND' : 'OR'} ${right.text})`,
      holds: (row: number) => (both ? left.holds(row) && right.holds(row) : left.holds(row) || right.holds(row)),
    })),
    tie('condition').map(({ text, holds }) => ({ text: `NOT ${text}`, holds: (row: number) => !holds(row) })),
  ),
}))

/** What narrows a selection. */
type Step =
  | { readonly does: 'rows'; readonly choice: ReturnType<typeof choice.generate>['value'] }
  | { readonly does: 'head' | 'tail'; readonly count: number }
  | { readonly does: 'filter'; readonly condition: Condition }
  | { readonly does: 'select'; readonly picks: readonly number[] }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant('rows' as const), choice }),
  fc.record({ does: fc.constantFrom('head' as const, 'tail' as const), count: fc.nat(80) }),
  fc.record({ does: fc.constant('filter' as const), condition }),
  fc.record({ does: fc.constant('select' as const), picks: fc.array(fc.nat(), { maxLength: 5 }) }),
)

export function tableProperties({ recask, isNative }: Door): void {
  const { Table } = recask
  const runs = isNative ? 90 : 40

  /** Some records with `create`, the others with `append`. */
  async function make(records: readonly Written[], options: object, split: number): Promise<string> {
    const place = nowhere('rows.cstore')
    const first = await Table.create(place, options)
    await first.write(columnsOf(records[0]!))
    for (const record of records.slice(1, split)) await first.write(columnsOf(record))
    await first.close()
    const rest = records.slice(Math.max(1, split))
    if (rest.length === 0) return place
    const second = await Table.append(place)
    for (const record of rest) await second.write(columnsOf(record))
    assert.equal(second.rows, rows(records).length)
    await second.close()
    return place
  }

  async function expectRows(found: Rows, names: readonly Name[], rows: Written, places: readonly number[]): Promise<void> {
    const expected = rows.map((row) => Object.fromEntries(names.map((name) => [name, COLUMNS[name](row)])))
    assert.deepEqual(found.columnNames, names)
    assert.equal(await found.count(), rows.length)
    assert.deepEqual([...(await found.rowNumbers())], places)
    if (names.length > 0) assert.deepEqual(await found.toRows(), expected)
    const columns = await found.object()
    assert.deepEqual(Object.keys(columns), names)
    const all: Readonly<Record<string, { readonly data: TypedArray } | TypedArray>> = columnsOf(rows)
    for (const name of names) {
      const input = all[name]!
      const data = ArrayBuffer.isView(input) ? input : input.data
      // Texts come with the width of their column, which is that of the input here.
      assert.deepEqual(columns[name], data)
    }
    if (!isNative) return
    assert.deepEqual([found.countSync(), [...found.rowNumbersSync()]], [rows.length, places])
    assert.deepEqual(found.objectSync(), columns)
    if (names.length > 0) assert.deepEqual(found.toRowsSync(), expected)
  }

  describe('properties of tables', () => {
    it('selections of selections are those of arrays', () =>
      check(
        fc.asyncProperty(
          fc.array(written, { minLength: 1, maxLength: 5 }),
          layout,
          fc.nat(5),
          fc.array(step, { maxLength: 5 }),
          async (records, layout, split, steps) => {
            const table = await Table.open(await make(records, layout, split))
            const all = rows(records)
            assert.deepEqual([table.length, table.schema.map(({ name }) => name)], [all.length, NAMES])
            let [found, names]: [Rows, Name[]] = [table, NAMES]
            let places = [...all.keys()]
            for (const step of steps) {
              switch (step.does) {
                case 'rows': {
                  const { index, positions } = chosen(step.choice, places.length)
                  found = found.rows(index)
                  places = positions.map((position) => places[position]!)
                  break
                }
                case 'head':
                  found = found.head(step.count)
                  places = places.slice(0, step.count)
                  break
                case 'tail':
                  found = found.tail(step.count)
                  places = step.count === 0 ? [] : places.slice(-step.count)
                  break
                case 'filter':
                  // Filters look at columns that are not selected, too.
                  found = found.filter(step.condition.text)
                  places = places.filter((place) => step.condition.holds(all[place]!))
                  break
                case 'select':
                  if (names.length === 0) break
                  names = [...new Set(step.picks.map((pick) => names[pick % names.length]!))]
                  found = found.select(names)
              }
            }
            await expectRows(
              found,
              names,
              places.map((place) => all[place]!),
              places,
            )
            await table.close()
          },
        ),
        runs,
      ))

    it('several files are one table, and compacted they are the same', () =>
      check(
        fc.asyncProperty(fc.array(written, { minLength: 2, maxLength: 4 }), layout, async (records, layout) => {
          const places = await Promise.all(records.map((record) => make([record], layout, 1)))
          const joined = await Table.open(places)
          const all = rows(records)
          await expectRows(joined, NAMES, all, [...all.keys()])
          await joined.close()
          const place = await make(records, layout, 1)
          await Table.compact(place)
          const compacted = await Table.open(place)
          assert.equal(compacted.fileRecords, 1)
          assert.equal((await compacted.verify()).ok, true)
          await expectRows(compacted, NAMES, all, [...all.keys()])
          await compacted.close()
        }),
        Math.ceil(runs / 3),
      ))

    it('what was not committed is not there', () =>
      check(
        fc.asyncProperty(written, written, layout, async (kept, dropped, layout) => {
          const place = await make([kept], layout, 1)
          const writer = await Table.append(place)
          await writer.write(columnsOf(dropped))
          await writer.abort()
          const table = await Table.open(place)
          await expectRows(table, NAMES, kept, [...kept.keys()])
          await table.close()
        }),
        Math.ceil(runs / 3),
      ))

    if (!isNative) return

    it('Arrow IPC has the same rows, for apache-arrow and back', () =>
      check(
        fc.asyncProperty(
          fc.array(written, { minLength: 1, maxLength: 3 }),
          layout,
          condition,
          fc.boolean(),
          async (records, layout, { text, holds }, isStream) => {
            const table = await Table.open(await make(records, layout, 2))
            const found = table.filter(text)
            const expected = rows(records).filter(holds)
            const bytes = await found.arrow({ format: isStream ? 'stream' : 'file' })
            const arrow = tableFromIPC(bytes)
            assert.equal(arrow.numRows, expected.length)
            for (const name of ['id', 'small', 'wide', 'ratio', 'flag', 'letter'] as const) {
              const values = expected.map((row) => COLUMNS[name](row))
              assert.deepEqual([...(arrow.getChild(name) ?? [])], values, name)
            }
            const place = nowhere('back.cstore')
            assert.equal(await Table.fromArrow(place, bytes, layout), expected.length)
            const back = await Table.open(place)
            const numbers = ['id', 'small', 'wide', 'ratio', 'flag', 'time'] as const
            assert.deepEqual(
              await back.select(numbers).toRows(),
              expected.map((row) => Object.fromEntries(numbers.map((name) => [name, COLUMNS[name](row)]))),
            )
            await back.close()
            await table.close()
          },
        ),
        Math.ceil(runs / 3),
      ))
  })
}

function rows(records: readonly Written[]): number[] {
  return records.flat()
}

/** Every column of some rows as it is written. */
function columnsOf(rows: Written) {
  return {
    id: Int32Array.from(rows, COLUMNS.id),
    small: Uint8Array.from(rows, COLUMNS.small),
    wide: BigInt64Array.from(rows, COLUMNS.wide),
    ratio: Float64Array.from(rows, COLUMNS.ratio),
    flag: { data: Uint8Array.from(rows, (row) => Number(COLUMNS.flag(row))), dtype: '|b1' },
    time: { data: BigInt64Array.from(rows, COLUMNS.time), dtype: '<M8[s]' },
    word: { data: padded(rows, 4, (row) => [...Buffer.from(COLUMNS.word(row))]), dtype: '|S4' },
    letter: {
      data: new Uint8Array(
        Uint32Array.from(
          padded(rows, 3, (row) => Array.from(COLUMNS.letter(row), (letter) => letter.codePointAt(0)!), Uint32Array),
        ).buffer,
      ),
      dtype: '<U3',
    },
  }
}

/** Texts of equal width, filled up with zeros. */
function padded(
  rows: Written,
  width: number,
  codes: (row: number) => number[],
  Type: { from(values: number[]): Uint8Array | Uint32Array } = Uint8Array,
): Uint8Array {
  return Type.from(rows.flatMap((row) => Array.from({ length: width }, (_, at) => codes(row)[at] ?? 0))) as Uint8Array
}
