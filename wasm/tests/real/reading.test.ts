import assert from 'node:assert/strict'
import { before, after, test } from 'node:test'
import {
  capabilities,
  DenseStore,
  fromMemory,
  fromUrl,
  init,
  openAny,
  RaggedStore,
  RecaskError,
  type Source,
  type TypedArray,
} from 'recask-wasm'
import { RangeServer } from '../server/server.js'
import { filesOf, GOLDEN, sha256, storedBytes, stores } from './golden.js'
import { fileURLToPath } from 'node:url'

let server: RangeServer
before(async () => {
  server = await RangeServer.start({ root: fileURLToPath(GOLDEN) })
})
after(() => server.close())

const doors: [string, (store: string) => Source][] = [
  ['memory', (store) => fromMemory(filesOf(store))],
  ['HTTP', (store) => fromUrl(`${server.origin}/zrecord/stores/${store}/`)],
]
const withCode = (code: string, message = /./) => (error: unknown) => {
  assert.ok(error instanceof RecaskError, String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, message)
  return true
}

test('a store starts the module by itself', async () => {
  const store = await DenseStore.open(fromMemory(filesOf('dense_u8_img_raw')))
  assert.equal(store.length, 16)
  const { threads, reason, version, zstd } = capabilities()
  assert.equal(threads, 1)
  assert.match(reason, /no Web Workers/)
  assert.match(version, /^\d+\.\d+\.\d+$/)
  assert.match(zstd, /zstd/)
  await init()
  await assert.rejects(init({ threads: 7 }), withCode('invalid_argument', /other options/))
})

for (const [door, place] of doors) {
  for (const golden of stores) {
    test(`${golden.name} from ${door}`, async () => {
      const found = await openAny(place(golden.name))
      assert.equal(found.kind, 'store')
      if (found.kind !== 'store') return
      const { store } = found
      assert.deepEqual([store.kind, store.length, store.codec], [golden.kind, golden.records, golden.codec])
      if (store.kind === 'dense') assert.deepEqual(store.itemShape, golden.item_shape)
      const batch = await store.gather({})
      const digest = sha256(storedBytes(batch.data, store.dtype))
      if (golden.sha256_all) assert.equal(digest, golden.sha256_all)
      if (batch.kind === 'ragged' && golden.shapes) assert.deepEqual(batch.shapes, golden.shapes)
      const { records, live_bytes: liveBytes, chunk_bytes: chunkBytes, reclaimable } = golden.stats
      assert.deepEqual(await store.stats(), { records, liveBytes, chunkBytes, reclaimable })
      const { ok, found: faults } = await store.verify()
      assert.deepEqual([ok, faults], [true, 0])
      await store.close()
    })
  }
}

test('a million records would not take more requests: three to open, two rounds to gather', async () => {
  const before = server.log.length
  const store = await DenseStore.open(fromUrl(`${server.origin}/zrecord/stores/dense_i64_label_zstd/`))
  assert.ok(server.log.length - before <= 3, server.log.slice(before).map(({ path }) => path).join())
  await store.gather([0, 100, 199])
  assert.ok(server.log.length - before <= 5)
  assert.ok(server.log.every(({ method }) => method === 'GET'))
})

test('records in any order, from the end, and more than once', async () => {
  for (const name of ['dense_u8_img_raw', 'dense_u8_img_zstd']) {
    const store = await DenseStore.open(fromMemory(filesOf(name)))
    const all = await store.gather({})
    const size = 28 * 28
    const chosen = [3, -1, 3, 0]
    const batch = await store.gather(chosen)
    assert.deepEqual(batch.shape, [4, 28, 28])
    assert.equal(batch.dtype, '|u1')
    chosen.forEach((record, position) => {
      const from = (record < 0 ? record + store.length : record) * size
      assert.deepEqual(batch.data.subarray(position * size, (position + 1) * size), all.data.subarray(from, from + size))
    })
    assert.deepEqual((await store.gather({ start: -2, step: 1 })).data, all.data.subarray(-2 * size))
    const mask = Array.from({ length: store.length }, (_, record) => record === 2)
    assert.deepEqual((await store.gather(mask)).data, all.data.subarray(2 * size, 3 * size))
    assert.deepEqual((await store.gather(BigInt64Array.of(-1n))).data, all.data.subarray(-size))
    assert.deepEqual((await store.gather(5)).shape, [1, 28, 28])
    assert.deepEqual((await store.gather([])).shape, [0, 28, 28])
  }
})

test('results own their memory', async () => {
  for (const name of ['dense_u8_img_raw', 'dense_u8_img_zstd']) {
    const store = await DenseStore.open(fromMemory(filesOf(name)))
    const one = await store.gather([0])
    const copy = one.data.slice()
    assert.equal(one.data.byteLength, one.data.buffer.byteLength)
    ;(one.data as Uint8Array).fill(7)
    assert.deepEqual((await store.gather([0])).data, copy)
  }
})

test('gathers into an array of the right type and size', async () => {
  for (const name of ['dense_f32_skel_raw', 'dense_f32_skel_zstd']) {
    const store = await DenseStore.open(fromMemory(filesOf(name)))
    const size = 3 * 12 * 25 * 2
    const around = new Float32Array(2 * size + 2)
    await store.gatherInto([1, 0], around.subarray(1, -1))
    const wanted = await store.gather([1, 0])
    assert.deepEqual(around.subarray(1, -1), wanted.data)
    assert.deepEqual([around[0], around.at(-1)], [0, 0])
    await assert.rejects(store.gatherInto([0], new Float32Array(size + 1)), withCode('buffer_size'))
    await assert.rejects(store.gatherInto([0], new Float64Array(size)), withCode('dtype_mismatch', /Float32Array/))
  }
  for (const name of ['dense_be_i4_zstd', 'dense_be_f8_raw']) {
    const store = await DenseStore.open(fromMemory(filesOf(name)))
    const wanted = await store.gather([2, 0])
    const into = wanted.data.map(() => 0 as never) as TypedArray
    await store.gatherInto([2, 0], into)
    assert.deepEqual(into, wanted.data)
    assert.equal(wanted.dtype[0], '<')
    assert.equal(store.dtype[0], '>')
  }
})

test('ragged records come one by one', async () => {
  const golden = stores.find(({ name }) => name === 'ragged_f32_mixed_raw')!
  const store = await RaggedStore.open(fromMemory(filesOf(golden.name)))
  const batch = await store.gather([2, 5])
  assert.equal(batch.length, 2)
  assert.deepEqual(batch.record(1).shape, golden.shapes![5])
  assert.deepEqual(batch.record(1).data, (await store.gather(5)).data)
  assert.throws(() => batch.record(2), withCode('index_out_of_range'))
})

test('texts of ragged stores have offsets that fit their bytes', async () => {
  const golden = stores.find(({ name }) => name === 'ragged_U2_raw')!
  const store = await RaggedStore.open(fromMemory(filesOf(golden.name)))
  const batch = await store.gather({})
  assert.equal(batch.offsets.at(-1), batch.data.length)
  golden.shapes!.forEach((shape, record) => {
    assert.equal(batch.record(record).data.length, 8 * shape.reduce((all, extent) => all * extent, 1))
  })
})

test('says what is wrong with a call', async () => {
  const store = await DenseStore.open(fromMemory(filesOf('dense_u8_img_raw')))
  await assert.rejects(store.gather(16), (error) => withCode('index_out_of_range', /16/)(error))
  await assert.rejects(store.gather([0.5]), withCode('invalid_argument', /0\.5/))
  await assert.rejects(store.append(new Uint8Array(784)), withCode('read_only', /write: true/))
  await assert.rejects(RaggedStore.open(fromMemory(filesOf('dense_u8_img_raw'))), withCode('kind_mismatch', /DenseStore/))
  await assert.rejects(DenseStore.open(fromMemory(new Map())), withCode('store_not_found'))
  await assert.rejects(DenseStore.open(fromMemory(filesOf('dense_u8_img_raw')), { codec: 'zstd' }), withCode('codec_mismatch'))
  await assert.rejects(DenseStore.open('images' as never), withCode('invalid_argument', /fromUrl/))
})

test('a closed store is of no use', async () => {
  const store = await DenseStore.open(fromMemory(filesOf('dense_u8_img_zstd')))
  const reading = store.gather([0])
  await store.close()
  await store.close()
  await assert.rejects(store.gather([0]), withCode('invalid_argument', /closed/))
  await assert.rejects(reading, withCode('invalid_argument', /closed/))
  const other = await DenseStore.open(fromMemory(filesOf('dense_u8_img_zstd')))
  await other[Symbol.asyncDispose]()
  await assert.rejects(other.stats(), withCode('invalid_argument', /closed/))
})

test('many gathers at once do not disturb each other', async () => {
  const store = await DenseStore.open(fromUrl(`${server.origin}/zrecord/stores/dense_u8_img_zstd/`))
  const all = await store.gather({})
  const size = all.data.length / store.length
  const batches = await Promise.all(Array.from({ length: store.length }, (_, record) => store.gather(record)))
  batches.forEach(({ data }, record) => assert.deepEqual(data, all.data.subarray(record * size, (record + 1) * size)))
})

test('an aborted call rejects with the reason', async () => {
  const reason = new Error('enough')
  server.setFaults('/zrecord/stores/dense_u8_img_zstd/0.chunk', { hang: true })
  const store = await DenseStore.open(fromUrl(`${server.origin}/zrecord/stores/dense_u8_img_zstd/`, { cache: { bytes: 0 } }))
  const controller = new AbortController()
  const reading = store.gather([0], { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(reading, reason)
  server.setFaults('/zrecord/stores/dense_u8_img_zstd/0.chunk', {})
  await assert.rejects(store.verify({ signal: AbortSignal.abort(reason) }), reason)
  assert.equal((await store.gather([0])).shape[0], 1)
})

test('a verification tells how far it is', async () => {
  const store = await DenseStore.open(fromMemory(filesOf('dense_i64_label_raw')))
  const told: number[] = []
  await store.verify({ onProgress: ({ done, total }) => told.push(done, total) })
  assert.deepEqual(told.slice(-2), [1500, 1500])
})

test('damage is reported with its place', async () => {
  const files = filesOf('dense_u8_img_zstd')
  files.get('0.chunk')![10]! ^= 0xff
  const store = await DenseStore.open(fromMemory(files))
  const { ok, faults, found } = await store.verify()
  assert.deepEqual([ok, found], [false, 1])
  assert.deepEqual([faults[0]!.code, faults[0]!.record], ['corrupt_record', 0])
  await assert.rejects(store.gather([0]), (error) => withCode('corrupt_record')(error) && (error as RecaskError).record === 0)
  assert.equal((await store.gather([1])).shape[0], 1)
})

test('a raw chunk that ends too early is reported as such', async () => {
  const files = filesOf('dense_u8_img_raw')
  files.set('0.chunk', files.get('0.chunk')!.slice(0, 785))
  await assert.rejects(
    DenseStore.open(fromMemory(files)).then((store) => store.gather({})),
    withCode('truncated_file'),
  )
})

test('a folder of stores and tables is found, by names where nothing lists it', async () => {
  const files = new Map<string, Uint8Array>()
  for (const name of ['dense_u8_img_raw', 'ragged_i32_tokens_raw']) {
    for (const [file, bytes] of filesOf(name)) files.set(`train/${name}/${file}`, bytes)
  }
  const listed = await openAny(fromMemory(files))
  assert.ok(listed.kind === 'folder')
  assert.deepEqual(Object.keys(listed.streams).sort(), ['train/dense_u8_img_raw', 'train/ragged_i32_tokens_raw'])
  const url = `${server.origin}/zrecord/stores/`
  await assert.rejects(openAny(fromUrl(url)), withCode('store_not_found', /recask index/))
  const named = await openAny(fromUrl(url), { streams: ['dense_u8_img_raw', 'ragged_i32_tokens_zstd'] })
  assert.ok(named.kind === 'folder')
  assert.deepEqual(Object.values(named.streams).map(({ kind }) => kind), ['dense', 'ragged'])
  await assert.rejects(openAny(fromMemory(new Map())), withCode('store_not_found', /neither a store nor a table/))
})

test('over HTTP a reader sees what was appended once it looks again', async () => {
  const files = new Map<string, Uint8Array>()
  const serve = () => files.forEach((bytes, name) => server.put(`/growing/${name}`, bytes.slice()))
  const writer = await DenseStore.create(fromMemory(files), { dtype: 'u1', itemShape: [2] })
  await writer.append(Uint8Array.of(1, 2))
  await writer.sync()
  serve()
  const store = await DenseStore.open(fromUrl(`${server.origin}/growing/`))
  assert.deepEqual((await store.gather({})).data, Uint8Array.of(1, 2))
  await writer.append(Uint8Array.of(3, 4, 5, 6))
  await writer.close()
  serve()
  await store.refresh()
  assert.equal(store.length, 3)
  assert.deepEqual((await store.gather({})).data, Uint8Array.of(1, 2, 3, 4, 5, 6))
})

test('a store that grows between the listing and the header is opened as it is then', async () => {
  const files = new Map<string, Uint8Array>()
  const writer = await DenseStore.create(fromMemory(files), { dtype: 'u1', itemShape: [2], codec: 'raw' })
  await writer.append(Uint8Array.of(1, 2))
  const place = fromMemory(files)
  let appends = 0
  const growing: Source = {
    kind: 'folder',
    name: 'growing',
    coalescing: place.coalescing,
    async list(options) {
      const listing = await place.list(options)
      if (appends < 3) {
        await writer.append(Uint8Array.of((appends += 1), 0))
        await writer.sync()
      }
      return listing
    },
    folder: (name) => place.folder(name),
    file: (name) => place.file(name),
    reopened: () => growing,
    read: (requests, signal) => place.read(requests, signal),
  }
  const store = await DenseStore.open(growing)
  assert.equal(store.length, 4)
  assert.deepEqual((await store.gather(-1)).data, Uint8Array.of(3, 0))
  // What ends too early and does not grow is damaged.
  await writer.close()
  files.set('0.chunk', files.get('0.chunk')!.slice(0, 5))
  await assert.rejects(DenseStore.open(growing), withCode('truncated_file'))
})
