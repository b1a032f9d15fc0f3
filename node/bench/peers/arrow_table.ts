import { readFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { type Table, tableFromIPC } from 'apache-arrow'
import type { Question } from '../cases.js'
import { type Column, filtered, needed, type TablePeer } from './table_peer.js'

/** Reads the file for each question, as a script does that asks one. */
export function arrowFile(path: string): TablePeer {
  return { name: 'apache-arrow', ask: async (question) => answer(tableFromIPC(await readFile(path)), question), close() {} }
}

/** Has the whole file in memory already. */
export function arrowInMemory(path: string): TablePeer {
  const table = tableFromIPC(readFileSync(path))
  return { name: 'apache-arrow in memory', ask: (question) => answer(table, question), close() {} }
}

function answer(table: Table, question: Question): readonly Column[] {
  const { columns, rows, isFiltered } = question
  const part = rows ? table.slice(rows.start, rows.stop) : table
  const read = Object.fromEntries(needed(question).map((name) => [name, part.getChild(name)!.toArray() as Column]))
  return isFiltered ? filtered(read, columns) : columns.map((name) => read[name]!)
}
