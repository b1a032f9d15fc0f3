/** The folder with the data, made once: stores and the table by Recask, everything else of these. */

import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { DenseStore, RaggedStore, Table } from 'recask'
import { Numbers } from '../../../wasm/bench/data/numbers.js'
import { columnsOf, recordsOf, sequencesOf } from '../../../wasm/bench/data/values.js'
import type { Command } from '../../../wasm/bench/native.js'
import { type Case, type Codec, COMPRESSIONS, parquetName, ROW_GROUP, type Run, storeName, TABLE } from '../cases.js'
import { writeArrow } from '../peers/arrow.js'
import { writeLmdb } from '../peers/lmdb.js'
import { writeSqlite } from '../peers/sqlite.js'
import { writeSqliteTable } from '../peers/sqlite_table.js'
import { StoredRecords } from './stored.js'

/** How much is appended at a time, in records. */
const PORTION = 4096
const SEED = 0x2545_f491_4f6c_dd1dn

interface Tools {
  readonly command: Command
  say(text: string): void
}

/** What is there already stays as it is. */
export async function makeData(folder: string, runs: readonly Run[], rows: number, { command, say }: Tools): Promise<void> {
  await mkdir(folder, { recursive: true })
  const once = async (name: string, make: (draft: string) => unknown) => onceAt(join(folder, name), say, make)
  for (const { of, codec } of runs) {
    await once(storeName(of, 'raw'), (draft) => rawStore(draft, of))
    const [raw, store] = [join(folder, storeName(of, 'raw')), storeName(of, codec)]
    if (codec !== 'raw') await once(store, (draft) => command('recode', raw, draft, '--codec', codec, '--level', '3'))
    await makePeers(join(folder, store), of, codec, once)
  }
  if (rows > 0) {
    await once(TABLE, (draft) => writeTable(draft, rows))
    const table = join(folder, TABLE)
    for (const compression of COMPRESSIONS) {
      await once(parquetName(compression), (draft) => {
        return command('export', table, draft, '--format', 'parquet', '--compression', compression)
      })
    }
    await once('table.arrow', (draft) => command('export', table, draft, '--format', 'arrow'))
    await once('table.sqlite', (draft) => writeSqliteTable(draft, table))
  }
}

async function makePeers(
  store: string,
  of: Case,
  codec: Codec,
  once: (name: string, make: (draft: string) => unknown) => Promise<void>,
): Promise<void> {
  const name = storeName(of, codec)
  const records = () => StoredRecords.whole(store, of)
  await once(`${name}.lmdb`, async (draft) => writeLmdb(draft, await records()))
  await once(`${name}.sqlite`, async (draft) => writeSqlite(draft, await records()))
  if (codec === 'raw') await once(`${name}.arrow`, async (draft) => writeArrow(draft, await records()))
}

/** A draft takes its name when it is complete. */
async function onceAt(path: string, say: (text: string) => void, make: (draft: string) => unknown): Promise<void> {
  if (await stat(path).catch(() => undefined)) return
  say(`making ${path}`)
  const draft = join(dirname(path), `draft${extname(path)}`)
  await rm(draft, { recursive: true, force: true })
  await make(draft)
  await rename(draft, path)
}

function rawStore(place: string, of: Case): void {
  if (of.kind === 'dense') {
    const store = DenseStore.createSync(place, { dtype: 'uint8', itemShape: [of.recordBytes] })
    const bytes = recordsOf(of)
    const portion = Math.max(1, Math.floor((32 * 1024 * 1024) / of.recordBytes)) * of.recordBytes
    for (let start = 0; start < bytes.length; start += portion) store.appendSync(bytes.subarray(start, start + portion))
    store.closeSync()
  } else {
    const store = RaggedStore.createSync(place, { dtype: 'int32' })
    const sequences = sequencesOf(of)
    for (let start = 0; start < sequences.length; start += PORTION) store.appendSync(sequences.slice(start, start + PORTION))
    store.closeSync()
  }
}

function writeTable(place: string, rows: number): void {
  const writer = Table.createSync(place)
  const numbers = new Numbers(SEED)
  for (let row = 0; row < rows; row += ROW_GROUP) writer.writeSync(columnsOf(numbers, row, ROW_GROUP))
  writer.closeSync()
}
