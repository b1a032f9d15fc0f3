/** What is measured: the same kinds of data as in the native benchmarks. */

export interface Case {
  readonly name: string
  readonly kind: 'dense' | 'ragged'
  /** Of a ragged store on average. */
  readonly recordBytes: number
  readonly records: number
  /** Records of one gather. */
  readonly batch: number
}

export type Codec = 'raw' | 'zstd' | 'zstd_dict'

export const CODECS: readonly Codec[] = ['raw', 'zstd', 'zstd_dict']

/** Images, token blocks, small vectors, and sequences of 1 to 511 tokens. */
export const CASES: readonly Case[] = [
  { name: '256KiB', kind: 'dense', recordBytes: 256 * 1024, records: 512, batch: 256 },
  { name: '1KiB', kind: 'dense', recordBytes: 1024, records: 65_536, batch: 8192 },
  { name: '64B', kind: 'dense', recordBytes: 64, records: 524_288, batch: 65_536 },
  { name: 'tokens', kind: 'ragged', recordBytes: 1024, records: 32_768, batch: 4096 },
]

/** The table: rows, and rows of one record or row group. */
export const ROWS = 1_000_000
export const ROW_GROUP = 50_000

/** Columns by name: 8, 8, 4 and 2 bytes wide. */
export const COLUMNS = { event: BigInt64Array, energy: Float64Array, pt: Float32Array, layer: Int16Array } as const
export type ColumnName = keyof typeof COLUMNS
export const COLUMN_NAMES = Object.keys(COLUMNS)

/** Rows of a slice, which begin within a row group. */
export const SLICE = { start: 420_000, stop: 520_000 }

/** Rows of scattered row groups. */
export const GROUPS = [1, 6, 11, 16].map((group) => ({ start: group * ROW_GROUP, stop: (group + 1) * ROW_GROUP }))

/** Two of five rows, then one of five of these. */
export const FILTER = {
  expression: 'energy < 0.4 AND pt > 0.8',
  energyBelow: 0.4,
  ptAbove: 0.8,
  columns: ['event', 'pt'],
} as const

/** The Parquet files beside the table. */
export const COMPRESSIONS = ['none', 'snappy', 'zstd'] as const
export type Compression = (typeof COMPRESSIONS)[number]

export function storeName({ name }: Case, codec: Codec): string {
  return `${name}-${codec}`
}

export function parquetName(compression: Compression): string {
  return `table-${compression}.parquet`
}

export const TABLE = 'table.cstore'
