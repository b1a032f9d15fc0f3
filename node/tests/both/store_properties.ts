/** Stores beside plain arrays of records, through random changes and reads. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DenseStore as Dense, RaggedStore as Ragged, TypedArray } from '../../ts/index.js'
import { check } from '../support/checking.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'
import { bytesOf, joined, type Type, type, valuesOf } from '../support/values.js'
import { type Kind, type Plain, plain, walk, walkThrough } from '../support/walk.js'

const ITEM_SHAPES = [[], [1], [3], [2, 3], [1, 2, 2]]
const SHAPES = [[1], [2], [7], [2, 2], [5, 1], [1, 2, 3], []]

/** Texts that are alike, and not the same. */
function samples(): Buffer[] {
  const word = (number: number) => `word${(Math.imul(number, 2654435761) >>> 20) % 300}`
  const text = (first: number) => Array.from({ length: 30 }, (_, i) => `${word(first + i)}: ${(first * 7 + i) % 101}`).join(', ')
  return Array.from({ length: 400 }, (_, i) => Buffer.from(text(i * 31)))
}

export function storeProperties({ recask, isNative }: Door): void {
  const { DenseStore, RaggedStore } = recask
  const runs = isNative ? 60 : 20
  const walks = isNative ? walk : walk.map((steps) => steps.map((step) => ({ ...step, atOnce: false })))

  let trained: Promise<Uint8Array> | undefined
  const codecs = async (codec: 'raw' | 'zstd' | 'zstd_dict') => ({
    codec,
    ...(codec === 'zstd_dict' && { dictionary: await (trained ??= recask.trainDict(samples())) }),
  })
  const codec = fc.constantFrom('raw' as const, 'zstd' as const, 'zstd_dict' as const)

  function denseKind(place: string, type: Type, itemShape: readonly number[]): Kind<Dense> {
    const width = itemShape.reduce((all, extent) => all * extent, type.size)
    const split = (values: TypedArray): Plain[] => {
      const bytes = bytesOf(values)
      const count = bytes.length / width
      return Array.from({ length: count }, (_, i) =>
        plain({ data: bytes.subarray(i * width, (i + 1) * width), shape: itemShape }),
      )
    }
    return {
      isLocking: isNative,
      open: (options) => DenseStore.open(place, options),
      append: async (store, count, seed, atOnce) => {
        const values = valuesOf(type, (count * width) / type.size, seed)
        return { first: atOnce ? store.appendSync(values) : await store.append(values), records: split(values) }
      },
      gather: async (store, index, atOnce) => {
        const { data, shape, dtype } = atOnce ? store.gatherSync(index) : await store.gather(index)
        assert.deepEqual([shape.slice(1), dtype], [itemShape, type.dtype.replace('>', '<')])
        assert.equal(data.constructor, valuesOf(type, 0, 0).constructor)
        const records = split(data)
        assert.equal(shape[0], records.length)
        return records
      },
      fill: async (store, index, count, atOnce) => {
        const target = valuesOf(type, (count * width) / type.size, 1)
        if (atOnce) store.gatherIntoSync(index, target)
        else await store.gatherInto(index, target)
        return split(target)
      },
    }
  }

  function raggedKind(place: string, type: Type): Kind<Ragged> {
    const gather: Kind<Ragged>['gather'] = async (store, index, atOnce) => {
      const batch = atOnce ? store.gatherSync(index) : await store.gather(index)
      assert.equal(batch.dtype, type.dtype.replace('>', '<'))
      assert.deepEqual([batch.offsets.length, batch.shapes.length], [batch.length + 1, batch.length])
      return Array.from({ length: batch.length }, (_, position) => plain(batch.record(position)))
    }
    return {
      isLocking: isNative,
      open: (options) => RaggedStore.open(place, options),
      append: async (store, count, seed, atOnce) => {
        const records = Array.from({ length: count }, (_, i) => {
          const shape = SHAPES[(seed + i) % SHAPES.length]!
          const elements = shape.reduce((all, extent) => all * extent, 1)
          return { data: valuesOf(type, elements, seed + i), shape }
        })
        return { first: atOnce ? store.appendSync(records) : await store.append(records), records: records.map(plain) }
      },
      gather,
      fill: (store, index, _, atOnce) => gather(store, index, atOnce),
    }
  }

  describe('properties of stores', () => {
    it('a dense store is an array of records', () =>
      check(
        fc.asyncProperty(type, fc.constantFrom(...ITEM_SHAPES), codec, walks, async (type, itemShape, codec, steps) => {
          const place = nowhere()
          const store = await DenseStore.create(place, { dtype: type.dtype, itemShape, ...(await codecs(codec)) })
          await walkThrough(denseKind(place, type, itemShape), store, steps)
        }),
        runs,
      ))

    it('a ragged store is an array of arrays', () =>
      check(
        fc.asyncProperty(type, codec, walks, async (type, codec, steps) => {
          const place = nowhere()
          const store = await RaggedStore.create(place, { dtype: type.dtype, ...(await codecs(codec)) })
          await walkThrough(raggedKind(place, type), store, steps)
        }),
        runs,
      ))

    it('appends in pieces, and as a stream, are one append', () =>
      check(
        fc.asyncProperty(
          type,
          fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
          fc.nat(),
          fc.nat(4),
          async (type, counts, seed, batch) => {
            const places = [nowhere(), nowhere(), nowhere()] as const
            const [whole, pieces, stream] = await Promise.all(
              places.map((place) => DenseStore.create(place, { dtype: type.dtype })),
            )
            const arrays = counts.map((count, i) => valuesOf(type, count, seed + i))
            await whole!.append(joined(arrays, type))
            await Promise.all(arrays.map((values) => pieces!.append(values)))
            const writable = stream!.writable({ highWaterMark: 3, batch: batch + 1 })
            for (const values of arrays) writable.write(values)
            await new Promise<void>((resolve, reject) => writable.on('error', reject).end(resolve))
            const [expected, ...others] = await Promise.all([whole!, pieces!, stream!].map((store) => store.gather({})))
            for (const batch of others) assert.deepEqual(bytesOf(batch.data), bytesOf(expected!.data))
            await Promise.all([whole!, pieces!, stream!].map((store) => store.close()))
          },
        ),
        Math.ceil(runs / 2),
      ))
  })
}
