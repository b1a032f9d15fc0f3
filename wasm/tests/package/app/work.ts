/** What a user might do. Compiled strictly against the types of the package, and run wherever the package has to work. */

import {
  capabilities,
  DenseStore,
  fromMemory,
  init,
  Loader,
  openAny,
  recask,
  RecaskError,
  Sampler,
  Table,
  type Batch,
  type Package,
  type Source,
} from 'recask-wasm'

export interface Report {
  readonly threads: number
  readonly reason: string
  readonly version: string
  /** Of all values that were read. */
  readonly sum: number
  readonly steps: readonly string[]
  readonly code: string
}

export async function work(): Promise<Report> {
  await init()
  const files = new Map<string, Uint8Array>()
  const place: Source = fromMemory(files)
  const created = await DenseStore.create(place.folder('images'), { dtype: 'u1', itemShape: [64, 64], codec: 'zstd' })
  await created.append(new Uint8Array(64 * 64 * 200).map((_, i) => i % 251))
  await created.close()
  const writer = await Table.create(place.file('rows.cstore'))
  await writer.write({ n: Int32Array.from({ length: 200 }, (_, i) => i) })
  await writer.close()

  const found = await openAny(place)
  if (found.kind !== 'folder') throw new Error(`a folder was written, and ${found.kind} found`)
  const { images, rows } = found.streams
  if (images?.kind !== 'dense' || rows?.kind !== 'table') throw new Error('the streams are not as they were written')
  const batch = await images.gather({})
  const sum = (batch.data as Uint8Array).reduce((all, value) => all + value, 0)

  const steps: string[] = []
  const loader = new Loader({ images, rows: rows.filter('n < 100') }, { batch: 8, end: 2, seed: 1 })
  const failed: unknown = await loader.next().catch((error: unknown) => error)
  await loader.close()
  const aligned = new Loader({ images, rows }, { batch: 8, end: 2, seed: 1 })
  for await (const { step, indices } of aligned satisfies AsyncIterable<Batch>) steps.push(`${step}:${indices.join()}`)
  const sampler = new Sampler({ mode: 'cyclic', length: 200, batch: 8, seed: 1 })
  if (steps[1] !== `1:${sampler.at(1).join()}`) throw new Error('the loader has another order than its sampler')

  const whole: Package<Source> = recask
  const table = await whole.Table.open(place.file('rows.cstore'))
  if ((await table.summaries())[0]?.maximum !== 199) throw new Error('the table is not as it was written')
  const { threads, reason, version } = capabilities()
  return { threads, reason, version, sum, steps, code: failed instanceof RecaskError ? failed.code : String(failed) }
}
