/** Does the job that its argument describes, and prints what it measured. */

import type { Job } from './job.js'
import { gather } from './subjects/gather.js'
import { table } from './subjects/table.js'

const [argument, folder] = process.argv.slice(2) as [string, string]
const job = JSON.parse(argument) as Job
console.log(JSON.stringify(job.work === 'gather' ? await gather(job, folder) : await table(job, folder)))
