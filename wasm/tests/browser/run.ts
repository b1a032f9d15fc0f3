/**
 * Runs the tests that need a browser, and prints a line for each: the conformance cases in every combination of `matrix.ts`,
 * then the steps of `steps.ts`. The exit status is 1 where anything failed, a complaint of a page included.
 *
 *     node run.js [--quick] [--only TEXT] [--in TEXT]
 *
 * `--quick` runs fewer cases on pages, and all elsewhere. `--only` picks conformance cases by their names, `--in` combinations
 * and steps by theirs. `cargo xtask test --only browser` builds everything and sets the variables that name other programs:
 * RECASK_CHROMIUM, RECASK_COMMAND, RECASK_PEER_PYTHON and RECASK_COLSTORE_030_PYTHON. RECASK_PATIENCE is how many seconds one
 * task may take.
 */

import { parseArgs } from 'node:util'

import type { Page } from 'playwright-core'

import { GOLDEN } from '../conformance/node/folders.js'
import { Browser } from './chromium.js'
import type { Conformance, Conformed } from './job.js'
import { type Combination, COMBINATIONS, isGood, nameOf, report, suitesOf } from './matrix.js'
import type { TestPage } from './page.js'
import { Site } from './site.js'
import { type Ask, PAGE, type Step, STEPS } from './steps.js'

declare const testPage: TestPage

/** In milliseconds, for one task: a busy machine needs minutes for all cases. */
const PATIENCE = Number(process.env['RECASK_PATIENCE'] ?? 300) * 1000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    in: { type: 'string', default: '' },
  },
})
const started = performance.now()
// A browser for each site: of several pages in one, only the one in front hears of files that are picked.
const plain = { site: await Site.start(false), browser: await Browser.start() }
const isolated = { site: await Site.start(true), browser: await Browser.start() }
type Place = typeof plain
let failures = 0
try {
  const combinations = COMBINATIONS.filter((each) => nameOf(each).includes(values.in))
  const anywhere = combinations.filter(({ where }) => where === 'page').values()
  const inWorkers = (threads: boolean) => combinations.filter((each) => each.where === 'worker' && each.threads === threads)
  await Promise.all([lane(plain, inWorkers(false), anywhere), lane(isolated, inWorkers(true), anywhere)])
  for (const each of STEPS.filter(({ name }) => name.includes(values.in))) {
    await step(each)
  }
} finally {
  const closed = Promise.all([plain, isolated].flatMap(({ site, browser }) => [browser.close(), site.stop()]))
  await inTime(closed, 'close the browsers')
}
console.log(`${failures === 0 ? 'all passed' : `${failures} failed`} in ${Math.round((performance.now() - started) / 1000)} s`)
process.exitCode = failures === 0 ? 0 : 1

/** Runs some combinations, then what is left of those that both lanes take from. */
async function lane(place: Place, own: readonly Combination[], rest: Iterable<Combination>): Promise<void> {
  for (const combination of own) {
    await conform(place, combination)
  }
  for (const combination of rest) {
    await conform(place, combination)
  }
}

async function conform(place: Place, combination: Combination): Promise<void> {
  const { source, threads, where } = combination
  const page = await open(place, source === 'picked files' ? GOLDEN : undefined)
  const worker = where === 'page' ? PAGE : 'conformance'
  try {
    const job: Conformance = { source, threads, where, suites: suitesOf(combination, values.quick), only: values.only }
    const conformed = (await ask(page, worker, 'conform', job)) as Conformed
    report(combination, conformed).forEach((line) => console.log(line))
    failures += isGood(combination, conformed) ? 0 : 1
  } catch (error) {
    fail(nameOf(combination), error)
    const underWay = await ask(page, worker, 'under way', undefined).catch(String)
    console.log(`  under way: ${String(underWay)}`)
  }
  await leave(place, page, nameOf(combination))
}

async function step({ name, isolated: isIsolated, threads, run, expected }: Step): Promise<void> {
  const place = isIsolated ? isolated : plain
  const page = await open(place)
  const began = performance.now()
  let workers = 0
  try {
    const asking: Ask = (task, argument, worker) => ask(page, worker ?? `worker ${(workers += 1)}`, task, argument)
    const notes = await run(asking, place.site, {
      threads,
      limitSpace: (bytes) => limitSpace(page, bytes),
      end: (worker) => page.evaluate((name) => testPage.end(name), worker),
    })
    console.log(`ok ${name}${notes === undefined ? '' : ` (${notes})`}, ${Math.round(performance.now() - began)} ms`)
  } catch (error) {
    fail(name, error)
  }
  await leave(place, page, name, expected)
}

/** How much the origin of a page may store. */
async function limitSpace(page: Page, bytes: number | undefined): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { origin } = new URL(page.url())
  await session.send('Storage.overrideQuotaForOrigin', { origin, ...(bytes !== undefined && { quotaSize: bytes }) })
  // The limit holds as long as the session does.
  if (bytes === undefined) {
    await session.detach()
  }
}

function open({ site, browser }: Place, folder?: string): Promise<Page> {
  return browser.open(site.address('/page.html'), folder)
}

/** Has a page do a task, on its main thread or in the worker of this name. */
function ask(page: Page, worker: string, task: string, argument: unknown): Promise<unknown> {
  const answer =
    worker === PAGE
      ? page.evaluate((order) => testPage.here(...order), [task, argument] as [string, unknown])
      : page.evaluate((order) => testPage.inWorker(...order), [worker, task, argument] as [string, string, unknown])
  return inTime(answer, task)
}

/** What hangs fails, instead of letting everything wait. */
async function inTime<T>(answer: Promise<T>, task: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to '${task}' within ${PATIENCE / 1000} s`)), PATIENCE)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

async function leave({ browser }: Place, page: Page, name: string, expected?: RegExp): Promise<void> {
  await inTime(page.close(), 'close the page')
  const complaints = browser.complaintsOf(page).filter((complaint) => expected?.test(complaint) !== true)
  if (complaints.length > 0) {
    fail(name, complaints.join('\n'))
  }
}

function fail(name: string, error: unknown): void {
  failures += 1
  console.log(`FAIL ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
}
