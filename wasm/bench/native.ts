/** The `recask` command, for data and for comparison. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { type Case, type Codec, storeName } from './cases.js'
import type { Effort } from './measure.js'
import type { Line } from './result.js'

/** Runs the command with these arguments, and answers with what it prints. */
export type Command = (...args: readonly string[]) => Promise<string>

export function commandAt(path: string): Command {
  const run = promisify(execFile)
  return async (...args) => (await run(path, args, { maxBuffer: 16 * 1024 * 1024 })).stdout
}

/** The same batches natively, into memory that is used again. */
export async function measureNative(
  command: Command,
  folder: string,
  of: Case,
  codec: Codec,
  threads: number,
  effort: Effort,
): Promise<Line> {
  const store = join(folder, storeName(of, codec))
  const numbers = ['--batch', of.batch, '--threads', threads, '--seconds', Math.max(effort.seconds, 0.05)]
  const report = JSON.parse(await command('bench', store, ...numbers.map(String), '--json')) as Report
  const bytes = Math.round((report.mib_per_second * 2 ** 20 * report.seconds) / report.batches)
  return {
    name: `gather/${of.name}/${codec}`,
    runtime: 'native',
    threads,
    subject: 'recask',
    seconds: report.median_ms / 1000,
    bytes,
    rounds: report.batches,
  }
}

interface Report {
  readonly seconds: number
  readonly batches: number
  readonly mib_per_second: number
  readonly median_ms: number
}
