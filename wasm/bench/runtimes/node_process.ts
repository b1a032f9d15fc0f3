/** Node.js in a process of its own for each job: none meets the heap of another. */

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import type { Job } from '../job.js'
import type { Line } from '../result.js'

const SCRIPT = fileURLToPath(new URL('node.js', import.meta.url))

/** `profiles` is a folder for profiles of the processor, one for each job. */
export async function performInNode(job: Job, data: string, profiles: string | undefined): Promise<Line[]> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...profiling, SCRIPT, JSON.stringify(job), data])
  return (JSON.parse(stdout) as Omit<Line, 'runtime'>[]).map((line) => ({ ...line, runtime: 'node' }))
}
