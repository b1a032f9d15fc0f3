/** What is measured: data of the benchmarks for browsers, which is that of the native ones, and a larger table. */

import { type Case, CASES, type Codec, FILTER, ROW_GROUP } from '../../wasm/bench/cases.js'

export { COLUMN_NAMES, COLUMNS, COMPRESSIONS, FILTER, parquetName, ROW_GROUP, storeName, TABLE } from '../../wasm/bench/cases.js'
export type { Case, Codec, ColumnName, Compression } from '../../wasm/bench/cases.js'

/** A store, and how many of its records are read at once. */
export interface Run {
  readonly of: Case
  readonly codec: Codec
  readonly batch: number
}

/** How much data there is. */
export interface Scale {
  readonly records: (of: Case) => number
  readonly rows: number
}

export const FULL: Scale = { records: ({ records }) => records, rows: 5_000_000 }
/** Enough to see that everything runs. */
export const SMALL: Scale = { records: ({ records }) => Math.max(256, records >> 6), rows: 2 * ROW_GROUP }

/** What a training step reads, and of small records as much as it takes for the work to outweigh the call. */
const BATCH = 256
const STORES: readonly (readonly [name: string, codec: Codec])[] = [
  ['256KiB', 'raw'],
  ['256KiB', 'zstd'],
  ['tokens', 'raw'],
  ['64B', 'raw'],
]

export function runs(scale: Scale): Run[] {
  return STORES.flatMap(([name, codec]) => {
    const found = CASES.find((each) => each.name === name)!
    const of = { ...found, records: scale.records(found) }
    const batches = new Set([BATCH, Math.min(of.batch, of.records)])
    return Array.from(batches, (batch) => ({ of, codec, batch }))
  })
}

export function runName({ of, codec, batch }: Run): string {
  return `gather/${of.name}/${codec}/${batch}`
}

/** What is asked of the table. */
export interface Question {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows?: { readonly start: number; readonly stop: number }
  /** Whether only rows that pass {@link FILTER} are wanted. */
  readonly isFiltered: boolean
}

export function questions(rows: number, all: readonly string[]): Question[] {
  // A tenth of the rows, which begins within a row group.
  const start = Math.floor(rows * 0.42) + 1000
  return [
    { name: 'table/columns', columns: all, isFiltered: false },
    { name: 'table/slice', columns: all, rows: { start, stop: start + rows / 10 }, isFiltered: false },
    { name: 'table/filter', columns: FILTER.columns, isFiltered: true },
  ]
}
