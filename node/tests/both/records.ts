import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function records({ recask }: Door): void {
  const { DenseStore, RaggedStore } = recask

  async function hundred() {
    const store = await DenseStore.create(nowhere(), { dtype: 'int32', itemShape: [2] })
    await store.append(Int32Array.from({ length: 200 }, (_, i) => i >> 1))
    return store
  }

  async function firsts(given: AsyncIterable<{ readonly data: ArrayLike<number | bigint> }>): Promise<number[]> {
    const found: number[] = []
    for await (const { data } of given) found.push(Number(data[0]))
    return found
  }

  describe('iterating over a store', () => {
    it('gives record after record with its shape', async () => {
      const store = await hundred()
      assert.deepEqual(
        await firsts(store),
        Array.from({ length: 100 }, (_, i) => i),
      )
      for await (const { data, shape } of store) {
        assert.deepEqual([data.length, shape], [2, [2]])
        break
      }
      await store.close()
    })

    it('reads ahead in batches of any size', async () => {
      const store = await hundred()
      for (const options of [
        { batch: 1, prefetch: 0 },
        { batch: 7 },
        { batch: 100, prefetch: 1 },
        { batch: 1000, prefetch: 50 },
      ]) {
        assert.deepEqual(
          await firsts(store.records(options)),
          Array.from({ length: 100 }, (_, i) => i),
          JSON.stringify(options),
        )
      }
      await fails(() => firsts(store.records({ batch: 0 })), 'invalid_argument')
      await fails(() => firsts(store.records({ prefetch: -1 })), 'invalid_argument')
      await store.close()
    })

    it('goes through what an index chooses', async () => {
      const store = await hundred()
      const options = { batch: 3 }
      assert.deepEqual(await firsts(store.records({ ...options, index: { start: 90, step: 4 } })), [90, 94, 98])
      assert.deepEqual(await firsts(store.records({ ...options, index: { step: -30 } })), [99, 69, 39, 9])
      assert.deepEqual(await firsts(store.records({ ...options, index: { start: -500, stop: 4 } })), [0, 1, 2, 3])
      assert.deepEqual(await firsts(store.records({ ...options, index: { start: 3, stop: -500, step: -1 } })), [3, 2, 1, 0])
      assert.deepEqual(await firsts(store.records({ ...options, index: [5, -1, 5, 0] })), [5, 99, 5, 0])
      assert.deepEqual(await firsts(store.records({ ...options, index: 8 })), [8])
      const mask = Array.from({ length: 100 }, (_, i) => i % 33 === 0)
      assert.deepEqual(await firsts(store.records({ ...options, index: mask })), [0, 33, 66, 99])
      await fails(() => firsts(store.records({ index: [true] })), 'shape_mismatch')
      await fails(() => firsts(store.records({ index: { step: 0 } })), 'invalid_argument')
      await fails(() => firsts(store.records({ index: [100] })), 'index_out_of_range')
      await store.close()
    })

    it('may be left, and begun anew', async () => {
      const store = await hundred()
      for (let round = 0; round < 3; round += 1) {
        let count = 0
        for await (const { data } of store.records({ batch: 5, prefetch: 4 })) {
          assert.equal(data[0], count)
          count += 1
          if (count === 12) break
        }
        assert.equal(count, 12)
      }
      await store.close()
    })

    it('stops where a signal says so', async () => {
      const store = await hundred()
      const stop = new AbortController()
      const seen: number[] = []
      const reading = (async () => {
        for await (const { data } of store.records({ batch: 10, signal: stop.signal })) {
          seen.push(Number(data[0]))
          if (seen.length === 10) stop.abort(new Error('enough'))
        }
      })()
      await assert.rejects(reading, /enough/)
      assert.ok(seen.length < 100)
      await store.close()
    })

    it('gives what is closed meanwhile as an error', async () => {
      const store = await hundred()
      const reading = (async () => {
        for await (const _ of store.records({ batch: 1, prefetch: 0 })) await store.close()
      })()
      await fails(() => reading, { code: 'invalid_argument', message: /closed/ })
    })

    it('goes over records of any size', async () => {
      const store = await RaggedStore.create(nowhere(), { dtype: 'u2' })
      await store.append(Array.from({ length: 50 }, (_, i) => Uint16Array.from({ length: i + 1 }, () => i)))
      let count = 0
      for await (const { data, shape } of store.records({ batch: 8 })) {
        assert.deepEqual(
          [shape, data.length, data.every((value: number | bigint) => value === count)],
          [[count + 1], count + 1, true],
        )
        count += 1
      }
      assert.equal(count, 50)
      await store.close()
    })
  })
}
