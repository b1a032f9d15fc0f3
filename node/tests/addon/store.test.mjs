import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'

import { addon, ALL, code, filled, folder, list, values } from './addon.mjs'

test('a dense store is written, read, changed and compacted', async (t) => {
  const place = folder(t)('store')
  const store = await addon.createStore(place, { kind: 'dense', dtype: 'uint16', itemShape: list(2, 2), codec: 'zstd', level: 5 })
  assert.equal(store.writable, true)
  assert.equal(await store.appendDense(values(0, 3, 8)), 0)
  assert.equal(store.appendDenseSync(values(3, 2, 8)), 3)
  assert.equal(store.length, 5)
  await store.sync()
  await store.delete(list(0))
  assert.equal(store.length, 4)
  assert.deepEqual(store.gatherDenseSync(list(0)).bytes, values(4, 1, 8))
  const { reclaimable } = await store.stats()
  assert.ok(reclaimable > 0)
  const told = []
  await store.compact(null, (done, total) => told.push([done, total]))
  await setImmediate()
  assert.deepEqual(told.at(-1)[0], told.at(-1)[1])
  assert.equal((await store.stats()).reclaimable, 0)
  await store.close()

  const reader = await addon.openStore(place, {})
  assert.deepEqual((await reader.gatherDense(ALL)).shape, list(4, 2, 2))
  assert.deepEqual(reader.gatherDenseSync([-1, undefined, -1]).bytes.length, 4 * 8)
  assert.deepEqual(reader.gatherDenseSync(Uint8Array.of(0, 1, 0, 0)).bytes, values(1, 1, 8))
  assert.deepEqual(reader.gatherDenseSync(BigUint64Array.of(2n, 1n)).bytes, Uint8Array.of(...values(2, 1, 8), ...values(1, 1, 8)))
  await assert.rejects(async () => reader.appendDense(values(0, 1, 8)), code('read_only'))
  await assert.rejects(async () => reader.gatherRagged(ALL), code('kind_mismatch'))
  reader.closeSync()
})

test('a ragged store keeps shapes', async (t) => {
  const place = folder(t)('store')
  const store = addon.createStoreSync(place, { kind: 'ragged', dtype: 'uint8' })
  assert.equal(await store.appendRagged(Uint8Array.of(1, 2, 3, 4, 5, 6, 7), list(3, 2, 2), Uint8Array.of(1, 2)), 0)
  assert.equal(store.appendRaggedSync(Uint8Array.of(9), list(), Uint8Array.of(0)), 2)
  for (const batch of [await store.gatherRagged(list(2, 1)), store.gatherRaggedSync(list(2, 1))]) {
    assert.deepEqual(batch.bytes, Uint8Array.of(9, 4, 5, 6, 7))
    assert.deepEqual(batch.offsets, list(0, 1, 5))
    assert.deepEqual(batch.extents, list(2, 2))
    assert.deepEqual(batch.ranks, Uint8Array.of(0, 2))
  }
  // What does not fit together changes nothing.
  for (const [bytes, extents, ranks] of [
    [Uint8Array.of(1), list(2), Uint8Array.of(1)],
    [Uint8Array.of(1, 2), list(1), Uint8Array.of(1)],
    [Uint8Array.of(1), list(1), Uint8Array.of(2)],
    [Uint8Array.of(1), list(1, 1), Uint8Array.of(1)],
    [Uint8Array.of(1), list(2 ** 53, 2 ** 53), Uint8Array.of(2)],
  ]) {
    assert.throws(() => store.appendRaggedSync(bytes, extents, ranks), code('shape_mismatch'))
  }
  assert.throws(() => store.appendRaggedSync(Uint8Array.of(1), list(0.5), Uint8Array.of(1)), code('invalid_argument'))
  assert.equal(store.length, 3)
  store.closeSync()
})

test('calls that nobody waits for happen in the order in which they were made', async (t) => {
  const store = filled(folder(t)('store'), 1, 4)
  const calls = []
  for (let round = 0; round < 40; round++) {
    calls.push(store.appendDense(values(round, 1, 4)))
    calls.push(store.gatherDense(list(-1)).then(({ bytes }) => bytes[0]))
  }
  const answers = await Promise.all(calls)
  for (let round = 0; round < 40; round++) {
    assert.equal(answers[2 * round], round + 1)
    assert.equal(answers[2 * round + 1], round)
  }
  // A call that works at once waits for those that were made before.
  const pending = Array.from({ length: 20 }, (_, round) => store.appendDense(values(round, 1000, 4)))
  assert.equal(store.appendDenseSync(values(0, 1, 4)), 41 + 20 * 1000)
  await Promise.all(pending)
  await store.close()
})

test('closing waits for what runs, and refuses what comes later', async (t) => {
  const place = folder(t)('store')
  filled(place, 2000, 1024, 'zstd').closeSync()
  const store = await addon.openStore(place, {})
  const gathers = Array.from({ length: 30 }, () => store.gatherDense(ALL))
  const closing = store.close()
  assert.throws(() => store.gatherDense(ALL), code('invalid_argument'))
  assert.throws(() => store.statsSync(), code('invalid_argument'))
  await Promise.all([closing, store.close()])
  for (const { bytes } of await Promise.all(gathers)) assert.equal(bytes.length, 2000 * 1024)
  assert.equal(store.length, 2000)
})

test('a reader sees what was appended when it refreshes', async (t) => {
  const place = folder(t)('store')
  const writer = filled(place, 3, 2)
  const reader = addon.openStoreSync(place, {})
  await writer.appendDense(values(3, 2, 2))
  assert.equal(reader.length, 3)
  await reader.refresh()
  assert.equal(reader.length, 5)
  writer.appendDenseSync(values(5, 1, 2))
  reader.refreshSync()
  assert.deepEqual(reader.gatherDenseSync(list(5)).bytes, values(5, 1, 2))
  reader.closeSync()
  writer.closeSync()
})

test('one handle at a time may write', async (t) => {
  const place = folder(t)('store')
  const writer = filled(place, 1, 1)
  await assert.rejects(addon.openStore(place, { write: true }), code('store_busy'))
  await writer.close()
  const next = await addon.openStore(place, { write: true, level: 3 })
  assert.equal(next.appendDenseSync(Uint8Array.of(1)), 1)
  await next.close()
})

test('long work is stopped and tells how far it is', async (t) => {
  const place = folder(t)('store')
  filled(place, 20_000, 512, 'zstd').closeSync()
  const store = addon.openStoreSync(place, {})
  const told = []
  const report = await store.verify(null, (done, total) => told.push({ done, total }))
  assert.deepEqual(report, { records: 20_000, found: 0, faults: [] })
  // What is told last comes in the turn of the event loop in which the promise resolves.
  await setImmediate()
  assert.ok(told.every(({ done, total }) => done > 0 && done <= total), JSON.stringify(told))
  assert.deepEqual(told.at(-1), { done: 20_000, total: 20_000 })

  const stop = new addon.NativeStop()
  const verified = store.verify(stop)
  stop.stop()
  await assert.rejects(verified, code('interrupted'))
  await assert.rejects(async () => store.gatherDense(ALL, stop), code('interrupted'))
  await assert.rejects(async () => store.gatherDenseInto(ALL, new Uint8Array(20_000 * 512), stop), code('interrupted'))
  // The store is as good as before.
  assert.equal((await store.gatherDense(list(7), new addon.NativeStop())).bytes.length, 512)
  await store.close()
})

test('large gathers that may be stopped are the same', async (t) => {
  const place = folder(t)('store')
  filled(place, 100, 1 << 20).closeSync()
  const store = addon.openStoreSync(place, {})
  const plain = await store.gatherDense(ALL)
  const stoppable = await store.gatherDense(ALL, new addon.NativeStop())
  assert.equal(Buffer.compare(plain.bytes, stoppable.bytes), 0)
  store.closeSync()
})

test('a dictionary is trained from samples', async () => {
  const samples = Array.from({ length: 400 }, (_, at) => Buffer.from(`{"name":"record ${at}","kind":"sample","value":${at * 7}}`))
  const sizes = Float64Array.from(samples, ({ length }) => length)
  const joined = Uint8Array.from(Buffer.concat(samples))
  const dictionary = await addon.trainDictionary(joined, sizes, 'fast')
  assert.ok(dictionary.length > 0 && dictionary.length <= 32 << 10)
  assert.deepEqual(addon.trainDictionarySync(joined, sizes, 'fast'), dictionary)
  assert.throws(() => addon.trainDictionarySync(joined, sizes, 'huge'), code('invalid_argument'))
  assert.throws(() => addon.trainDictionarySync(joined, list(joined.length + 1), 'fast'), code('invalid_argument'))
  assert.throws(() => addon.trainDictionarySync(new Uint8Array(1), list(1), 'fast'), code('training_failed'))
})

test('a store with a dictionary has it', async (t) => {
  const samples = Array.from({ length: 400 }, (_, at) => Buffer.from(`{"name":"record ${at}","kind":"sample"}`))
  const dictionary = addon.trainDictionarySync(Uint8Array.from(Buffer.concat(samples)), Float64Array.from(samples, ({ length }) => length), 'fast')
  const store = addon.createStoreSync(folder(t)('store'), { kind: 'ragged', dtype: 'uint8', codec: 'zstd_dict', dictionary })
  assert.deepEqual(store.dictionary, dictionary)
  store.closeSync()
  const plain = filled(folder(t)('plain'), 1, 1)
  assert.equal(plain.dictionary, null)
  plain.closeSync()
})

test('what is at a place is found', async (t) => {
  const path = folder(t)
  filled(path('digits/images'), 1, 4).closeSync()
  addon.createStoreSync(path('digits/more/texts'), { kind: 'ragged', dtype: 'uint8' }).closeSync()
  assert.deepEqual(await addon.findDataset(path('digits')), {
    kind: 'folder',
    streams: [
      { name: 'images', path: path('digits/images'), kind: 'dense' },
      { name: 'more/texts', path: path('digits/more/texts'), kind: 'ragged' },
    ],
  })
  assert.deepEqual(addon.findDatasetSync(path('digits/images')), {
    kind: 'store',
    streams: [{ name: 'images', path: path('digits/images'), kind: 'dense' }],
  })
  await assert.rejects(addon.findDataset(path('nothing')), code('store_not_found'))
  assert.throws(() => addon.findDatasetSync(''), code('invalid_argument'))
})

test('a sampler without a seed takes one, and can be made again', () => {
  const sampler = addon.sampler('cyclic', 1000n, 32, undefined, 0, 1)
  const again = addon.sampler('cyclic', 1000n, 32, sampler.seed, 0, 1)
  assert.deepEqual(again.at(2n ** 40n), sampler.at(2n ** 40n))
  const [step, position] = sampler.stepsOf(7n, 0n, 1)
  assert.equal(sampler.at(step)[Number(position)], 7n)
  const { 0: start, 1: end } = sampler.epoch(1n)
  assert.ok(start < end)
  assert.equal(sampler.stepsPerCycle, 31n)
  const halves = [0, 1].flatMap((rank) => [...sampler.shard(rank, 2).at(3n)])
  assert.deepEqual(halves, [...sampler.at(3n)])
  assert.equal(addon.sampler('iid', 10n, 2, 1n, 0, 1).stepsPerCycle, null)
})
