/** Stores that Node.js wrote in loaderx 1.7.2, and those of loaderx in Node.js, value by value. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type CodecName,
  DenseStore,
  Loader,
  type Mode,
  openAny,
  RaggedStore,
  Sampler,
  trainDict,
  type TypedArray,
  verify,
} from 'recask'
import { nowhere } from '../support/place.js'
import { type Service, start } from './service.js'

/** A record as the service sends and takes it: shape and bytes. */
type Plain = [shape: number[], hex: string]

/** Those that loaderx has. */
const MODES = ['sequential', 'iid', 'cyclic'] as const satisfies readonly Mode[]
/** As loaderx counts them. */
const NUMBERS = { sequential: 0, iid: 1, cyclic: 2 } as const
const CODECS = ['raw', 'zstd', 'zstd_dict'] as const

/** Values that are well known in both languages. `values` as the service's JSON for NumPy. */
const DENSE: readonly { readonly dtype: string; readonly data: TypedArray; readonly values: readonly unknown[] }[] = [
  { dtype: '|b1', data: Uint8Array.of(1, 0, 1, 1), values: [true, false, true, true] },
  { dtype: '|i1', data: Int8Array.of(-128, 0, 1, 127), values: [-128, 0, 1, 127] },
  { dtype: '|u1', data: Uint8Array.of(0, 1, 254, 255), values: [0, 1, 254, 255] },
  { dtype: '<i2', data: Int16Array.of(-32768, -1, 0, 32767), values: [-32768, -1, 0, 32767] },
  { dtype: '<u2', data: Uint16Array.of(0, 1, 256, 65535), values: [0, 1, 256, 65535] },
  { dtype: '<f2', data: Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001), values: [1, -2, 65504, 2 ** -24] },
  { dtype: '<i4', data: Int32Array.of(-(2 ** 31), -1, 0, 2 ** 31 - 1), values: [-(2 ** 31), -1, 0, 2 ** 31 - 1] },
  { dtype: '<u4', data: Uint32Array.of(0, 1, 2 ** 31, 2 ** 32 - 1), values: [0, 1, 2 ** 31, 2 ** 32 - 1] },
  { dtype: '<f4', data: Float32Array.of(1.5, -0.25, 2 ** 100, NaN), values: [1.5, -0.25, 2 ** 100, 'nan'] },
  { dtype: '<f8', data: Float64Array.of(0.1, -0.1, 1e300, Infinity), values: [0.1, -0.1, 1e300, 'inf'] },
  { dtype: '<i8', data: BigInt64Array.of(-(2n ** 53n), -1n, 0n, 2n ** 53n), values: [-(2 ** 53), -1, 0, 2 ** 53] },
  { dtype: '<u8', data: BigUint64Array.of(0n, 1n, 2n ** 52n, 2n ** 53n), values: [0, 1, 2 ** 52, 2 ** 53] },
  {
    dtype: '<c8',
    data: Float32Array.of(1, 2, -3, 0.5, 0, 0, 0, -1),
    values: [
      [1, 2],
      [-3, 0.5],
      [0, 0],
      [0, -1],
    ],
  },
  {
    dtype: '<M8[D]',
    data: BigInt64Array.of(0n, 1n, -1n, 19_723n),
    values: ['1970-01-01', '1970-01-02', '1969-12-31', '2024-01-01'],
  },
  { dtype: '<m8[s]', data: BigInt64Array.of(0n, 1n, -1n, 86_400n), values: [0, 1, -1, 86_400] },
  { dtype: '|S3', data: Buffer.from('abc\0\0\0a\0\0xyz'), values: ['abc', '', 'a', 'xyz'] },
  { dtype: '<U1', data: new Uint8Array(Uint32Array.of(97, 0xe9, 0x4e2d, 0x1f642).buffer), values: ['a', 'é', '中', '🙂'] },
  { dtype: '>i2', data: Int16Array.of(-32768, -1, 0, 258), values: [-32768, -1, 0, 258] },
  { dtype: '>f8', data: Float64Array.of(0.1, -0.1, 1e300, 0), values: [0.1, -0.1, 1e300, 0] },
]

describe('loaderx 1.7.2', () => {
  let loaderx: Service
  let dictionary: Uint8Array
  before(async () => {
    loaderx = start('peer.py', 'RECASK_PEER_PYTHON')
    dictionary = await trainDict(Array.from({ length: 400 }, (_, i) => Buffer.from(text(i))))
  })
  after(() => loaderx.stop())

  const withDictionary = (codec: CodecName) => ({ codec, ...(codec === 'zstd_dict' && { dictionary }) })

  for (const codec of CODECS) {
    it(`reads dense values of every type that Node.js wrote, ${codec}`, async () => {
      for (const { dtype, data, values } of DENSE) {
        const place = nowhere()
        await using store = await DenseStore.create(place, { dtype, ...withDictionary(codec) })
        await store.append(data)
        await store.close()
        assert.equal(await loaderx.ask('open', { path: place, kind: 'dense' }), 4)
        assert.equal(await loaderx.ask('equals', { values }), true, dtype)
        await loaderx.ask('close')
      }
    })

    it(`writes dense values of every type that Node.js reads, ${codec}`, async () => {
      for (const { dtype, data } of DENSE) {
        const place = nowhere()
        const hex = codec === 'zstd_dict' ? { dictionary: Buffer.from(dictionary).toString('hex') } : {}
        await loaderx.ask('create', { path: place, kind: 'dense', dtype, codec, item_shape: [], ...hex })
        await loaderx.ask('append', { records: stored(data, dtype).toString('hex') })
        await loaderx.ask('close')
        await using store = await DenseStore.open(place, { codec })
        assert.deepEqual([store.length, store.dtype, store.itemShape], [4, dtype, []])
        const found = (await store.gather({})).data
        assert.deepEqual(bytesOf(found), bytesOf(data), dtype)
        assert.equal(found.constructor, data instanceof Buffer ? Uint8Array : data.constructor, dtype)
      }
    })

    it(`takes turns with Node.js on one dense store, ${codec}`, async () => {
      const place = nowhere()
      const record = (number: number) => Uint16Array.from({ length: 6 }, (_, i) => number * 7 + i)
      let numbers = [0, 1, 2]
      const first = await DenseStore.create(place, { dtype: 'u2', itemShape: [2, 3], ...withDictionary(codec) })
      await first.append(joined(numbers.map(record)))
      await first.close()
      for (let round = 1; round < 8; round += 1) {
        const more = [10 * round, 10 * round + 1, 10 * round + 2]
        const gone = (round * 5) % numbers.length
        if (round % 2) {
          await loaderx.ask('open', { path: place, kind: 'dense' })
          await loaderx.ask('append', { records: bytesOf(joined(more.map(record))).toString('hex') })
          await loaderx.ask('delete', { records: [gone] })
          if (round === 5) await loaderx.ask('compact')
          await loaderx.ask('close')
        } else {
          await using store = await DenseStore.open(place, { write: true })
          await store.append(joined(more.map(record)))
          await store.delete(gone)
          if (round === 4) await store.compact()
        }
        numbers = [...numbers, ...more]
        const last = numbers.pop()!
        if (gone < numbers.length) numbers[gone] = last
        const expected = numbers.map((number): Plain => [[2, 3], bytesOf(record(number)).toString('hex')])
        await loaderx.ask('open', { path: place, kind: 'dense' })
        assert.deepEqual(await loaderx.ask('read'), expected)
        await loaderx.ask('close')
        await using store = await DenseStore.open(place)
        assert.deepEqual((await store.gather({})).data, joined(numbers.map(record)))
      }
      assert.equal((await verify(place)).ok, true)
    })

    it(`reads and writes ragged records as Node.js does, ${codec}`, async () => {
      const records = [[5], [1], [2, 3], [4, 1, 2], [300]].map((shape, i) => {
        const length = shape.reduce((all, extent) => all * extent, 1)
        return { data: Int32Array.from({ length }, (_, at) => i * 1000 - at), shape }
      })
      const plain = records.map(({ data, shape }): Plain => [shape, bytesOf(data).toString('hex')])
      const [ours, theirs] = [nowhere(), nowhere()]
      await using store = await RaggedStore.create(ours, { dtype: 'i4', ...withDictionary(codec) })
      await store.append(records)
      await store.close()
      await loaderx.ask('open', { path: ours, kind: 'ragged' })
      assert.deepEqual(await loaderx.ask('read'), plain)
      await loaderx.ask('close')
      const hex = codec === 'zstd_dict' ? { dictionary: Buffer.from(dictionary).toString('hex') } : {}
      await loaderx.ask('create', { path: theirs, kind: 'ragged', dtype: '<i4', codec, ...hex })
      await loaderx.ask('append', { records: plain })
      await loaderx.ask('close')
      const found = await openAny(theirs)
      assert.ok(found.kind === 'store' && found.store.kind === 'ragged')
      const batch = await found.store.gather({})
      assert.deepEqual(
        records.map((_, position) => batch.record(position)),
        records,
      )
      await found.store.close()
    })
  }

  it('trains dictionaries that Node.js writes with', async () => {
    const texts = Array.from({ length: 400 }, (_, i) => Buffer.from(text(i)))
    const hex = await loaderx.ask<string>('train', { tier: 'fast', records: texts.map((one) => one.toString('hex')) })
    const place = nowhere()
    const store = await RaggedStore.create(place, { dtype: 'u1', codec: 'zstd_dict', dictionary: Buffer.from(hex, 'hex') })
    await store.append(texts)
    await store.close()
    await loaderx.ask('open', { path: place, kind: 'ragged' })
    assert.deepEqual(
      await loaderx.ask('read'),
      texts.map((one): Plain => [[one.length], one.toString('hex')]),
    )
    await loaderx.ask('close')
  })

  it('has the same order, in every mode and after jumps', async () => {
    for (const mode of MODES) {
      for (const [length, batch, seed, seek] of [
        [10, 4, 0, 0],
        [1000, 32, 7, 100],
        [97, 97, 123_456, 3],
        [5, 1, 2 ** 31, 17],
      ] as const) {
        const sampler = new Sampler({ mode, length, batch, seed })
        const found = await loaderx.ask<number[][]>('sample', { length, batch, mode: NUMBERS[mode], seed, seek, steps: 5 })
        const own = found.map((_, step) => Array.from(sampler.at(seek + step), Number))
        assert.deepEqual(own, found, `${mode}, ${length}, ${batch}, ${seed}, ${seek}`)
      }
    }
  })

  it('loads the same batches', async () => {
    const [images, tokens] = [nowhere(), nowhere()]
    const written = await DenseStore.create(images, { dtype: 'f4', itemShape: [2], codec: 'zstd' })
    await written.append(Float32Array.from({ length: 60 }, (_, i) => i / 4))
    await written.close()
    const texts = await RaggedStore.create(tokens, { dtype: 'i2' })
    await texts.append(Array.from({ length: 30 }, (_, i) => new Int16Array(1 + (i % 5)).fill(i)))
    await texts.close()
    const streams = [
      ['images', images, 'dense'],
      ['tokens', tokens, 'ragged'],
    ]
    // loaderx opens them alone.
    for (const mode of MODES) {
      const found = await loaderx.ask<{ images: { data: string }; tokens: { data: string }[] }[]>('load', {
        streams,
        batch: 7,
        mode: NUMBERS[mode],
        seed: 5,
        steps: 12,
      })
      await using dense = await DenseStore.open(images)
      await using ragged = await RaggedStore.open(tokens)
      await using loader = new Loader({ images: dense, tokens: ragged }, { batch: 7, mode, seed: 5, end: 12 })
      for (const expected of found) {
        const { images, tokens } = (await loader.next())!.streams
        assert.ok(images?.kind === 'dense' && tokens?.kind === 'ragged')
        assert.equal(bytesOf(images.data).toString('hex'), expected.images.data)
        assert.deepEqual(
          expected.tokens.map((_, position) => bytesOf(tokens.record(position).data).toString('hex')),
          expected.tokens.map(({ data }) => data),
        )
      }
    }
  })
})

function text(number: number): string {
  const word = (at: number) => `word${(Math.imul(number * 31 + at, 2654435761) >>> 20) % 300}`
  return Array.from({ length: 30 }, (_, at) => word(at)).join(' ')
}

function bytesOf(data: TypedArray): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** In the order of bytes that the type says. */
function stored(data: TypedArray, dtype: string): Buffer {
  const bytes = Buffer.from(bytesOf(data))
  if (!dtype.startsWith('>')) return bytes
  return dtype.endsWith('2') ? bytes.swap16() : bytes.swap64()
}

function joined(arrays: readonly Uint16Array[]): Uint16Array {
  return Uint16Array.from(arrays.flatMap((array) => [...array]))
}
