import Database from 'better-sqlite3'
import { Table } from 'recask'
import { type Column, columnsFor, type TablePeer } from './table_peer.js'
import { FILTER, ROW_GROUP } from '../cases.js'
import { opened } from './sqlite.js'

export function writeSqliteTable(path: string, source: string): void {
  const table = Table.openSync(source)
  const db = new Database(path)
  db.pragma('journal_mode = off')
  db.exec('create table events (id integer primary key, event integer, energy real, pt real, layer integer)')
  const insert = db.prepare('insert into events values (?, ?, ?, ?, ?)')
  db.transaction(() => {
    for (let start = 0; start < table.length; start += ROW_GROUP) {
      const columns = table.rows({ start, stop: start + ROW_GROUP }).columnsSync()
      const [event, energy, pt, layer] = columns.map(({ data }) => data)
      for (let row = 0; row < event!.length; row += 1) {
        insert.run(start + row, event![row], energy![row], pt![row], layer![row])
      }
    }
  })()
  db.close()
  table.closeSync()
}

export function sqliteTable(path: string): TablePeer {
  const db = opened(path)
  return {
    name: 'better-sqlite3',
    ask({ columns: names, rows, isFiltered }, most) {
      const where = rows ? ` where id >= ${rows.start} and id < ${rows.stop}` : isFiltered ? ` where ${FILTER.expression}` : ''
      const select = db.prepare(`select ${names.join(', ')} from events${where}`).raw()
      const columns = columnsFor(names, most)
      let row = 0
      for (const values of select.iterate() as Iterable<number[]>) {
        for (let at = 0; at < values.length; at += 1) {
          const column = columns[at]!
          if (column instanceof BigInt64Array) column[row] = BigInt(values[at]!)
          else column[row] = values[at]!
        }
        row += 1
      }
      return columns.map((column) => column.subarray(0, row) as Column)
    },
    close: () => void db.close(),
  }
}
