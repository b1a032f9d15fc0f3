import Database from 'better-sqlite3'
import type { StoredRecords } from '../data/stored.js'
import { oneByOne, type Peer } from './peer.js'
import type { Decoder } from './zstd.js'

export function writeSqlite(path: string, records: StoredRecords): void {
  const db = new Database(path)
  db.pragma('journal_mode = off')
  db.exec('create table records (id integer primary key, bytes blob)')
  const insert = db.prepare('insert into records values (?, ?)')
  db.transaction(() => {
    for (let record = 0; record < records.length; record += 1) insert.run(record, Buffer.from(records.get(record)))
  })()
  db.close()
}

export function sqlite(path: string, decoder?: Decoder): Peer {
  const db = opened(path)
  const select = db.prepare<[number], Buffer>('select bytes from records where id = ?').pluck()
  return oneByOne('better-sqlite3', (record) => select.get(record)!, decoder, () => db.close())
}

/** For reading, from mapped memory. */
export function opened(path: string): Database.Database {
  const db = new Database(path, { readonly: true })
  db.pragma(`mmap_size = ${2 ** 31}`)
  return db
}
