/** Stores and tables on the disk, through the addon. */

import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Door, Files } from '../../../wasm/tests/conformance/door.js'
import { recask, type Place } from '../../ts/index.js'
import { inside } from './inside.js'

const TESTS = fileURLToPath(new URL('../../../../../../tests/', import.meta.url))
const GOLDEN = join(TESTS, 'golden')
/** Keeps an empty folder in a repository, and is not part of it. */
const KEEP = '.keep'

/** A file of the suite. */
export function suite(file: string): Promise<string> {
  return readFile(join(TESTS, 'conformance', file), 'utf8')
}

export async function diskDoor(): Promise<Door<Place> & { end(): Promise<void> }> {
  const base = await mkdtemp(join(tmpdir(), 'recask-conformance-'))
  let made: string[] = []
  const folder = async () => {
    const place = await mkdtemp(join(base, 'case-'))
    made.push(place)
    return place
  }
  const copy = async (golden: string) => {
    const place = join(await folder(), 'store')
    await cp(join(GOLDEN, golden), place, { recursive: true, filter: (path) => basename(path) !== KEEP })
    return place
  }
  const table = async (golden: string) => {
    const place = join(await folder(), 'table.cstore')
    await cp(join(GOLDEN, golden), place)
    return place
  }
  return {
    name: 'native',
    recask,
    inside,
    endsBeforeLast: 'a loader that reads ahead ends before step 2^64 - 1',
    lists: true,
    original: copy,
    copy,
    nowhere: async () => join(await folder(), 'store'),
    files: (place) => filesIn(place as string),
    originalTable: table,
    table,
    noTable: async () => join(await folder(), 'table.cstore'),
    tableBytes: async (place) => {
      const path = place as string
      const others = (await readdir(dirname(path))).filter((name) => name !== basename(path))
      if (others.length > 0) throw new Error(`beside the table there are ${others}`)
      return readFile(path)
    },
    golden: (golden) => filesIn(join(GOLDEN, golden)),
    goldenTable: (golden) => readFile(join(GOLDEN, golden)),
    tidy: async () => {
      await Promise.all(made.map((place) => rm(place, { recursive: true, force: true })))
      made = []
    },
    end: () => rm(base, { recursive: true, force: true }),
  }
}

/** None where the folder is not there. */
async function filesIn(place: string): Promise<Files> {
  const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const wanted = names.filter((name) => name !== KEEP)
  return new Map(await Promise.all(wanted.map(async (name) => [name, await readFile(join(place, name))] as const)))
}
