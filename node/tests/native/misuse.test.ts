/** Values that no call takes: every one is refused in words, and nothing breaks. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as recask from 'recask'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'

const ODD: readonly unknown[] = [
  null,
  7,
  'text',
  true,
  Symbol('odd'),
  5n,
  [],
  {},
  () => {},
  new Date(),
  new DataView(new ArrayBuffer(8)),
  NaN,
  -1,
  1e300,
]
const any = (value: unknown): never => value as never

/** Fails with an error of Recask, or works. */
async function stands(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { name, stack } = error as Error
    assert.equal(name, 'RecaskError', stack)
  }
}

describe('misuse', () => {
  it('of stores', async () => {
    const place = nowhere()
    const dense = await recask.DenseStore.create(place, { dtype: 'u1', itemShape: [2] })
    await dense.append(Uint8Array.of(1, 2, 3, 4))
    const ragged = await recask.RaggedStore.create(nowhere(), { dtype: 'f4' })
    for (const odd of ODD) {
      await stands(() => recask.DenseStore.open(any(odd)))
      await stands(() => recask.DenseStore.open(place, any(odd)).then((store) => store.close()))
      await stands(() => recask.DenseStore.open(place, { codec: any(odd), level: any(odd) }))
      await stands(() => recask.DenseStore.create(nowhere(), any(odd)))
      for (const option of ['dtype', 'itemShape', 'codec', 'level', 'dictionary']) {
        await stands(() =>
          recask.DenseStore.create(nowhere(), { dtype: 'u1', [option]: any(odd) }).then((store) => store.close()),
        )
      }
      await stands(() => dense.gather(any(odd)))
      await stands(() => dense.gather([any(odd)]))
      await stands(() => dense.gather({ start: any(odd), stop: any(odd), step: any(odd) }))
      await stands(() => dense.gather(0, any(odd)))
      await stands(() => dense.gatherInto(0, any(odd)))
      await stands(() => dense.append(any(odd)))
      await stands(() => ragged.append(any(odd)))
      await stands(() => ragged.append([any(odd)]))
      await stands(() => ragged.append([{ data: any(odd), shape: any(odd) }]))
      await stands(() => ragged.append([{ data: Float32Array.of(1), shape: [any(odd)] }]))
      await stands(() => dense.records(any(odd)).next())
      await stands(() => dense.writable(any(odd)).destroy())
      await stands(() => recask.release(any(odd)))
    }
    assert.deepEqual([dense.length, ragged.length], [2, 0])
    assert.deepEqual([...(await dense.gather({})).data], [1, 2, 3, 4])
    await dense.close()
    await ragged.close()
  })

  it('of tables', async () => {
    const place = nowhere('some.cstore')
    const writer = await recask.Table.create(place)
    await writer.write({ a: Int32Array.of(1, 2) })
    for (const odd of ODD) {
      await stands(() => recask.Table.open(any(odd)))
      await stands(() => recask.Table.open([any(odd)]))
      await stands(() => recask.Table.create(nowhere('other.cstore'), any(odd)).then((other) => other.abort()))
      await stands(() =>
        recask.Table.create(nowhere('other.cstore'), { layout: any(odd), statistics: any(odd) }).then((other) => other.abort()),
      )
      await stands(() => writer.write({ b: any(odd) }))
      await stands(() => writer.write({ a: { data: any(odd), dtype: any(odd) } }))
      await stands(() => writer.writeArrow(any(odd)))
      await stands(() => writer.writeSelection(any(odd)))
    }
    await writer.close()
    const table = await recask.Table.open(place)
    for (const odd of ODD) {
      await stands(() => table.select(any(odd)))
      await stands(() => table.select([any(odd)]))
      await stands(() => table.rows(any(odd)).count())
      await stands(() => table.head(any(odd)).count())
      await stands(() => table.filter(any(odd)).count())
      await stands(() => table.filter('a > ?', any(odd)).count())
      await stands(() => table.filter('a > ?', [any(odd)]).count())
      await stands(() => table.columns(any(odd)))
      await stands(() => table.distinct(any(odd)))
      await stands(() => table.arrow(any(odd)))
      await stands(() => table.export(any(odd), any(odd)))
    }
    assert.deepEqual([...(await table.column('a')).data], [1, 2])
    await table.close()
  })

  it('of loaders, samplers and the rest', async () => {
    const place = nowhere()
    const store = recask.DenseStore.createSync(place, { dtype: 'u1' })
    store.appendSync(Uint8Array.of(1, 2, 3))
    store.closeSync()
    using images = recask.DenseStore.openSync(place)
    for (const odd of ODD) {
      await stands(() => new recask.Loader(any(odd), { batch: 1 }).next())
      await stands(() => new recask.Loader({ images: any(odd) }, { batch: 1 }).next())
      await stands(() => new recask.Loader({ images }, any(odd)))
      for (const option of ['batch', 'mode', 'seed', 'rank', 'world', 'prefetch', 'step', 'end', 'state', 'onLoss', 'workers']) {
        await stands(async () => {
          const loader = new recask.Loader({ images }, { batch: 1, [option]: any(odd) })
          await loader.next().finally(() => loader.close())
        })
      }
      for (const option of ['mode', 'length', 'batch', 'seed', 'rank', 'world']) {
        await stands(() => new recask.Sampler({ mode: 'cyclic', length: 5, batch: 1, seed: 1, [option]: any(odd) }).at(any(odd)))
      }
      await stands(() => recask.trainDict(any(odd)))
      await stands(() => recask.trainDict([any(odd)], any(odd)))
      await stands(() => recask.openAny(any(odd)))
      await stands(() => recask.verify(any(odd)))
      await stands(() => recask.importNpy(any(odd), any(odd)))
      await stands(() => recask.importCsv('none.csv', nowhere(), any(odd)))
      await stands(() => recask.exportTo('none', nowhere('x.npy'), any(odd)))
      await stands(() => recask.importFiles(any(odd), nowhere()))
      await stands(() => recask.importFiles('none-*.none', nowhere(), any(odd)))
      await stands(() => recask.command(any(odd === '--help' ? '' : odd)))
    }
  })

  it('names the place in every error of a store', async () => {
    const place = nowhere()
    await fails(() => recask.DenseStore.open(place), { code: 'store_not_found', place, message: new RegExp(place) })
    const store = await recask.DenseStore.create(place, { dtype: 'u1' })
    await fails(() => store.gather(0), { code: 'index_out_of_range', place, message: new RegExp(place) })
    await fails(() => recask.DenseStore.create(place, { dtype: 'u1' }), { code: 'store_exists', place })
    await store.close()
    await fails(() => store.gatherSync(0), { code: 'invalid_argument', place })
  })
})
