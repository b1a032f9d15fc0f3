/** Does a job, in any runtime. */

import type { Job } from './job.js'
import type { Line } from './result.js'
import { gather } from './subjects/gather.js'
import { table } from './subjects/table.js'
import type { Surroundings } from './surroundings.js'

export async function perform(job: Job, around: Surroundings): Promise<Omit<Line, 'runtime'>[]> {
  await around.recask.init({ threads: job.threads })
  const { threads, reason } = around.recask.capabilities()
  if (threads !== job.threads) {
    throw new Error(`${job.threads} threads were asked for, and there are ${threads}: ${reason}`)
  }
  return job.work === 'gather' ? gather(job, around) : table(job, around)
}
