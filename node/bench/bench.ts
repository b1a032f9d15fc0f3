/**
 * Measures the package beside the `recask` command, which does the same in Rust, and beside packages of npm and plain files with
 * the same records. Prints a line of JSON for each, then tables in Markdown.
 *
 *     node bench.js [--only TEXT] [--seconds S] [--rounds N] [--passes N] [--small] [--data DIR] [--profile DIR]
 *
 * `--only` picks benchmarks by their names. In every pass each benchmark runs once, in Rust and then in a new process of Node.js,
 * where all take turns over the same records; what is printed is the pass in the middle. `--small` has little data. `--profile`
 * has Node.js write profiles of the processor. `RECASK_COMMAND` names the command, `RECASK_NATIVE` the addon.
 */

import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { commandAt, measureNative } from '../../wasm/bench/native.js'
import { COLUMN_NAMES, FULL, questions, runName, runs, SMALL } from './cases.js'
import { makeData } from './data/folder.js'
import type { Job, Line } from './job.js'
import { medians } from './medians.js'
import { tables } from './table.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    passes: { type: 'string', default: '3' },
    small: { type: 'boolean', default: false },
    data: { type: 'string' },
    profile: { type: 'string' },
  },
})
const scale = values.small ? SMALL : FULL
// From `node/bench/target/built/node/bench`.
const target = fileURLToPath(new URL('../../../', import.meta.url))
const data = values.data ?? join(target, values.small ? 'small' : 'data')
const effort = { seconds: Number(values.seconds), rounds: Number(values.rounds) }
const command = commandAt(process.env['RECASK_COMMAND'] ?? 'recask')
const threads = availableParallelism()

const chosen = runs(scale).filter((run) => runName(run).includes(values.only))
const withTable = questions(scale.rows, COLUMN_NAMES).some(({ name }) => name.includes(values.only))
if (chosen.length === 0 && !withTable) throw new Error('no benchmark has this in its name')
await makeData(data, chosen, withTable ? scale.rows : 0, { command, say: (text) => console.error(text) })

const lines: Line[] = []
for (let pass = 1; pass <= Number(values.passes); pass += 1) {
  for (const run of chosen) {
    console.error(`pass ${pass}: ${runName(run)}`)
    const native = await measureNative(command, data, { ...run.of, batch: run.batch }, run.codec, threads, effort)
    lines.push({ ...native, name: runName(run) }, ...(await inNode({ work: 'gather', run, effort })))
  }
  if (withTable) {
    console.error(`pass ${pass}: table`)
    lines.push(...(await inNode({ work: 'table', rows: scale.rows, only: values.only, effort })))
  }
}
const found = medians(lines)
for (const line of found) console.log(JSON.stringify(line))
console.log(`\n${tables(found)}`)

/** In a process of its own for each job: none meets the heap of another. */
async function inNode(job: Job): Promise<Line[]> {
  const script = fileURLToPath(new URL('worker.js', import.meta.url))
  const profiling = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...profiling, script, JSON.stringify(job), data])
  return (JSON.parse(stdout) as Omit<Line, 'runtime' | 'threads'>[]).map((line) => ({ ...line, runtime: 'node', threads }))
}
