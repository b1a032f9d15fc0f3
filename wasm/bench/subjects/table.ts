/** A table, beside the readers of Parquet over the same rows. */

import { COLUMN_NAMES, COMPRESSIONS, FILTER, GROUPS, parquetName, ROWS, SLICE, TABLE } from '../cases.js'
import type { TableJob } from '../job.js'
import { measure, type Work } from '../measure.js'
import { hyparquet, parquetWasm, type ReadColumns, type Values } from '../peers/parquet.js'
import type { Line } from '../result.js'
import type { Surroundings } from '../surroundings.js'
import type { ColumnData } from '../../ts/interface.js'
import type { Table } from '../../ts/table.js'

/** Something to be read, here and there. */
interface Question {
  readonly name: string
  ask(table: Table): Promise<readonly ColumnData[]>
  askPeer(read: ReadColumns): Promise<readonly Values[]>
}

const QUESTIONS: readonly Question[] = [
  {
    name: 'table/columns',
    ask: (table) => table.columns(),
    askPeer: (read) => read(COLUMN_NAMES, 0, ROWS),
  },
  {
    name: 'table/slice',
    ask: (table) => table.rows(SLICE).columns(),
    askPeer: (read) => read(COLUMN_NAMES, SLICE.start, SLICE.stop),
  },
  {
    name: 'table/groups',
    ask: async (table) => inTurn(GROUPS, (rows) => table.rows(rows).columns()),
    askPeer: (read) => inTurn(GROUPS, ({ start, stop }) => read(COLUMN_NAMES, start, stop)),
  },
  {
    name: 'table/filter',
    ask: (table) => table.filter(FILTER.expression).select(FILTER.columns).columns(),
    askPeer: filtered,
  },
]

export async function table({ threads, effort }: TableJob, around: Surroundings): Promise<Omit<Line, 'runtime'>[]> {
  const bytes = await around.file(TABLE)
  const opened = await around.recask.Table.open(around.recask.fromMemory(new Map([[TABLE, bytes]])).file(TABLE))
  const peers = threads === 1 ? await readers(around) : new Map<string, ReadColumns>()
  const lines: Omit<Line, 'runtime'>[] = []
  for (const { name, ask, askPeer } of QUESTIONS) {
    const columns = (await ask(opened)).map(({ data }) => data)
    const works: Record<string, Work> = { recask: async () => void (await ask(opened)) }
    for (const [peer, read] of peers) {
      check(peer, columns, await askPeer(read))
      works[peer] = async () => void (await askPeer(read))
    }
    const bytes = columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
    lines.push(...(await measure(works, bytes, effort)).map((each) => ({ name, threads, ...each })))
  }
  await opened.close()
  return lines
}

async function readers(around: Surroundings): Promise<Map<string, ReadColumns>> {
  const all = new Map<string, ReadColumns>()
  for (const compression of COMPRESSIONS) {
    const bytes = await around.file(parquetName(compression))
    all.set(`hyparquet ${compression}`, await hyparquet(bytes))
    all.set(`parquet-wasm ${compression}`, await parquetWasm(bytes, around))
  }
  return all
}

/** Neither of them filters columns: it is done with what they read, as well as can be. */
async function filtered(read: ReadColumns): Promise<readonly Values[]> {
  const [energy, pt, event] = (await read(['energy', 'pt', 'event'], 0, ROWS)) as [Float64Array, Float32Array, BigInt64Array]
  const rows = new Uint32Array(ROWS)
  let count = 0
  for (let row = 0; row < ROWS; row += 1) {
    if (energy[row]! < FILTER.energyBelow && pt[row]! > FILTER.ptAbove) {
      rows[count] = row
      count += 1
    }
  }
  const events = new BigInt64Array(count)
  const pts = new Float32Array(count)
  for (let at = 0; at < count; at += 1) {
    const row = rows[at]!
    events[at] = event[row]!
    pts[at] = pt[row]!
  }
  return [events, pts]
}

async function inTurn<T, R>(all: readonly T[], ask: (one: T) => Promise<readonly R[]>): Promise<R[]> {
  const answers: R[] = []
  for (const one of all) {
    answers.push(...(await ask(one)))
  }
  return answers
}

/** Who reads less has less to do. A peer may bring more than was wanted: whole pages. */
function check(peer: string, columns: readonly Values[], others: readonly Values[]): void {
  columns.forEach((column, at) => {
    const other = others[at]
    if (!other || other.length < column.length) {
      throw new Error(`${peer} brings ${other?.length ?? 'no'} values of column ${at}, and not ${column.length}`)
    }
  })
}
