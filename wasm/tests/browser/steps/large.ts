/** A store of 6 GiB: few requests, and no more memory than the cache and a batch need. */

import { deepStrictEqual, ok } from 'node:assert'

import { RECORD_BYTES, RECORDS } from '../large.js'
import type { Site } from '../site.js'
import { type Ask, PAGE, type Setting } from '../steps.js'

const MIB = 1024 * 1024
const CACHE = 16 * MIB
const BATCH = 8
/** Twice the cache and more. */
const BATCHES = 24

/** Records all over the store: first and last, around the end of the first chunk, and beyond 4 GiB. */
function batches(): number[][] {
  const end = 2 ** 32 / RECORD_BYTES - 1
  const edges = [0, end - 1, end, end + 1, RECORDS - 1, 5 * 4096, 1, RECORDS - 2]
  const others = Array.from({ length: BATCHES - 1 }, (_, batch) =>
    Array.from({ length: BATCH }, (_, at) => ((batch * BATCH + at) * 7919 + 13) % RECORDS),
  )
  return [edges, ...others]
}

export async function largeOverHttp(ask: Ask, site: Site, { threads }: Setting): Promise<string> {
  const before = site.requests('/large/')
  deepStrictEqual(await ask('open large', { url: site.address('/large/'), threads }, 'worker'), RECORDS)
  const opening = site.requests('/large/') - before
  ok(opening <= 3, `opening takes ${opening} requests`)
  const [edges = []] = batches()
  await gather(ask, edges)
  const gathering = site.requests('/large/') - before - opening
  // Once for where they lie, and once for each that lies alone.
  ok(gathering <= 2 * BATCH, `a batch of ${BATCH} takes ${gathering} requests`)
  const held = await gatherAll(ask, threads)
  return `${opening} requests to open, ${gathering} for a batch of ${BATCH}; ${shown(held, CACHE)}`
}

export async function largeInOpfs(ask: Ask, _: Site, { threads }: Setting): Promise<string> {
  await ask('write large', 'large', 'worker')
  deepStrictEqual(await ask('open large', { path: 'large', threads }, 'worker'), RECORDS)
  const held = await gatherAll(ask, threads)
  await ask('remove', 'large', 'worker')
  return shown(held, 0)
}

/** What is held after a batch, in bytes. */
interface Held {
  readonly module: number
  /** By JavaScript, array buffers too. */
  readonly scripts: number | undefined
}

/**
 * Threads that wait for work do not answer the browser, which gives them a minute each time before it says what the others hold.
 * So there only the module is measured; what JavaScript does is the same.
 */
async function gatherAll(ask: Ask, threads: boolean): Promise<Held[]> {
  const held: Held[] = []
  for (const records of batches()) {
    const module = await gather(ask, records)
    held.push({ module, scripts: threads ? undefined : ((await ask('measure', null, PAGE)) as number) - module })
  }
  return held
}

/** Reads a batch, and says how many bytes the module then has. */
async function gather(ask: Ask, records: readonly number[]): Promise<number> {
  const { module, wrong } = (await ask('gather large', records, 'worker')) as { module: number; wrong: string[] }
  deepStrictEqual(wrong, [])
  return module
}

/** Fails where more is held than the cache, a batch that is read and one that is not collected yet, and what programs need. */
function shown(held: readonly Held[], cache: number): string {
  const batch = BATCH * RECORD_BYTES
  const module = Math.max(...held.map((each) => each.module))
  ok(module <= 8 * MIB + 2 * batch, `the module holds ${module} bytes`)
  const inModule = `at most ${(module / MIB).toFixed(1)} MiB in the module`
  const measured = held.flatMap((each) => each.scripts ?? [])
  if (measured.length === 0) {
    return inModule
  }
  const scripts = Math.max(...measured)
  ok(scripts > 0, 'the browser does not tell how much JavaScript holds')
  ok(scripts <= 4 * MIB + cache + 2 * batch, `JavaScript holds ${scripts} bytes`)
  return `${inModule}, ${(scripts / MIB).toFixed(1)} MiB in JavaScript`
}
