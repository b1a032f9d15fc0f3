/** The folder with the data, made once: raw by the package, everything else of that by the `recask` command. */

import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { type Case, CODECS, COMPRESSIONS, parquetName, ROW_GROUP, ROWS, storeName, TABLE } from '../cases.js'
import type { Command } from '../native.js'
import { type Recask, recask } from '../runtimes/node_package.js'
import { Numbers } from './numbers.js'
import { columnsOf, recordsOf, sequencesOf } from './values.js'

/** How much is appended at a time. */
const PORTION = 32 * 1024 * 1024

/** Level 3 for both, so that the data is made in seconds; 19, the usual one with a dictionary, decodes as fast. */
const RECODED: Readonly<Record<string, readonly string[]>> = {
  zstd: ['--codec', 'zstd', '--level', '3'],
  zstd_dict: ['--codec', 'zstd_dict', '--level', '3', '--train-dict', '--tier', 'fast'],
}

/** What is there already stays as it is. `cases` are those whose stores are wanted, `withTable` whether the table is. */
export async function makeData(
  folder: string,
  cases: readonly Case[],
  withTable: boolean,
  { command, say }: Tools,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const each of cases) {
    for (const codec of CODECS) {
      await once(join(folder, storeName(each, codec)), say, async (draft) => {
        if (codec === 'raw') {
          await writeFiles(draft, await rawStore(await recask(), each))
        } else {
          await command('recode', join(folder, storeName(each, 'raw')), draft, ...RECODED[codec]!)
        }
      })
    }
  }
  if (withTable) {
    await makeTable(join(folder, TABLE), folder, { command, say })
  }
}

interface Tools {
  readonly command: Command
  say(text: string): void
}

async function makeTable(table: string, folder: string, { command, say }: Tools): Promise<void> {
  await once(table, say, async (draft) => writeFile(draft, await tableBytes(await recask())))
  for (const compression of COMPRESSIONS) {
    await once(join(folder, parquetName(compression)), say, (draft) => {
      return command('export', table, draft, '--format', 'parquet', '--compression', compression)
    })
  }
}

/** A draft takes its name when it is complete. */
async function once(path: string, say: (text: string) => void, make: (draft: string) => Promise<unknown>): Promise<void> {
  if (await stat(path).catch(() => undefined)) {
    return
  }
  say(`making ${path}`)
  const draft = join(dirname(path), `draft${path.endsWith('.cstore') ? '.cstore' : ''}`)
  await rm(draft, { recursive: true, force: true })
  await make(draft)
  await rename(draft, path)
}

async function rawStore({ DenseStore, RaggedStore, fromMemory }: Recask, of: Case): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  if (of.kind === 'dense') {
    const store = await DenseStore.create(fromMemory(files), { dtype: 'u1', itemShape: [of.recordBytes] })
    const bytes = recordsOf(of)
    for (let start = 0; start < bytes.length; start += PORTION) {
      await store.append(bytes.subarray(start, start + PORTION))
    }
    await store.close()
  } else {
    const store = await RaggedStore.create(fromMemory(files), { dtype: '<i4' })
    const sequences = sequencesOf(of)
    for (let start = 0; start < sequences.length; start += 4096) {
      await store.append(sequences.slice(start, start + 4096))
    }
    await store.close()
  }
  return files
}

async function tableBytes({ Table, fromMemory }: Recask): Promise<Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const writer = await Table.create(fromMemory(files).file(TABLE))
  const numbers = new Numbers(0x2545_f491_4f6c_dd1dn)
  for (let row = 0; row < ROWS; row += ROW_GROUP) {
    await writer.write(columnsOf(numbers, row, ROW_GROUP))
  }
  await writer.commit()
  await writer.close()
  return files.get(TABLE)!
}

async function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await mkdir(folder)
  // A writer in memory leaves empty files where others remove them.
  const full = Array.from(files).filter(([, bytes]) => bytes.length > 0)
  await Promise.all(full.map(([name, bytes]) => writeFile(join(folder, name), bytes)))
}
