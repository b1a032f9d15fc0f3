/** Makes one file of the worker: browsers do not find packages of npm by their names. */

import { fileURLToPath } from 'node:url'

import { build, type Rolldown } from 'vite'

export async function workerScript(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('.', import.meta.url)),
    build: {
      write: false,
      target: 'esnext',
      rolldownOptions: {
        input: fileURLToPath(new URL('worker.js', import.meta.url)),
        output: { format: 'es', codeSplitting: false },
      },
    },
  })
  const [bundle] = [result].flat() as Rolldown.RolldownOutput[]
  const [chunk] = bundle!.output.filter((each) => each.type === 'chunk')
  return chunk!.code
}
