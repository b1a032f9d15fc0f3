import { open } from 'lmdb'
import type { StoredRecords } from '../data/stored.js'
import { oneByOne, type Peer } from './peer.js'
import type { Decoder } from './zstd.js'

const AS = { encoding: 'binary', keyEncoding: 'uint32' } as const

export async function writeLmdb(path: string, records: StoredRecords): Promise<void> {
  const db = open<Buffer, number>({ path, ...AS })
  db.transactionSync(() => {
    for (let record = 0; record < records.length; record += 1) db.putSync(record, Buffer.from(records.get(record)))
  })
  await db.close()
}

export function lmdb(path: string, decoder?: Decoder): Peer {
  const db = open<Buffer, number>({ path, readOnly: true, ...AS })
  // In memory of its own, which the next call uses again, and of which `length` says how much is meant.
  const get = (record: number) => {
    const bytes = db.getBinaryFast(record)!
    return bytes.subarray(0, bytes.length)
  }
  return oneByOne('lmdb', get, decoder, () => void db.close())
}
