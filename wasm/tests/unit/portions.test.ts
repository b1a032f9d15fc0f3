import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { RecaskError } from '../../ts/errors.js'
import { Files } from '../../ts/files.js'
import { reset } from '../../ts/module.js'
import { inPortions } from '../../ts/portions.js'
import { waited } from '../../ts/waited.js'
import { FakeFiles, FakeSource, startFake } from './fake.js'

beforeEach(() => {
  reset()
  startFake()
})

test('does everything once, in order, and tells how far it is', async () => {
  const seen: number[] = []
  const told: number[] = []
  await inPortions(
    10_000,
    (from, count) => {
      for (let at = from; at < from + count; at += 1) seen.push(at)
      return from + count >= 10_000
    },
    { onProgress: ({ done, total }) => told.push(done, total) },
  )
  assert.deepEqual(seen, Array.from({ length: 10_000 }, (_, at) => at))
  assert.deepEqual(told.slice(-2), [10_000, 10_000])
  assert.ok(told.length > 2)
})

test('nothing to do is done once', async () => {
  const calls: number[][] = []
  await inPortions(0, (from, count) => calls.push([from, count]) === 1)
  assert.deepEqual(calls, [[0, 0]])
})

test('takes less at a time where a portion needs too much', async () => {
  const source = new FakeSource('place', new Map([['a', 1 << 30]]))
  const raw = (await Files.of(source, {})).raw as FakeFiles
  let done = 0
  // A record has 16 KiB, so 64 of them fill the limit of 1 MiB.
  await inPortions(200, (from, count) => {
    raw.read('a', from << 14, (from + count) << 14)
    done += count
    return from + count >= 200
  })
  assert.equal(done, 200)
  assert.ok(source.reads.length >= 4)
  assert.ok(source.reads.flat().every(({ start, end }) => end - start <= 1 << 20))
})

test('one record that is too large is an error', async () => {
  const raw = (await Files.of(new FakeSource('place', new Map([['a', 1 << 30]])), {})).raw as FakeFiles
  const work = inPortions(3, (from, count) => raw.read('a', from << 21, (from + count) << 21).length > 0)
  await assert.rejects(work, (error) => error instanceof RecaskError && error.code === 'limit')
})

test('takes less at a time where the page would stand still', async () => {
  const counts: number[] = []
  await inPortions(3000, (from, count) => {
    counts.push(count)
    const end = performance.now() + 45
    while (performance.now() < end);
    return from + count >= 3000
  })
  assert.deepEqual(counts.slice(0, 3), [1024, 512, 256])
})

test('stops between two portions, and lets others work meanwhile', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  setTimeout(() => controller.abort(reason))
  let portions = 0
  const endless = () => {
    portions += 1
    return false
  }
  await assert.rejects(inPortions(1e12, endless, { signal: controller.signal }), reason)
  assert.ok(portions > 0)
})

test('waiting can be given up, the work goes on', async () => {
  const controller = new AbortController()
  const reason = new Error('no time')
  let finish = (_: number) => {}
  const work = new Promise<number>((resolve) => (finish = resolve))
  const first = waited(work, [undefined, controller.signal])
  const second = waited(work, [])
  controller.abort(reason)
  await assert.rejects(first, reason)
  await assert.rejects(waited(work, [controller.signal]), reason)
  finish(5)
  assert.equal(await second, 5)
})
