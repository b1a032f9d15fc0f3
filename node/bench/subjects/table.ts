/** Questions to a table, beside whoever else has the same rows. */

import { join } from 'node:path'
import { type ColumnData, release, type Selection, Table } from 'recask'
import { COLUMN_NAMES, COMPRESSIONS, FILTER, parquetName, type Question, questions, TABLE } from '../cases.js'
import type { Line, TableJob } from '../job.js'
import { arrowFile, arrowInMemory } from '../peers/arrow_table.js'
import { hyparquet } from '../peers/parquet.js'
import { sqliteTable } from '../peers/sqlite_table.js'
import type { Column, TablePeer } from '../peers/table_peer.js'
import { measure, type Work } from '../turns.js'

export async function table({ rows, only, effort }: TableJob, folder: string): Promise<Omit<Line, 'runtime' | 'threads'>[]> {
  const opened = await Table.open(join(folder, TABLE))
  const peers = await peersIn(folder)
  const lines: Omit<Line, 'runtime' | 'threads'>[] = []
  for (const question of questions(rows, COLUMN_NAMES).filter(({ name }) => name.includes(only))) {
    const expected = chosen(opened, question).columnsSync().map(({ data }) => data as Column)
    const works: Record<string, Work> = {
      columns: async () => void (await chosen(opened, question).columns()),
      'columns, released': async () => released(await chosen(opened, question).columns()),
      columnsSync: () => void chosen(opened, question).columnsSync(),
      'columnsSync, released': () => released(chosen(opened, question).columnsSync()),
    }
    for (const peer of peers) {
      check(peer, expected, await peer.ask(question, rows))
      works[peer.name] = async () => void (await peer.ask(question, rows))
    }
    const bytes = expected.reduce((sum, { byteLength }) => sum + byteLength, 0)
    lines.push(...(await measure(works, bytes, effort)).map((each) => ({ name: question.name, ...each })))
  }
  for (const peer of peers) await peer.close()
  await opened.close()
  return lines
}

/** A new selection every time: what it found once it keeps. */
function chosen(all: Table, { columns, rows, isFiltered }: Question): Selection {
  const part = rows ? all.rows(rows) : isFiltered ? all.filter(FILTER.expression) : all
  return part.select(columns)
}

function released(columns: readonly ColumnData[]): void {
  for (const { data } of columns) release(data)
}

async function peersIn(folder: string): Promise<TablePeer[]> {
  const parquet = COMPRESSIONS.map((compression) => hyparquet(join(folder, parquetName(compression)), compression))
  const arrow = join(folder, 'table.arrow')
  return [arrowFile(arrow), arrowInMemory(arrow), ...(await Promise.all(parquet)), sqliteTable(join(folder, 'table.sqlite'))]
}

/** Whoever reads something else would be the fastest. */
function check({ name }: TablePeer, expected: readonly Column[], found: readonly Column[]): void {
  expected.forEach((column, at) => {
    const other = found[at]
    const isSame = other?.length === column.length && [0, column.length >> 1, column.length - 1].every((row) => other[row] === column[row])
    if (!isSame) throw new Error(`${name} reads something else in column ${at}: ${other?.length} values, not ${column.length}`)
  })
}
