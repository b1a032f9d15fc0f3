/** The steps behind the conformance cases: each in a page of its own. */

import { deepStrictEqual } from 'node:assert'

import type { Site } from './site.js'
import { copied } from './steps/copied.js'
import { directories } from './steps/directories.js'
import { killed } from './steps/killed.js'
import { largeInOpfs, largeOverHttp } from './steps/large.js'
import { misbehaving } from './steps/misbehaving.js'
import { writtenForOthers } from './steps/written.js'

/** Where {@link Ask} has something done on the main thread. */
export const PAGE = 'the page'

/** Has a task done, in the worker of this name, or else in a new one. */
export type Ask = (task: string, argument: unknown, worker?: string) => Promise<unknown>

/** The page of a step. */
export interface Setting {
  readonly threads: boolean
  /** How much its origin may store; without a number as much as the browser thinks right. */
  limitSpace(bytes?: number): Promise<void>
  /** Ends a worker, whatever it does. */
  end(worker: string): Promise<void>
}

export interface Step {
  readonly name: string
  readonly isolated: boolean
  readonly threads: boolean
  /** What the browser itself says on its console here. */
  readonly expected?: RegExp
  /** Fails by throwing; answers what is worth a note. */
  run(ask: Ask, site: Site, setting: Setting): Promise<string | undefined>
}

export const STEPS: readonly Step[] = [
  { name: 'a store of 6 GiB over HTTP, one thread', isolated: true, threads: false, run: largeOverHttp },
  { name: 'a store of 6 GiB over HTTP, threads', isolated: true, threads: true, run: largeOverHttp },
  { name: 'a store of 6 GiB in the file system of the origin, one thread', isolated: true, threads: false, run: largeInOpfs },
  { name: 'a store of 6 GiB in the file system of the origin, threads', isolated: true, threads: true, run: largeInOpfs },
  { name: 'written in the browser, read by others', isolated: false, threads: false, run: writtenForOthers },
  { name: 'written in the browser by threads, read by others', isolated: true, threads: true, run: writtenForOthers },
  { name: 'servers that misbehave', isolated: false, threads: false, run: misbehaving, expected: /blocked by CORS policy/ },
  { name: 'directories', isolated: false, threads: false, run: directories },
  { name: 'copied into the file system of the origin', isolated: false, threads: false, run: copied },
  { name: 'writers that are killed', isolated: false, threads: false, run: killed },
  { name: 'two workers and one store', isolated: false, threads: false, run: twoWorkers },
  { name: 'garbage that is collected all the time', isolated: false, threads: false, run: collecting },
  { name: 'a result beyond the limit of memory', isolated: false, threads: false, run: beyondTheLimit },
]

async function twoWorkers(ask: Ask): Promise<undefined> {
  await ask('hold', 'busy', 'first')
  deepStrictEqual(await ask('be refused', 'busy', 'second'), 'store_busy')
  await ask('hold', 'busy', 'first')
  deepStrictEqual(await ask('be refused', 'busy', 'second'), 4)
}

/** Handles of the browser that nobody holds go with the garbage, and with them the answers that are awaited. */
async function collecting(ask: Ask): Promise<undefined> {
  deepStrictEqual(await ask('collect garbage', undefined), 150)
}

async function beyondTheLimit(ask: Ask, site: Site): Promise<undefined> {
  await ask('open with little memory', site.address('/large/'), 'worker')
  const before = site.requests()
  deepStrictEqual(await ask('want too much', 64, 'worker'), ['limit', 'limit'])
  deepStrictEqual(site.requests(), before)
}
