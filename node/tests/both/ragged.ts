import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function ragged({ recask }: Door): void {
  const { RaggedStore, trainDict } = recask

  describe('ragged stores', () => {
    it('keep records with a shape each', async () => {
      const place = nowhere()
      const store = await RaggedStore.create(place, { dtype: 'float32' })
      const matrix = { data: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] }
      assert.equal(await store.append([Float32Array.of(7), matrix, { data: Float32Array.of(8), shape: [] }]), 0)
      await store.close()
      const read = await RaggedStore.open(place)
      const batch = await read.gather({})
      assert.deepEqual([batch.kind, batch.length, batch.dtype], ['ragged', 3, '<f4'])
      assert.deepEqual([...batch.offsets], [0, 1, 7, 8])
      assert.deepEqual(batch.shapes, [[1], [2, 3], []])
      assert.deepEqual([...batch.record(1).data], [1, 2, 3, 4, 5, 6])
      assert.equal(batch.record(1).data.buffer, batch.data.buffer)
      await fails(() => batch.record(3), 'index_out_of_range')
      const [one] = (await read.gather(-1)).shapes
      assert.deepEqual(one, [])
      await read.close()
    })

    it('take what is appended as it is at the call', async () => {
      const store = await RaggedStore.create(nowhere(), { dtype: 'u1' })
      const values = Uint8Array.of(1, 2, 3)
      const appended = store.append([values])
      values.fill(9)
      await appended
      assert.deepEqual([...(await store.gather(0)).data], [1, 2, 3])
      await store.close()
    })

    it('refuse records that are none', async () => {
      const store = await RaggedStore.create(nowhere(), { dtype: 'u1' })
      await fails(() => store.append(Uint8Array.of(1) as unknown as Uint8Array[]), {
        code: 'invalid_argument',
        message: /a list/,
      })
      await fails(() => store.append([Uint8Array.of(1), Int8Array.of(1)]), { code: 'dtype_mismatch', message: /record 1/ })
      await fails(() => store.append([{ data: Uint8Array.of(1), shape: [2] }]), 'shape_mismatch')
      await fails(() => store.append([{ data: Uint8Array.of(1), shape: [-1] }]), 'invalid_argument')
      await fails(() => store.append([Uint8Array.of(1), new Uint8Array(0)]), 'invalid_shape')
      assert.equal(store.length, 0)
      await store.close()
    })

    it('are packed against a dictionary that was trained', async () => {
      const texts = Array.from({ length: 400 }, (_, i) =>
        new TextEncoder().encode(
          `{"id": ${i}, "kind": "an entry of a list that repeats itself, word for word", "square": ${i * i}}`,
        ),
      )
      const dictionary = await trainDict(texts, { tier: 'fast' })
      assert.ok(dictionary.length > 0)
      const place = nowhere()
      const store = await RaggedStore.create(place, { dtype: 'u1', codec: 'zstd_dict', dictionary })
      await store.append(texts)
      assert.equal(store.codec, 'zstd_dict')
      const { liveBytes } = await store.stats()
      assert.ok(liveBytes < texts.reduce((sum, { length }) => sum + length, 0) * 0.75, `${liveBytes}`)
      await store.close()
      const read = await RaggedStore.open(place)
      assert.deepEqual([...(await read.gather(399)).data], [...texts[399]!])
      await read.close()
      // How it fails is the library's.
      await assert.rejects(trainDict([]), { name: 'RecaskError' })
      await fails(() => trainDict(['text'] as unknown as Uint8Array[]), 'invalid_argument')
    })

    it('give big-endian and complex values as numbers', async () => {
      const store = await RaggedStore.create(nowhere(), { dtype: '>f8' })
      await store.append([Float64Array.of(1.5, -2)])
      assert.deepEqual([...(await store.gather(0)).data], [1.5, -2])
      await store.close()
      const complex = await RaggedStore.create(nowhere(), { dtype: 'complex64' })
      await complex.append([{ data: Float32Array.of(1, 2, 3, 4), shape: [2] }, Float32Array.of(5, 6)])
      const batch = await complex.gather([1, 0])
      assert.deepEqual(
        [[...batch.data], [...batch.offsets]],
        [
          [5, 6, 1, 2, 3, 4],
          [0, 2, 6],
        ],
      )
      await complex.close()
    })
  })
}
