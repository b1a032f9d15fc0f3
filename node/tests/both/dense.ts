import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function dense({ recask }: Door): void {
  const { DenseStore } = recask

  /** Ten records of two values each. */
  async function ten() {
    const place = nowhere()
    const store = await DenseStore.create(place, { dtype: 'int16', itemShape: [2] })
    assert.equal(await store.append(Int16Array.from({ length: 20 }, (_, i) => i)), 0)
    return { place, store }
  }

  describe('dense stores', () => {
    it('are created, appended to, closed and read', async () => {
      const { place, store } = await ten()
      assert.deepEqual(
        [store.kind, store.length, store.dtype, store.codec, store.isWritable, store.itemShape],
        ['dense', 10, '<i2', 'raw', true, [2]],
      )
      await store.close()
      const read = await DenseStore.open(place)
      assert.deepEqual([read.isWritable, read.length], [false, 10])
      const batch = await read.gather([3, -1])
      assert.ok(batch.data instanceof Int16Array)
      assert.deepEqual([batch.kind, batch.shape, batch.dtype, [...batch.data]], ['dense', [2, 2], '<i2', [6, 7, 18, 19]])
      await read.close()
    })

    it('are opened by a path or a URL of a file', async () => {
      const { place, store } = await ten()
      await store.close()
      const read = await DenseStore.open(pathToFileURL(place))
      assert.equal(read.length, 10)
      await read.close()
      await fails(() => DenseStore.open(new URL('https://example.org/store')), { code: 'invalid_argument', message: /https/ })
      await fails(() => DenseStore.open(''), 'invalid_argument')
      await fails(() => DenseStore.open(7 as unknown as string), { code: 'invalid_argument', message: /a number/ })
    })

    it('are read by one record, a list, a slice, a mask and wide integers', async () => {
      const { store } = await ten()
      const first = async (index: Parameters<typeof store.gather>[0]) => {
        const { data } = await store.gather(index)
        return Array.from(data as Int16Array).filter((_, i) => i % 2 === 0)
      }
      assert.deepEqual(await first(4), [8])
      assert.deepEqual(await first([]), [])
      assert.deepEqual(await first({ start: 8 }), [16, 18])
      assert.deepEqual(await first({ stop: 6, step: -2 }), [18, 14])
      assert.deepEqual(await first(Array.from({ length: 10 }, (_, i) => i === 2 || i === 5)), [4, 10])
      assert.deepEqual(await first(BigInt64Array.of(-2n, 0n)), [16, 0])
      assert.deepEqual(await first(BigUint64Array.of(9n)), [18])
      await fails(() => store.gather(10), 'index_out_of_range')
      await fails(() => store.gather([true]), 'shape_mismatch')
      await fails(() => store.gather('1' as unknown as number), 'invalid_argument')
      await store.close()
    })

    it('fill an array that is there already', async () => {
      const { store } = await ten()
      const target = new Int16Array(4)
      await store.gatherInto([9, 0], target)
      assert.deepEqual([...target], [18, 19, 0, 1])
      // In the middle of a buffer, which stays as it is around.
      const around = new Int16Array(6).fill(-1)
      await store.gatherInto(1, around.subarray(2, 4))
      assert.deepEqual([...around], [-1, -1, 2, 3, -1, -1])
      const shared = new Int16Array(new SharedArrayBuffer(4))
      await store.gatherInto(2, shared)
      assert.deepEqual([...shared], [4, 5])
      await fails(() => store.gatherInto(0, new Int16Array(3)), 'buffer_size')
      await fails(() => store.gatherInto(0, new Int32Array(1)), 'dtype_mismatch')
      const gone = new Int16Array(2)
      structuredClone(gone.buffer, { transfer: [gone.buffer] })
      await fails(() => store.gatherInto(0, gone), { code: 'invalid_argument', message: /detached/ })
      await store.close()
    })

    it('take buffers of Node.js, which are arrays of bytes', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'uint8', itemShape: [3] })
      await store.append(Buffer.from('abcdef'))
      const target = Buffer.alloc(3)
      await store.gatherInto(1, target)
      assert.deepEqual(target.toString(), 'def')
      await store.close()
    })

    it('take what is appended as it is at the call', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'uint8' })
      const values = Uint8Array.of(1, 2, 3)
      const appended = store.append(values)
      values.fill(9)
      assert.equal(await appended, 0)
      assert.deepEqual([...(await store.gather({})).data], [1, 2, 3])
      await store.close()
    })

    it('take changes in the order in which they are asked for', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: 'uint8' })
      const firsts = await Promise.all(Array.from({ length: 20 }, (_, i) => store.append(Uint8Array.of(i, i))))
      assert.deepEqual(
        firsts,
        Array.from({ length: 20 }, (_, i) => 2 * i),
      )
      await Promise.all([store.delete([0]), store.append(Uint8Array.of(77)), store.sync()])
      assert.equal(store.length, 40)
      assert.equal((await store.gather(0)).data[0], 19)
      assert.equal((await store.gather(39)).data[0], 77)
      await store.close()
    })

    it('refuse values of other types and sizes', async () => {
      const { store } = await ten()
      await fails(() => store.append(new Uint8Array(4)), { code: 'dtype_mismatch', message: /Int16Array/ })
      await fails(() => store.append(new Int16Array(3)), { code: 'shape_mismatch', message: /\[2\]/ })
      await fails(() => store.append([1, 2] as unknown as Int16Array), 'dtype_mismatch')
      await fails(() => store.append(undefined as unknown as Int16Array), 'dtype_mismatch')
      assert.equal(store.length, 10)
      await store.close()
    })

    it('refuse changes of a reader', async () => {
      const { place, store } = await ten()
      await store.close()
      const read = await DenseStore.open(place)
      const isNamed = { code: 'read_only', message: /write: true/, place }
      await fails(() => read.append(new Int16Array(2)), isNamed)
      await fails(() => read.delete(0), isNamed)
      await fails(() => read.compact(), isNamed)
      await fails(() => read.sync(), isNamed)
      await read.close()
    })

    it('are changed where they are', async () => {
      const { place, store } = await ten()
      await store.close()
      const write = await DenseStore.open(place, { write: true })
      await write.delete([0, 1])
      assert.equal(write.length, 8)
      const { reclaimable } = await write.stats()
      assert.equal(reclaimable, 8)
      const seen: number[] = []
      await write.compact({ onProgress: ({ done }) => seen.push(done) })
      assert.equal((await write.stats()).reclaimable, 0)
      assert.deepEqual([...(await write.gather([0, 1])).data], [16, 17, 18, 19])
      await write.close()
    })

    it('show a reader what was appended when it refreshes', async () => {
      const { place, store } = await ten()
      await store.sync()
      const read = await DenseStore.open(place)
      await store.append(Int16Array.of(100, 101))
      await store.sync()
      assert.equal(read.length, 10)
      await read.refresh()
      assert.equal(read.length, 11)
      assert.deepEqual([...(await read.gather(-1)).data], [100, 101])
      await read.close()
      await store.close()
    })

    it('give big-endian values as numbers', async () => {
      const store = await DenseStore.create(nowhere(), { dtype: '>i4' })
      await store.append(Int32Array.of(1, -2))
      const batch = await store.gather([1, 0])
      assert.deepEqual([store.dtype, batch.dtype, [...batch.data]], ['>i4', '<i4', [-2, 1]])
      const target = new Int32Array(1)
      await store.gatherInto(0, target)
      assert.equal(target[0], 1)
      await store.close()
    })

    it('give the array that fits', async () => {
      const half = globalThis.Float16Array ?? Uint16Array
      const kinds = {
        bool: Uint8Array,
        int64: BigInt64Array,
        uint64: BigUint64Array,
        float16: half,
        float64: Float64Array,
        'M8[ns]': BigInt64Array,
      }
      for (const [dtype, array] of Object.entries(kinds)) {
        const store = await DenseStore.create(nowhere(), { dtype })
        await store.append(new array(3))
        assert.equal((await store.gather({})).data.constructor, array, dtype)
        await store.close()
      }
    })

    it('refuse a place where something is, or nothing', async () => {
      const { place, store } = await ten()
      await store.close()
      await fails(() => DenseStore.create(place, { dtype: 'u1' }), 'store_exists')
      await fails(() => DenseStore.open(nowhere()), { code: 'store_not_found' })
      await fails(() => DenseStore.create(nowhere(), {} as { dtype: string }), { code: 'invalid_argument', message: /dtype/ })
      await fails(() => DenseStore.create(nowhere(), { dtype: 'nonsense' }), 'invalid_dtype')
      await fails(() => recask.RaggedStore.open(place), { code: 'kind_mismatch', message: /DenseStore/, place })
      const again = await DenseStore.open(place)
      await again.close()
    })

    it('say where a damaged record is', async () => {
      const place = nowhere()
      const store = await DenseStore.create(place, { dtype: 'u1', itemShape: [1000], codec: 'zstd' })
      await store.append(Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) >> 3))
      await store.close()
      const chunk = join(place, '0.chunk')
      const bytes = readFileSync(chunk)
      bytes.fill(0xff, 0, 16)
      writeFileSync(chunk, bytes)
      const read = await DenseStore.open(place)
      const error = await fails(() => read.gather([1, 0]), { code: 'corrupt_record', record: 0, file: '0.chunk' })
      assert.equal(typeof error.offset, 'number')
      const { ok, found, faults } = await read.verify()
      assert.deepEqual([ok, found, faults[0]!.code, faults[0]!.record], [false, 1, 'corrupt_record', 0])
      await read.close()
    })

    it('stop where a signal says so', async () => {
      const { store } = await ten()
      const reason = new Error('no more')
      await assert.rejects(store.gather({}, { signal: AbortSignal.abort(reason) }), reason)
      await assert.rejects(store.verify({ signal: AbortSignal.abort(reason) }), reason)
      const failure = new Error('from onProgress')
      const verified = store.verify({
        onProgress: () => {
          throw failure
        },
      })
      // Short work may be over before it is told of.
      await verified.catch((error: unknown) => assert.equal(error, failure))
      await store.close()
    })

    it('refuse calls once they are closed, and close twice', async () => {
      const { store } = await ten()
      await store.close()
      await store.close()
      const isClosed = { code: 'invalid_argument', message: /closed/ }
      await fails(() => store.gather(0), isClosed)
      await fails(() => store.append(new Int16Array(2)), isClosed)
      await fails(() => store.stats(), isClosed)
      await fails(() => store.verify(), isClosed)
      assert.equal(store.length, 10)
    })

    it('end the calls that were made before they are closed', async () => {
      const { store } = await ten()
      const gathered = Promise.all(Array.from({ length: 50 }, () => store.gather({})))
      const closed = store.close()
      for (const { data } of await gathered) assert.equal(data.length, 20)
      await closed
      await fails(() => store.gather(0), 'invalid_argument')
    })
  })
}
