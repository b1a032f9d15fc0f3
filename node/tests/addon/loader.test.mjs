import assert from 'node:assert/strict'
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { describe, test } from 'node:test'

import { addon, ALL, code, filled, folder, list } from './addon.mjs'
import { longs, range, weather } from './tables.mjs'

/** A store of images, one of lists and a table, of `count` records each; and streams of them. */
function dataset(test, count = 100, codec = 'raw') {
  const at = folder(test)
  filled(at('images'), count, 7, codec).closeSync()
  const lists = addon.createStoreSync(at('lists'), { kind: 'ragged', dtype: 'uint8', codec })
  for (const record of range(count)) lists.appendRaggedSync(new Uint8Array((record % 5) + 1).fill(record), list((record % 5) + 1), Uint8Array.of(1))
  lists.closeSync()
  weather(at('weather.cstore'), count, 30)
  const [images, ragged] = [addon.openStoreSync(at('images'), {}), addon.openStoreSync(at('lists'), {})]
  const table = addon.openTablesSync([at('weather.cstore')])
  const streams = () => {
    const streams = new addon.NativeStreams()
    streams.addStore('image', images)
    streams.addStore('list', ragged)
    streams.addSelection('weather', table.all().select(['id']))
    return streams
  }
  return { at, images, ragged, table, streams }
}

const plain = { batch: 8, seed: 5n, onLoss: 'fail' }

function checks({ indices, streams, losses }) {
  const [image, ragged, weather] = streams
  assert.deepEqual([image.name, image.kind, image.dtype, ...image.shape], ['image', 'dense', '|u1', indices.length, 7])
  assert.deepEqual([ragged.name, ragged.kind, ragged.dtype], ['list', 'ragged', '|u1'])
  assert.deepEqual([weather.name, weather.kind, weather.length], ['weather', 'table', indices.length])
  assert.deepEqual(longs(weather.columns, 'id'), [...indices].map(BigInt))
  indices.forEach((index, position) => {
    const record = Number(index)
    assert.deepEqual([...image.bytes.subarray(position * 7, position * 7 + 7)], range(7).map((at) => (record + at) % 256))
    const [start, end] = ragged.offsets.subarray(position, position + 2)
    assert.deepEqual([...ragged.bytes.subarray(start, end)], Array((record % 5) + 1).fill(record))
    assert.deepEqual([ragged.extents[position], ragged.ranks[position]], [(record % 5) + 1, 1])
  })
  assert.deepEqual(losses, [])
}

describe('the loader', () => {
  for (const mode of ['sequential', 'cyclic', 'iid', 'iid_seek']) {
    test(`delivers the records of the sampler: ${mode}`, async (test) => {
      const { streams } = dataset(test)
      const [rank, world] = [1, 2]
      const sampler = addon.sampler(mode, 100n, 8, 5n, rank, world)
      const options = { ...plain, mode, rank, world }
      const [one, other] = [await addon.loader(streams(), options), addon.loaderSync(streams(), { ...options, threads: 0, prefetch: 0 })]
      for (let step = 0n; step < 40n; step += 1n) {
        const batches = [await one.next(), other.nextSync()]
        for (const batch of batches) {
          assert.equal(batch.step, step)
          assert.deepEqual(batch.indices, sampler.at(step))
          checks(batch)
        }
      }
      assert.deepEqual([one.sampler().mode, one.sampler().seed, one.sampler().rank], [mode, 5n, 1])
      assert.equal(one.state(), other.state())
      await Promise.all([one.close(), other.close()])
    })
  }

  test('goes on where a state was taken, to the byte', async (test) => {
    const { streams } = dataset(test, 100, 'zstd')
    const first = await addon.loader(streams(), { ...plain, end: 30n })
    for (const _ of range(11)) await first.next()
    const state = first.state()
    assert.equal(addon.readState(state).step, 11n)
    assert.equal(addon.readState(state).text, state)
    assert.deepEqual(addon.samplerOfState(state, 0, 1).at(11n), first.sampler().at(11n))
    const resumed = await addon.loader(streams(), { batch: 8, state, end: 30n })
    for (;;) {
      const [one, other] = [await first.next(), await resumed.next()]
      assert.deepEqual(other, one)
      if (one === null) break
    }
    assert.equal(resumed.state(), first.state())
    assert.equal(addon.readState(first.state()).step, 30n)
    assert.equal(await first.next(), null)
    assert.throws(() => addon.readState('nonsense'), /^Error: recask:/)
    await assert.rejects(async () => addon.loader(streams(), { batch: 8, state: 'nonsense' }), /^Error: recask:/)
  })

  test('refuses a state of other data, and streams that do not fit together', async (test) => {
    const { streams, images, at } = dataset(test)
    const state = addon.loaderSync(streams(), plain).state()
    filled(at('fewer'), 99, 7).closeSync()
    const fewer = addon.openStoreSync(at('fewer'), {})
    const other = new addon.NativeStreams()
    other.addStore('image', fewer)
    await assert.rejects(addon.loader(other, { batch: 8, state }), code('state_mismatch'))
    assert.throws(() => addon.loaderSync(other, { batch: 8, state }), code('invalid_argument'), 'they were taken')
    other.addStore('image', fewer)
    other.addStore('more', images)
    await assert.rejects(addon.loader(other, plain), code('shape_mismatch'))
    assert.throws(() => addon.loaderSync(new addon.NativeStreams(), plain), code('invalid_argument'))
    for (const wrong of [{ batch: 0 }, { batch: 0.5 }, { mode: 'none' }, { onLoss: 'none' }, { seed: -1n }, { prefetch: -1 }, { rank: 2 }]) {
      assert.throws(() => addon.loaderSync(streams(), { ...plain, ...wrong }), code('invalid_argument'), Object.keys(wrong)[0])
    }
    const writer = addon.openStoreSync(at('fewer'), { write: true })
    assert.throws(() => new addon.NativeStreams().addStore('image', writer), code('invalid_argument'))
  })

  test('goes to another step, also back', async (test) => {
    const { streams } = dataset(test)
    const loader = await addon.loader(streams(), { ...plain, step: 3n })
    const third = await loader.next()
    assert.equal(third.step, 3n)
    await loader.seek(100n)
    assert.equal((await loader.next()).step, 100n)
    loader.seekSync(3n)
    assert.equal(addon.readState(loader.state()).step, 3n)
    assert.deepEqual(loader.nextSync(), third)
    assert.throws(() => loader.seek(-1n), code('invalid_argument'))
  })

  test('goes on with streams that were closed, and ends a waiting call when it is closed itself', async (test) => {
    const { streams, images, ragged, table } = dataset(test)
    const loader = await addon.loader(streams(), plain)
    await Promise.all([images.close(), ragged.close(), table.close()])
    for (const _ of range(20)) checks(await loader.next())
    const waiting = range(50).map(() => loader.next())
    const closing = loader.close()
    for (const batch of await Promise.all(waiting)) if (batch !== null) checks(batch)
    await closing
    await loader.close()
    loader.closeSync()
    assert.throws(() => loader.next(), code('invalid_argument'))
    assert.throws(() => loader.nextSync(), code('invalid_argument'))
    assert.throws(() => loader.seek(1n), code('invalid_argument'))
  })

  test('waits in any number beside other calls, and none of them is stuck', async (test) => {
    const { streams, images } = dataset(test)
    const loaders = await Promise.all(range(12).map(() => addon.loader(streams(), plain)))
    const calls = range(20).flatMap(() => [...loaders.map((loader) => loader.next()), images.gatherDense(ALL)])
    await Promise.all(calls)
    for (const loader of loaders) assert.equal(addon.readState(loader.state()).step, 20n)
    await Promise.all(loaders.map((loader) => loader.close()))
  })

  test('ends at a record that cannot be read, and goes on elsewhere; or leaves it out', async (test) => {
    const { at, streams } = dataset(test, 100, 'zstd')
    const chunk = openSync(at('images/0.chunk'), 'r+')
    // All images take the same room; the frame of number 50 begins with anything now.
    writeSync(chunk, new Uint8Array(4), 0, 4, (fstatSync(chunk).size / 100) * 50)
    closeSync(chunk)
    const options = { ...plain, mode: 'sequential', batch: 10, onLoss: 'skip_steps' }
    const lost = { code: 'corrupt_record', stream: 'image', record: 50 }

    const leaving = await addon.loader(streams(), { ...options, end: 10n })
    const told = []
    const steps = []
    for (let batch = await leaving.next(); batch; batch = await leaving.next()) {
      steps.push(Number(batch.step))
      told.push(...batch.losses)
    }
    assert.deepEqual(steps, range(10, (step) => step !== 5))
    assert.deepEqual(told.map(picked), [{ ...lost, step: 5n }])
    await leaving.seek(5n)
    assert.deepEqual([(await leaving.next()).step, leaving.losses()], [6n, []])

    const skipping = await addon.loader(streams(), { ...options, onLoss: 'skip_records', step: 5n, end: 6n })
    const batch = await skipping.next()
    assert.deepEqual([...batch.indices], range(10).slice(1).map((at) => BigInt(50 + at)))
    assert.deepEqual(batch.losses.map(picked), [{ ...lost, step: 5n }])

    const failing = await addon.loader(streams(), { ...options, step: 5n, end: 6n })
    assert.equal(await failing.next(), null)
    assert.deepEqual(failing.losses().map(picked), [{ ...lost, step: 5n }])
    assert.deepEqual(failing.losses(), [])
  })

  test('ends with the error of its step, and goes on from another', async (test) => {
    const { at, streams } = dataset(test, 1000, 'zstd')
    const loader = await addon.loader(streams(), { ...plain, mode: 'sequential', batch: 10 })
    const chunk = openSync(at('images/0.chunk'), 'r+')
    writeSync(chunk, new Uint8Array(4), 0, 4, (fstatSync(chunk).size / 1000) * 503)
    closeSync(chunk)
    for (const step of range(50)) assert.equal((await loader.next()).step, BigInt(step))
    await assert.rejects(loader.next(), (error) => {
      assert.deepEqual(picked(JSON.parse(error.message.slice('recask:'.length))), { code: 'corrupt_record', stream: 'image', record: 503, step: '50' })
      return true
    })
    assert.equal(await loader.next(), null)
    assert.equal(addon.readState(loader.state()).step, 50n)
    await loader.seek(51n)
    assert.equal((await loader.next()).step, 51n)
    await loader.close()
    await assert.rejects(async () => loader.seek(0n), code('invalid_argument'))
  })
})

function picked({ code, stream, record, step }) {
  return { code, stream, record, step }
}
