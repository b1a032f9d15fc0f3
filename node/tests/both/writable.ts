import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function writable({ recask }: Door): void {
  const { DenseStore, RaggedStore } = recask

  describe('a stream into a store', () => {
    it('appends every record in order, and makes them durable', async () => {
      const place = nowhere()
      const store = await DenseStore.create(place, { dtype: 'int32', itemShape: [2] })
      const given = Array.from({ length: 1000 }, (_, i) => Int32Array.of(i, -i))
      await pipeline(Readable.from(given), store.writable())
      assert.equal(store.length, 1000)
      const read = await DenseStore.open(place)
      assert.deepEqual([...(await read.gather([0, 500, 999])).data], [0, -0 + 0, 500, -500, 999, -999])
      await read.close()
      await store.close()
    })

    it('takes several records at once, and records with shapes', async () => {
      const dense = await DenseStore.create(nowhere(), { dtype: 'u1', itemShape: [2] })
      await pipeline(Readable.from([Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5, 6)]), dense.writable())
      assert.deepEqual([...(await dense.gather({})).data], [1, 2, 3, 4, 5, 6])
      await dense.close()
      const ragged = await RaggedStore.create(nowhere(), { dtype: 'u1' })
      await pipeline(Readable.from([Uint8Array.of(1, 2), { data: Uint8Array.of(3, 4), shape: [2, 1] }]), ragged.writable())
      assert.deepEqual((await ragged.gather({})).shapes, [[2], [2, 1]])
      await ragged.close()
    })

    it('says when enough waits, and when there is room again', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'u1' })
      const stream = store.writable({ highWaterMark: 4 })
      const answers = Array.from({ length: 6 }, (_, i) => stream.write(Uint8Array.of(i)))
      assert.deepEqual(answers, [true, true, true, false, false, false])
      await once(stream, 'drain')
      assert.equal(store.length, 6)
      assert.equal(stream.write(Uint8Array.of(6)), true)
      stream.end()
      await once(stream, 'finish')
      assert.equal(store.length, 7)
      await store.close()
    })

    it('never holds more than what may wait, however fast the source is', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'u1', itemShape: [100] })
      const stream = store.writable({ highWaterMark: 8 })
      let most = 0
      async function* source() {
        for (let i = 0; i < 500; i += 1) {
          most = Math.max(most, stream.writableLength)
          yield new Uint8Array(100).fill(i)
        }
      }
      await pipeline(source, stream)
      assert.ok(most <= 8, `${most} waited`)
      assert.equal(store.length, 500)
      await store.close()
    })

    it('refuses numbers that are none', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'u1' })
      await fails(() => store.writable({ batch: 0 }), 'invalid_argument')
      await fails(() => store.writable({ highWaterMark: -1 }), 'invalid_argument')
      await store.close()
    })

    it('appends what comes before a record that cannot be, and fails', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'u1', itemShape: [2] })
      const given = [Uint8Array.of(1, 2), Uint8Array.of(3, 4), Uint8Array.of(5), Uint8Array.of(6, 7)]
      await fails(() => pipeline(Readable.from(given), store.writable()), 'shape_mismatch')
      assert.equal(store.length, 2)
      assert.equal((await store.verify()).ok, true)
      await store.append(Uint8Array.of(8, 9))
      assert.deepEqual([...(await store.gather({})).data], [1, 2, 3, 4, 8, 9])
      await store.close()
    })

    it('leaves a sound store where it is destroyed', async () => {
      const place = nowhere()
      const store = await DenseStore.create(place, { dtype: 'u1', itemShape: [1000] })
      const stream = store.writable({ highWaterMark: 2 })
      stream.on('error', () => {})
      for (let i = 0; i < 10; i += 1) stream.write(new Uint8Array(1000).fill(i))
      stream.destroy(new Error('torn down'))
      await new Promise((resolve) => stream.on('close', resolve))
      await store.close()
      const read = await DenseStore.open(place)
      assert.equal((await read.verify()).ok, true)
      for (let record = 0; record < read.length; record += 1) assert.equal((await read.gather(record)).data[999], record)
      await read.close()
    })

    it('is refused by a reader and by a closed store', async () => {
      const place = nowhere()
      const store = await DenseStore.create(place, { dtype: 'u1' })
      await store.close()
      await fails(() => pipeline(Readable.from([Uint8Array.of(1)]), store.writable()), 'invalid_argument')
      const read = await DenseStore.open(place)
      await fails(() => pipeline(Readable.from([Uint8Array.of(1)]), read.writable()), 'read_only')
      await read.close()
    })
  })
}
