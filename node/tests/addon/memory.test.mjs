import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { test } from 'node:test'

import { addon, ALL, code, collected, filled, folder, list, values } from './addon.mjs'

const WIDTH = 1024
const RECORDS = 1000
const BYTES = WIDTH * RECORDS

function store(t, codec = 'raw') {
  const place = folder(t)('store')
  filled(place, RECORDS, WIDTH, codec).closeSync()
  const opened = addon.openStoreSync(place, {})
  t.after(() => opened.closeSync())
  return opened
}

test('results are arrays that JavaScript owns', async (t) => {
  const reader = store(t)
  const first = (await reader.gatherDense(ALL)).bytes
  const second = reader.gatherDenseSync(ALL).bytes
  assert.notEqual(first.buffer, second.buffer)
  first.fill(1)
  assert.deepEqual(second, values(0, RECORDS, WIDTH))
  assert.equal(first.byteOffset, 0)
  assert.equal(first.buffer.byteLength, BYTES)
})

test('a result that is released is empty, and its memory is used again', async (t) => {
  const reader = store(t)
  const { bytes } = await reader.gatherDense(ALL)
  const view = new Float64Array(bytes.buffer)
  const before = addon.memoryUse()
  assert.equal(addon.release(bytes), true)
  assert.deepEqual([bytes.length, view.length], [0, 0])
  const after = addon.memoryUse()
  assert.equal(before.lent - after.lent, BYTES)
  assert.ok(after.kept >= BYTES)
  const next = reader.gatherDenseSync(ALL)
  assert.ok(addon.memoryUse().kept < after.kept)
  assert.deepEqual(next.bytes, values(0, RECORDS, WIDTH))
  // Twice, and what is not of Recask.
  assert.throws(() => addon.release(bytes), code('invalid_argument'))
  const other = new Uint8Array(BYTES)
  assert.equal(addon.release(other), false)
  assert.equal(other.length, BYTES)
})

test('what is collected comes back', async (t) => {
  const reader = store(t)
  await collected(() => false)
  const before = addon.memoryUse().lent
  for (let round = 0; round < 50; round++) await reader.gatherDense(ALL)
  assert.ok(globalThis.gc, 'run with --expose-gc')
  assert.ok(await collected(() => addon.memoryUse().lent <= before), JSON.stringify(addon.memoryUse()))
})

test('a loop that never lets the event loop run does not take ever more memory', (t) => {
  const reader = store(t)
  for (let round = 0; round < 2000; round++) reader.gatherDenseSync(ALL)
  assert.ok(addon.memoryUse().lent <= (512 << 20) + BYTES, JSON.stringify(addon.memoryUse()))
})

test('memory is kept up to a limit', async (t) => {
  const reader = store(t)
  t.after(() => addon.keepMemory(256 << 20))
  addon.keepMemory(0)
  assert.equal(addon.memoryUse().kept, 0)
  addon.release(reader.gatherDenseSync(ALL).bytes)
  assert.equal(addon.memoryUse().kept, 0)
  assert.throws(() => addon.keepMemory(-1), code('invalid_argument'))
})

test('a target that is detached during the call is refused, and nothing else happens', async (t) => {
  const reader = store(t, 'zstd')
  const target = new Uint8Array(BYTES)
  const filling = reader.gatherDenseInto(ALL, target)
  structuredClone(target.buffer, { transfer: [target.buffer] })
  await assert.rejects(filling, code('invalid_argument'))
  assert.throws(() => reader.gatherDenseIntoSync(ALL, target), code('invalid_argument'))
  await assert.rejects(async () => reader.gatherDenseInto(ALL, target), code('invalid_argument'))
})

test('a target of Recask is filled where it is, by one call at a time', async (t) => {
  const reader = store(t, 'zstd')
  const { bytes } = await reader.gatherDense(ALL)
  bytes.fill(0)
  const filling = reader.gatherDenseInto(ALL, bytes)
  assert.throws(() => reader.gatherDenseInto(ALL, bytes), code('invalid_argument'))
  assert.throws(() => reader.gatherDenseIntoSync(ALL, bytes), code('invalid_argument'))
  const half = bytes.subarray(BYTES / 2)
  assert.throws(() => reader.gatherDenseIntoSync([0, RECORDS / 2, 1], half), code('invalid_argument'))
  assert.equal(addon.release(bytes), false)
  await filling
  assert.deepEqual(bytes, values(0, RECORDS, WIDTH))
  await reader.gatherDenseInto([0, RECORDS / 2, 1], half)
  assert.deepEqual(half, values(0, RECORDS / 2, WIDTH))
  // A call that fails gives the array back.
  await assert.rejects(reader.gatherDenseInto(list(RECORDS), bytes.subarray(0, WIDTH)), code('index_out_of_range'))
  assert.equal(addon.release(bytes), true)
})

test('a target of Recask that is collected while it is filled stays until then', async (t) => {
  const reader = store(t, 'zstd')
  const fillings = Array.from({ length: 40 }, () => reader.gatherDenseInto(ALL, reader.gatherDenseSync(ALL).bytes))
  globalThis.gc?.()
  await setTimeout(0)
  globalThis.gc?.()
  await Promise.all(fillings)
})

test('targets have exactly the size of the records', async (t) => {
  const reader = store(t)
  for (const size of [0, BYTES - 1, BYTES + 1]) {
    assert.throws(() => reader.gatherDenseIntoSync(ALL, new Uint8Array(size)), code('buffer_size'))
    await assert.rejects(reader.gatherDenseInto(ALL, new Uint8Array(size)), code('buffer_size'))
  }
  reader.gatherDenseIntoSync(list(), new Uint8Array(0))
  await reader.gatherDenseInto(list(), new Uint8Array(0))
  assert.deepEqual((await reader.gatherDense(list())).shape, list(0, WIDTH))
})

test('what is appended is copied before the call returns', async (t) => {
  const writer = filled(folder(t)('store'), 1, WIDTH)
  const bytes = values(1, 100, WIDTH)
  const appended = writer.appendDense(bytes)
  bytes.fill(0)
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
  await appended
  assert.deepEqual(writer.gatherDenseSync([1, undefined, 1]).bytes, values(1, 100, WIDTH))
  assert.throws(() => writer.appendDense(bytes), code('invalid_argument'))
  assert.throws(() => writer.appendDenseSync(bytes), code('invalid_argument'))
  const shared = new Uint8Array(new SharedArrayBuffer(WIDTH))
  shared.fill(7)
  writer.appendDenseSync(shared)
  assert.equal(await writer.appendDense(shared), 102)
  assert.deepEqual(writer.gatherDenseSync(list(101)).bytes, new Uint8Array(WIDTH).fill(7))
  writer.closeSync()
})

test('no value of a wrong type harms', async (t) => {
  const writer = filled(folder(t)('store'), 4, 2)
  const trap = new Proxy({}, { get: () => { throw new Error('trapped') } })
  const wrong = [undefined, null, 1, 'x', Symbol('x'), 1n, {}, [], [1, 2], [1, 2, 'x'], [1, 2, 0.5], [0, 1, 0], () => 1, trap]
  wrong.push(new Proxy([0, 1, 1], {}), new Int32Array(2), new DataView(new ArrayBuffer(8)), new ArrayBuffer(8), Object.create(writer))
  wrong.push(new Float64Array([NaN]), new Float64Array([Infinity]), new Float64Array([0.5]), Uint8Array.of(1))
  for (const value of wrong) {
    for (const call of [
      () => writer.gatherDense(value),
      () => writer.gatherDenseSync(value),
      () => writer.delete(value),
    ]) {
      await assert.rejects(async () => call(), Error)
    }
    if (!(value instanceof Uint8Array)) assert.throws(() => addon.release(value), code('invalid_argument'))
    for (const call of [
      () => writer.gatherDenseInto(list(0), value),
      () => writer.gatherDenseIntoSync(list(0), value),
      () => writer.appendDense(value),
      () => writer.appendRaggedSync(value, value, value),
      () => addon.createStore(value, value),
      () => addon.createStoreSync('', { kind: 'dense', dtype: value, itemShape: value }),
      () => addon.openStoreSync(value, value),
      () => addon.trainDictionarySync(value, value, value),
      () => addon.sampler(value, value, value, value, value, value),
      () => writer.gatherDense.call(value, list(0)),
      () => addon.NativeStore.prototype.closeSync.call(value),
    ]) {
      await assert.rejects(async () => call(), (error) => error instanceof Error, String(call))
    }
  }
  assert.throws(() => new addon.NativeStore())
  assert.equal(writer.length, 4)
  assert.deepEqual(writer.gatherDenseSync(list(-1)).bytes, values(3, 1, 2))
  writer.closeSync()
})
