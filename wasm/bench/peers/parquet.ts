/** Readers of Parquet that npm has: rows of columns as typed arrays. */

import { tableFromIPC } from 'apache-arrow'
import { parquetMetadataAsync, parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import initParquet, { readParquet } from 'parquet-wasm/esm'

import { COLUMNS, type ColumnName } from '../cases.js'
import type { Surroundings } from '../surroundings.js'

/** Columns from a Parquet file in memory, `start` to `stop` of its rows. */
export type ReadColumns = (names: readonly string[], start: number, stop: number) => Promise<readonly Values[]>

/** The values of a column. */
export type Values = ArrayLike<number | bigint>

export async function hyparquet(bytes: Uint8Array<ArrayBuffer>): Promise<ReadColumns> {
  const { buffer, byteOffset, byteLength } = bytes
  const slice = (start: number, end = byteLength) => buffer.slice(byteOffset + start, byteOffset + end)
  const file = { byteLength, slice }
  const metadata = await parquetMetadataAsync(file)
  return async (names, rowStart, rowEnd) => {
    const columns = new Map<string, Values[]>(names.map((name) => [name, []]))
    await parquetRead({
      file,
      metadata,
      columns: [...names],
      rowStart,
      rowEnd,
      compressors,
      // Whole row groups, of which a caller would take what it wants.
      onChunk: ({ columnName, columnData }) => columns.get(columnName)?.push(columnData as Values),
    })
    return Array.from(columns, joined)
  }
}

export async function parquetWasm(bytes: Uint8Array, { parquetModule }: Surroundings): Promise<ReadColumns> {
  await initParquet({ module_or_path: await parquetModule() })
  return async (names, offset, stop) => {
    const options = { columns: [...names], offset, limit: stop - offset, batchSize: 65_536 }
    const table = tableFromIPC(readParquet(bytes, options).intoIPCStream())
    return names.map((name) => table.getChild(name)!.toArray() as Values)
  }
}

/** One array for a column, as the others give it: it brings typed arrays and plain ones. */
function joined([name, chunks]: readonly [string, readonly Values[]]): Values {
  const [first] = chunks
  if (chunks.length === 1 && first) {
    return first
  }
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const all = new COLUMNS[name as ColumnName](length) as { set(values: Values, at: number): void } & Values
  let end = 0
  for (const chunk of chunks) {
    all.set(chunk, end)
    end += chunk.length
  }
  return all
}
