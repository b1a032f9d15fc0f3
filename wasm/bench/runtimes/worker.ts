/** A module worker: does jobs. `bundle.ts` makes one file of it and of the packages that it compares with. */

import { fill, fresh } from '../../tests/browser/tasks/opfs.js'
import type { Job } from '../job.js'
import { perform } from '../perform.js'
import type { Line } from '../result.js'
import type { Recask } from '../surroundings.js'

export type Answer = { readonly lines: Omit<Line, 'runtime'>[] } | { readonly error: string }

addEventListener('message', ({ data }: MessageEvent<Job>) => {
  const asAnswer = (lines: Omit<Line, 'runtime'>[]): Answer => ({ lines })
  const asError = (error: unknown): Answer => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  void start(data).then(asAnswer, asError).then((answer) => postMessage(answer))
})

const here = (path: string) => new URL(path, location.origin).href

async function start(job: Job): Promise<Omit<Line, 'runtime'>[]> {
  // Past the bundler, as a page without one has it.
  const recask = (await import(/* @vite-ignore */ here('/pkg/index.js'))) as Recask
  return perform(job, {
    recask,
    file: (path) => bytesAt(`/data/${path}`),
    overHttp: (folder) => recask.fromUrl(here(`/data/${folder}/`), { cache: { bytes: 0 } }),
    inOpfs: async (folder, files) => {
      await fill(await fresh(folder), files)
      return recask.fromOpfs(folder)
    },
    parquetModule: () => bytesAt('/modules/parquet.wasm'),
    zstdModule: here('/modules/zstd.wasm'),
  })
}

async function bytesAt(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(here(path))
  if (!response.ok) {
    throw new Error(`${path}: ${response.status}`)
  }
  return new Uint8Array(await response.arrayBuffer())
}
