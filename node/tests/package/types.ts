/** Strict TypeScript over code that uses the package, in all ways of finding modules. */

import { join } from 'node:path'
import { type Installed, NODE, run } from './folder.js'

const APP = `
type Recask = typeof recask
const open = async (): Promise<number> => {
  const store: recask.DenseStore = await recask.DenseStore.open('images', { signal: AbortSignal.timeout(1000) })
  const batch: recask.DenseBatch = await store.gather({ start: 1, stop: 2 })
  const at: recask.DenseBatch = recask.DenseStore.openSync(new URL('file:///images')).gatherSync([1])
  for await (const { data, shape } of store.records({ prefetch: 3 })) data.length + shape.length
  store.writable({ highWaterMark: 10 }).write(new Uint8Array(2))
  const loader = new recask.Loader({ store }, { batch: 2, transform: async ({ step }) => step })
  const step: bigint | undefined = await loader.next()
  const plain = new recask.Loader({ store }, { batch: 2 })
  const indices: BigUint64Array | undefined = (await plain.next())?.indices
  const table = await recask.Table.open(['a.cstore', 'b.cstore'])
  const rows: recask.Row[] = await table.filter('a > :least', { least: 1n }).select(['a']).toRows()
  const made = await recask.importFiles('*.png', 'dest', { decode: (bytes, path) => (path ? bytes : undefined), names: true })
  const place: recask.Place = made.path
  const general: recask.Package<recask.Place> = recask.recask
  // @ts-expect-error A store has a type.
  await general.DenseStore.create(place, {})
  // @ts-expect-error There is no such mode.
  new recask.Sampler({ mode: 'odd', length: 1, batch: 1 })
  return batch.data.length + at.shape.length + rows.length + Number(step ?? 0n) + (indices?.length ?? 0)
}
export const all: [Recask, () => Promise<number>] = [recask, open]
`

export async function checkTypes(app: Installed): Promise<void> {
  await app.write('types/app.mts', `import * as recask from 'recask'\n${APP}`)
  await app.write('types/app.cts', `import recask = require('recask')\n${APP}`)
  for (const [module, moduleResolution, include] of [
    ['nodenext', 'nodenext', ['app.mts', 'app.cts']],
    ['node20', 'node16', ['app.mts', 'app.cts']],
    ['esnext', 'bundler', ['app.mts']],
  ] as const) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      typeRoots: [join(NODE, 'node_modules/@types')],
      module,
      moduleResolution,
      noEmit: true,
    }
    await app.write('types/tsconfig.json', JSON.stringify({ compilerOptions, include }))
    await run(app.folder, process.execPath, [join(NODE, 'node_modules/typescript/bin/tsc'), '-p', 'types'])
  }
  console.log('types: strict, with all libraries checked')
}
