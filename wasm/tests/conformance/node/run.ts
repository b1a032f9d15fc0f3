/**
 * Runs the conformance suite without a browser, over files in memory or over HTTP, and prints one line a case. A summary goes to
 * standard error. The exit status is 1 where a case failed.
 *
 *     node run.js [--door memory|url|listed] [--only TEXT]
 */

import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import { Site } from '../../browser/site.js'
import { allCases } from '../cases.js'
import type { Door } from '../door.js'
import { memoryDoor } from '../doors/memory.js'
import type { Place, Recask } from '../doors/package.js'
import { urlDoor } from '../doors/url.js'
import { Golden } from '../golden.js'
import { insideOf, type Modules } from '../inside.js'
import { line, runAll } from '../runner.js'
import { goldenFiles, suite } from './folders.js'

const { values } = parseArgs({
  options: { door: { type: 'string', default: 'memory' }, only: { type: 'string', default: '' } },
})
const recask = (await part('index')) as Recask
await recask.init()
const [module, store, selection] = await Promise.all(['module', 'store', 'selection'].map(part))
const inside = insideOf({ module, store, selection } as Modules)
const golden = new Golden(await goldenFiles())
const site = values.door === 'memory' ? undefined : await Site.start(false)
const cases = (await allCases(suite)).filter(({ name }) => name.includes(values.only))
const { passed, failed, skipped } = await runAll(door(), cases, (outcome) => console.log(line(outcome)))
await site?.stop()
console.error(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed === 0 ? 0 : 1

function door(): Door<Place> {
  switch (values.door) {
    case 'memory':
      return memoryDoor(recask, inside, golden)
    case 'url':
      return urlDoor(recask, inside, golden, new URL(site!.address('/golden/')), false)
    case 'listed':
      return urlDoor(recask, inside, golden, new URL(site!.address('/listed/')), true)
    default:
      throw new Error(`there is no door ${values.door} here; use memory, url or listed`)
  }
}

/** A module of the built package. */
function part(name: string): Promise<unknown> {
  const folder = process.env['RECASK_WASM_PACKAGE'] ?? fileURLToPath(new URL('../../../../../pkg/', import.meta.url))
  return import(new URL(`${name}.js`, pathToFileURL(`${folder}/`)).href)
}
