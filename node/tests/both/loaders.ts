import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function loaders({ recask }: Door): void {
  const { DenseStore, Loader, RaggedStore, Sampler, Table } = recask

  /** Three streams of twelve records that all tell their number. */
  async function streams() {
    const [pictures, texts] = [nowhere(), nowhere()]
    const images = await DenseStore.create(pictures, { dtype: 'u1', itemShape: [3] })
    await images.append(Uint8Array.from({ length: 36 }, (_, i) => Math.floor(i / 3)))
    const tokens = await RaggedStore.create(texts, { dtype: 'i4' })
    await tokens.append(Array.from({ length: 12 }, (_, i) => Int32Array.from({ length: i + 1 }, () => i)))
    const place = nowhere('rows.cstore')
    const writer = await Table.create(place)
    await writer.write({ row: Int32Array.from({ length: 12 }, (_, i) => i) })
    await writer.close()
    for (const store of [images, tokens]) await store.close()
    return { images: await DenseStore.open(pictures), tokens: await RaggedStore.open(texts), rows: await Table.open(place) }
  }

  async function closed(all: Awaited<ReturnType<typeof streams>>): Promise<void> {
    await Promise.all(Object.values(all).map((stream) => stream.close()))
  }

  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

  describe('loaders', () => {
    it('give aligned batches in the order of the sampler', async () => {
      const all = await streams()
      const loader = new Loader(all, { batch: 4, seed: 7, end: 6 })
      const sampler = new Sampler({ mode: 'cyclic', length: 12, batch: 4, seed: 7 })
      let next = 0n
      for await (const { step, indices, streams } of loader) {
        assert.equal(step, next)
        assert.deepEqual([...indices], [...sampler.at(step)])
        const numbers = Array.from(indices, Number)
        const { images, tokens, rows } = streams
        assert.ok(images?.kind === 'dense' && tokens?.kind === 'ragged' && rows?.kind === 'table')
        assert.deepEqual([images.shape, [...images.data].filter((_, i) => i % 3 === 0)], [[4, 3], numbers])
        assert.deepEqual(
          tokens.shapes.map(([length]) => length! - 1),
          numbers,
        )
        assert.deepEqual([...rows.column('row').data], numbers)
        next += 1n
      }
      assert.equal(next, 6n)
      assert.equal(await loader.next(), undefined)
      assert.deepEqual([...loader.sampler.at(3)], [...sampler.at(3)])
      await loader.close()
      await closed(all)
    })

    it('go on where a state says, and at a step', async () => {
      const all = await streams()
      const first = new Loader(all, { batch: 5, seed: 3 })
      for (let i = 0; i < 3; i += 1) await first.next()
      const state = await first.state()
      const wanted = await first.next()
      await first.close()
      const second = new Loader(all, { batch: 5, state })
      assert.deepEqual((await second.next())?.indices, wanted!.indices)
      await second.seek(1)
      assert.equal((await second.next())?.step, 1n)
      await second.close()
      const third = new Loader(all, { batch: 5, seed: 3, step: 3n })
      assert.deepEqual((await third.next())?.indices, wanted!.indices)
      await third.close()
      await fails(() => new Loader(all, { batch: 5, state, step: 3 }), 'invalid_argument')
      const other = new Loader({ images: all.images }, { batch: 5, state })
      await fails(() => other.next(), 'state_mismatch')
      await other.close()
      await closed(all)
    })

    it('draw a seed of their own where none is given', async () => {
      const all = await streams()
      const loader = new Loader({ images: all.images }, { batch: 4 })
      const { seed } = loader.sampler
      await loader.next()
      assert.equal(loader.sampler.seed, seed)
      assert.match(await loader.state(), new RegExp(`"seed": "${seed}"`))
      await loader.close()
      await closed(all)
    })

    it('transform several batches at a time and keep their order', async () => {
      const all = await streams()
      let [running, most] = [0, 0]
      const loader = new Loader(all, {
        batch: 2,
        seed: 1,
        end: 20,
        workers: 3,
        transform: async ({ step }) => {
          running += 1
          most = Math.max(most, running)
          // The first ones take longest.
          await pause(step < 3n ? 20 : 1)
          running -= 1
          return step
        },
      })
      const steps: bigint[] = []
      for await (const step of loader) steps.push(step)
      assert.deepEqual(
        steps,
        Array.from({ length: 20 }, (_, i) => BigInt(i)),
      )
      assert.equal(most, 3)
      await loader.close()
      await closed(all)
    })

    it('stand where the consumer is, not where the transform is ahead', async () => {
      const all = await streams()
      const options = { batch: 2, seed: 1 }
      const loader = new Loader(all, { ...options, workers: 4, transform: ({ step }) => step })
      assert.deepEqual([await loader.next(), await loader.next()], [0n, 1n])
      const state = await loader.state()
      assert.match(state, /"step": "2"/)
      await loader.close()
      const again = new Loader(all, { ...options, state, transform: ({ step }) => step })
      assert.equal(await again.next(), 2n)
      await again.close()
      await closed(all)
    })

    it('give the failure of a transform with its step, and end', async () => {
      const all = await streams()
      const cause = new Error('bad picture')
      const loader = new Loader(all, {
        batch: 2,
        seed: 1,
        workers: 4,
        transform: async ({ step }) => {
          if (step === 2n) throw cause
          return step
        },
      })
      const seen: bigint[] = []
      const work = async () => {
        for await (const step of loader) seen.push(step)
      }
      const error = await fails(work, { code: 'transform_failed', message: /step 2 failed: bad picture/, step: 2n })
      assert.equal(error.cause, cause)
      assert.deepEqual(seen, [0n, 1n])
      await fails(() => loader.next(), 'transform_failed')
      await loader.seek(3)
      assert.equal(await loader.next(), 3n)
      await loader.close()
      await closed(all)
    })

    it('may be left, and go on from there', async () => {
      const all = await streams()
      const loader = new Loader(all, { batch: 2, seed: 1, workers: 4, transform: ({ step }) => step })
      for await (const step of loader) if (step === 4n) break
      for await (const step of loader) {
        assert.equal(step, 5n)
        break
      }
      assert.equal(await loader.next(), 6n)
      assert.match(await loader.state(), /"step": "7"/)
      await loader.close()
      await closed(all)
    })

    it('are iterated over once at a time', async () => {
      const all = await streams()
      const loader = new Loader(all, { batch: 2, seed: 1 })
      const first = loader[Symbol.asyncIterator]()
      await first.next()
      await fails(() => loader[Symbol.asyncIterator]().next(), 'invalid_argument')
      await first.return(undefined)
      assert.equal((await loader.next())?.step, 1n)
      await loader.close()
      await closed(all)
    })

    it('stop waiting where a signal says so, and lose nothing', async () => {
      const all = await streams()
      const loader = new Loader(all, {
        batch: 2,
        seed: 1,
        transform: async ({ step }) => {
          await pause(30)
          return step
        },
      })
      const stop = new AbortController()
      const waiting = loader.next({ signal: stop.signal })
      setTimeout(() => stop.abort(new Error('too long')), 5)
      await assert.rejects(waiting, /too long/)
      assert.equal(await loader.next(), 0n)
      await loader.close()
      const whole = new AbortController()
      const other = new Loader(all, { batch: 2, seed: 1, signal: whole.signal })
      await other.next()
      whole.abort(new Error('all over'))
      await assert.rejects(other.next(), /all over/)
      await other.close()
      await closed(all)
    })

    it('leave out what cannot be read and tell of it', async () => {
      const { readFileSync, writeFileSync } = await import('node:fs')
      const place = nowhere()
      const store = await DenseStore.create(place, { dtype: 'u1', itemShape: [500], codec: 'zstd' })
      await store.append(Uint8Array.from({ length: 3000 }, (_, i) => (i * 7919) >> 3))
      await store.close()
      const chunk = readFileSync(`${place}/0.chunk`)
      chunk.fill(0xff, 0, 16)
      writeFileSync(`${place}/0.chunk`, chunk)
      const images = await DenseStore.open(place)
      const order = { batch: 2, mode: 'sequential' as const, end: 3 }
      const failing = new Loader({ images }, order)
      await fails(() => failing.next(), { code: 'corrupt_record', record: 0 })
      await failing.close()
      const lost: [bigint, string, number | undefined, string][] = []
      const onLost = (loss: { step: bigint; stream: string; record?: number; code: string }) => {
        lost.push([loss.step, loss.stream, loss.record, loss.code])
      }
      const records = new Loader({ images }, { ...order, onLoss: 'skip_records', onLost })
      assert.deepEqual([...(await records.next())!.indices], [1n])
      await records.close()
      const steps = new Loader({ images }, { ...order, onLoss: 'skip_steps', onLost })
      assert.equal((await steps.next())?.step, 1n)
      await steps.close()
      const loss = [0n, 'images', 0, 'corrupt_record']
      assert.deepEqual(lost, [loss, loss])
      const only = new Loader({ images }, { ...order, end: 1, onLoss: 'skip_steps', onLost })
      assert.equal(await only.next(), undefined)
      assert.equal(lost.length, 3)
      await only.close()
      await images.close()
    })

    it('go over the rows of a filter', async () => {
      const all = await streams()
      const some = all.rows.filter('row > 7')
      const loader = new Loader({ some }, { batch: 2, mode: 'sequential', end: 2 })
      await fails(() => loader.sampler, { code: 'invalid_argument', message: /count\(\)/ })
      const rows: number[] = []
      for await (const { streams } of loader) {
        const { some: batch } = streams
        if (batch?.kind === 'table') rows.push(...Array.from(batch.column('row').data, Number))
      }
      assert.deepEqual(rows, [8, 9, 10, 11])
      await loader.close()
      await closed(all)
    })

    it('refuse what is no stream, and streams of other lengths', async () => {
      const all = await streams()
      const odd = new Loader({ odd: {} as typeof all.images }, { batch: 2 })
      await fails(() => odd.next(), { code: 'invalid_argument', message: /'odd'/ })
      const none = new Loader({}, { batch: 2 })
      await fails(() => none.next(), 'invalid_argument')
      const uneven = new Loader({ images: all.images, head: all.rows.head(3) }, { batch: 2 })
      await fails(() => uneven.next(), 'shape_mismatch')
      await fails(() => new Loader(all, { batch: 1.5 }), 'invalid_argument')
      await fails(() => new Loader(all, { batch: 2, workers: 0, transform: () => 1 }), 'invalid_argument')
      await fails(() => new Loader(all, { batch: 2, transform: 'x' as unknown as () => 1 }), 'invalid_argument')
      for (const loader of [odd, none, uneven]) await loader.close()
      await closed(all)
    })

    it('refuse calls once they are closed, and end those that wait', async () => {
      const all = await streams()
      const loader = new Loader(all, { batch: 2, seed: 1 })
      await loader.next()
      await loader.close()
      await loader.close()
      const isClosed = { code: 'invalid_argument', message: /closed/ }
      await fails(() => loader.next(), isClosed)
      await fails(() => loader.state(), isClosed)
      await fails(() => loader.seek(1), isClosed)
      const waiting = new Loader(all, { batch: 2, transform: () => pause(10_000) })
      const next = waiting.next()
      await waiting.close()
      await fails(() => next, isClosed)
      await closed(all)
    })
  })

  describe('samplers', () => {
    it('are the same order for every rank', () => {
      const sampler = new Sampler({ mode: 'cyclic', length: 10, batch: 4, seed: 42 })
      const whole = [...sampler.at(5)]
      const parts = [0, 1].flatMap((rank) => [...sampler.shard(rank, 2).at(5n)])
      assert.deepEqual(parts, whole)
      assert.deepEqual([sampler.length, sampler.seed, sampler.rank, sampler.world], [10n, 42n, 0, 1])
      const [{ step, position }] = sampler.stepsOf(3) as [{ step: bigint; position: number }]
      assert.equal(sampler.at(step)[position], 3n)
      const { start, end } = sampler.epoch(1)
      assert.ok(start <= end)
    })

    it('take integers of 64 bits', async () => {
      const sampler = new Sampler({ mode: 'iid', length: 2n ** 60n, batch: 2, seed: 2n ** 64n - 1n })
      assert.equal(sampler.seed, 2n ** 64n - 1n)
      assert.equal(sampler.stepsPerCycle, null)
      assert.ok(sampler.at(2n ** 63n).every((record) => record < 2n ** 60n))
      await fails(() => sampler.at(-1), 'invalid_argument')
      await fails(() => sampler.at(2n ** 64n), 'invalid_argument')
      await fails(() => new Sampler({ mode: 'iid', length: 0.5, batch: 1 }), 'invalid_argument')
      await fails(() => new Sampler({ mode: 'odd' as 'iid', length: 5, batch: 1 }), 'invalid_argument')
    })
  })
}
