/**
 * Measures the package in Node.js and in Chromium, beside the `recask` command, plain copies, and packages of npm over the same
 * data. Prints a line of JSON for each benchmark, then tables in Markdown.
 *
 *     node bench.js [--only TEXT] [--in node|chromium] [--seconds S] [--rounds N] [--data DIR] [--profile DIR]
 *
 * `--only` picks benchmarks by their names. `RECASK_COMMAND` names the command, `RECASK_CHROMIUM` the browser. `--profile` has
 * Node.js write profiles of the processor.
 */

import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { CASES, CODECS } from './cases.js'
import { makeData } from './data/folder.js'
import type { Job, Origin } from './job.js'
import { commandAt, measureNative } from './native.js'
import type { Line } from './result.js'
import { Chromium } from './runtimes/chromium.js'
import { BENCH } from './runtimes/node_package.js'
import { performInNode } from './runtimes/node_process.js'
import { tables } from './table.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    in: { type: 'string', default: '' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    data: { type: 'string', default: join(BENCH, 'target/data') },
    profile: { type: 'string' },
  },
})
const effort = { seconds: Number(values.seconds), rounds: Number(values.rounds) }
const isWanted = (name: string) => name.includes(values.only)
const runsIn = (runtime: string) => runtime.includes(values.in)
const command = commandAt(process.env['RECASK_COMMAND'] ?? 'recask')
const lines: Line[] = []

const cases = CASES.map((of) => {
  return { of, codecs: CODECS.filter((codec) => isWanted(`gather/${of.name}/${codec}`)) }
}).filter(({ codecs }) => codecs.length > 0)
await makeData(
  values.data,
  cases.map(({ of }) => of),
  isWanted('table/'),
  { command, say: (text) => console.error(text) },
)
const chromium = runsIn('chromium') ? await Chromium.start(values.data) : undefined
try {
  for (const { of, codecs } of cases) {
    for (const codec of codecs) {
      for (const threads of [1, 2]) {
        tell([await measureNative(command, values.data, of, codec, threads, effort)])
      }
      const job = (origin: Origin, threads: number): Job => ({ work: 'gather', of, codec, origin, threads, effort })
      await everywhere(job('memory', 1))
      for (const each of [job('memory', 2), job('opfs', 1), job('http', 1)]) {
        tell((await chromium?.perform(each)) ?? [])
      }
    }
  }
  if (isWanted('table/')) {
    await everywhere({ work: 'table', threads: 1, effort })
    tell((await chromium?.perform({ work: 'table', threads: 2, effort })) ?? [])
  }
} finally {
  await chromium?.stop()
}
if (lines.length === 0) {
  throw new Error('no benchmark has this in its name')
}
console.log(`\n${tables(lines)}`)

/** In all runtimes. */
async function everywhere(job: Job): Promise<void> {
  if (runsIn('node')) {
    tell(await performInNode(job, values.data, values.profile))
  }
  tell((await chromium?.perform(job)) ?? [])
}

function tell(measured: readonly Line[]): void {
  for (const line of measured) {
    lines.push(line)
    console.log(JSON.stringify(line))
  }
}
