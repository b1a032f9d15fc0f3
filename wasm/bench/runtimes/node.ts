/** Node.js: does the job that its argument describes, and prints what it measured. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import type { Job } from '../job.js'
import { perform } from '../perform.js'
import { recask } from './node_package.js'

const [job, folder] = process.argv.slice(2) as [string, string]
const lines = await perform(JSON.parse(job) as Job, {
  recask: await recask(),
  file: (path) => bytesAt(join(folder, path)),
  parquetModule: () => bytesAt(createRequire(import.meta.url).resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')),
})
console.log(JSON.stringify(lines))

async function bytesAt(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await readFile(path)).buffer)
}
