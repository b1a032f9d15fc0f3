/** Loaders through random pauses, jumps and resumptions: at every step they give what the sampler says. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Batch, DenseStore, Loader as AnyLoader, RaggedStore, Sampler as AnySampler, Table } from '../../ts/index.js'
import { check } from '../support/checking.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

const RECORDS = 50

const options = fc.record({
  mode: fc.constantFrom('sequential' as const, 'iid' as const, 'cyclic' as const, 'iid_seek' as const),
  batch: fc.integer({ min: 1, max: 20 }).map((each) => 2 * each),
  seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  rank: fc.nat(1),
  prefetch: fc.nat(4),
  end: fc.option(fc.nat(60), { nil: undefined }),
})

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('next' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('leave' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('at once' as const), count: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('seek' as const), step: fc.nat(70), isWide: fc.boolean(), atOnce: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('resume' as const), atOnce: fc.boolean() }) },
)

export function loaderProperties({ recask, isNative }: Door): void {
  const { DenseStore, Loader, RaggedStore, Sampler, Table } = recask
  const runs = isNative ? 100 : 30
  let streams: { images: DenseStore; tokens: RaggedStore; rows: Table }

  /** The batch has the records of its step in every stream. */
  function expectBatch({ step, indices, streams }: Batch, sampler: AnySampler, wanted: bigint): void {
    assert.equal(step, wanted)
    assert.deepEqual(indices, sampler.at(wanted))
    const numbers = Array.from(indices, Number)
    const { images, tokens, rows } = streams
    assert.ok(images?.kind === 'dense' && tokens?.kind === 'ragged' && rows?.kind === 'table')
    assert.deepEqual(
      [...images.data],
      numbers.flatMap((number) => [number, number]),
    )
    assert.deepEqual(
      numbers.map((_, position) => [...tokens.record(position).data]),
      numbers.map((number) => Array.from({ length: 1 + (number % 4) }, () => number)),
    )
    assert.deepEqual([...rows.column('row').data], numbers)
  }

  describe('properties of loaders', () => {
    before(async () => {
      await recask.init()
      const places = [nowhere(), nowhere(), nowhere('rows.cstore')] as const
      const images = await DenseStore.create(places[0], { dtype: 'i2', itemShape: [2], codec: 'zstd' })
      await images.append(Int16Array.from({ length: 2 * RECORDS }, (_, i) => i >> 1))
      const tokens = await RaggedStore.create(places[1], { dtype: 'i4' })
      await tokens.append(Array.from({ length: RECORDS }, (_, i) => new Int32Array(1 + (i % 4)).fill(i)))
      const rows = await Table.create(places[2])
      await rows.write({ row: Float64Array.from({ length: RECORDS }, (_, i) => i) })
      for (const written of [images, tokens, rows]) await written.close()
      streams = {
        images: await DenseStore.open(places[0]),
        tokens: await RaggedStore.open(places[1]),
        rows: await Table.open(places[2]),
      }
    })
    after(() => Promise.all(Object.values(streams).map((stream) => stream.close())))

    it('steps follow each other through jumps, pauses and resumptions', () =>
      check(
        fc.asyncProperty(options, fc.array(act, { minLength: 1, maxLength: 8 }), async (options, acts) => {
          const order = { ...options, world: 2 }
          const sampler = new Sampler({ ...order, length: RECORDS })
          const end = options.end === undefined ? undefined : BigInt(options.end)
          let loader = new Loader(streams, order) as AnyLoader
          let step = 0n
          /** The batch of this step, or the end. */
          const expectNext = (batch: Batch | undefined): boolean => {
            if (end !== undefined && step >= end) {
              assert.equal(batch, undefined)
              return false
            }
            assert.ok(batch)
            expectBatch(batch, sampler, step)
            step += 1n
            return true
          }
          for (const act of acts) {
            switch (act.does) {
              case 'next':
                for (let done = 0; done < act.count; done += 1) expectNext(await loader.next())
                break
              case 'at once':
                for (let done = 0; done < act.count; done += 1) expectNext(isNative ? loader.nextSync() : await loader.next())
                break
              case 'leave': {
                let left = act.count
                for await (const batch of loader) {
                  assert.ok(expectNext(batch))
                  if ((left -= 1) === 0) break
                }
                break
              }
              case 'seek':
                if (isNative && act.atOnce) loader.seekSync(act.step)
                else await loader.seek(act.isWide ? BigInt(act.step) : act.step)
                step = BigInt(act.step)
                break
              case 'resume': {
                const state = isNative && act.atOnce ? loader.stateSync() : await loader.state()
                await loader.close()
                const { rank, prefetch, batch } = order
                loader = new Loader(streams, { batch, rank, world: 2, prefetch, state, end: options.end })
              }
            }
          }
          await loader.close()
        }),
        runs,
      ))

    it('transforms of any length keep the order of steps, and no more than the workers run', () =>
      check(
        fc.asyncProperty(
          options,
          fc.integer({ min: 1, max: 6 }),
          fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
          fc.integer({ min: 1, max: 12 }),
          async ({ end: _, ...options }, workers, pauses, count) => {
            const order = { ...options, world: 2 }
            const sampler = new Sampler({ ...order, length: RECORDS })
            let [running, most] = [0, 0]
            const loader = new Loader(streams, {
              ...order,
              workers,
              transform: async (batch) => {
                running += 1
                most = Math.max(most, running)
                const pause = pauses[Number(batch.step) % pauses.length]!
                if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
                running -= 1
                return batch
              },
            })
            for (let step = 0n; step < BigInt(count); step += 1n) expectBatch((await loader.next())!, sampler, step)
            const resumed = new Loader(streams, { ...order, state: await loader.state() })
            expectBatch((await resumed.next())!, sampler, BigInt(count))
            await Promise.all([loader.close(), resumed.close()])
            assert.ok(most <= workers, `${most} at a time`)
          },
        ),
        Math.ceil(runs / 2),
      ))
  })
}
