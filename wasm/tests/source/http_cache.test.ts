import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { clock } from '../../ts/source/http/clock.js'
import { ofPositions } from '../server/content.js'
import { bytesOf, failure, folderAt, need, pattern, server, until } from './at_hand.js'

const host = await server()
const data = pattern(100_000)
host.put('/a', data)
host.put('/b', data)
host.put('/slow', data, { delay: 50 })
host.put('/hang', data, { hang: true })
host.put('/huge', ofPositions(6 * 1024 ** 3))
const small = { cache: { block: 1000, bytes: 10_000 } }

/** A source that knows that its host has ranges. */
async function warm(options = {}) {
  const source = folderAt(host.origin, { ...small, ...options })
  await source.read([need('b', 0, 1)])
  host.log.length = 0
  return source
}

test('what was read is not asked for again', async () => {
  const source = await warm()
  await source.read([need('a', 1500, 3500)])
  await source.read([need('a', 1000, 4000), need('a', 2000, 2001)])
  assert.equal(host.log.length, 1)
})

test('the cache never exceeds its limit, and what was used last stays', async () => {
  const source = await warm()
  for (let at = 0; at < 50; at++) {
    await source.read([need('a', at * 1000, at * 1000 + 10), need('a', 0, 10)])
    assert.ok(source.stats().cachedBytes <= 10_000)
  }
  assert.equal(source.stats().cachedBytes, 10_000)
  host.log.length = 0
  await source.read([need('a', 0, 10), need('a', 49_000, 49_010)])
  assert.equal(host.log.length, 0)
  await source.read([need('a', 1000, 1010)])
  assert.equal(host.log.length, 1)
})

test('more than the cache holds is read all the same', async () => {
  const source = await warm()
  assert.deepEqual(bytesOf((await source.read([need('a', 0, 100_000)]))[0]), data)
  assert.equal(source.stats().cachedBytes, 10_000)
  const without = folderAt(host.origin, { cache: { bytes: 0, block: 1000 } })
  assert.deepEqual(bytesOf((await without.read([need('a', 10, 5000)]))[0]), data.slice(10, 5000))
  assert.equal(without.stats().cachedBytes, 0)
})

test('blocks in the cache keep nothing else alive', async () => {
  const source = await warm()
  await source.read([need('a', 0, 8000)])
  const [brought] = await source.read([need('a', 2500, 2510)])
  assert.equal(bytesOf(brought).buffer.byteLength, 1000)
})

test('two calls at a time share the blocks that both want', async () => {
  const source = await warm()
  const [one, other] = await Promise.all([source.read([need('slow', 0, 3000)]), source.read([need('slow', 2000, 5000)])])
  assert.deepEqual(bytesOf(one[0]), data.slice(0, 3000))
  assert.deepEqual(bytesOf(other[0]), data.slice(2000, 5000))
  assert.deepEqual(
    host.log.map(({ range }) => range),
    ['bytes=0-2999', 'bytes=3000-4999'],
  )
})

test('folders of one source share cache and limits', async () => {
  host.put('/sub/f', data)
  const source = await warm()
  await source.folder('sub').read([need('f', 0, 10)])
  await source.folder('sub').read([need('f', 0, 10)])
  assert.equal(host.log.length, 1)
})

test('a call that is aborted ends at once with the reason of its signal, and so does its request', async () => {
  const source = await warm()
  const stop = new AbortController()
  const reason = new Error('not wanted any more')
  const reading = source.read([need('hang', 0, 10)], stop.signal)
  await until(() => host.log.length === 1)
  stop.abort(reason)
  await assert.rejects(reading, (error) => error === reason)
  await until(() => host.log[0]?.isCut === true)
  await assert.rejects(source.read([need('a', 0, 10)], stop.signal), (error) => error === reason)
})

test('a call that is aborted in the middle of a body ends at once, too', async () => {
  host.put('/drip', data, { slow: 60_000 })
  const source = await warm()
  const stop = new AbortController()
  const reading = source.read([need('drip', 0, 10)], stop.signal)
  await until(() => host.log.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  stop.abort(new Error('stopped'))
  await assert.rejects(reading, /^Error: stopped/)
  await until(() => source.stats().log.at(-1)?.bytes === 500)
})

test('an aborted call leaves the request to another that waits for it', async () => {
  const source = await warm()
  const stop = new AbortController()
  const one = source.read([need('slow', 20_000, 20_010)], stop.signal)
  const other = source.read([need('slow', 20_000, 20_010)])
  await until(() => host.log.length === 1)
  stop.abort()
  await assert.rejects(one, { name: 'AbortError' })
  assert.deepEqual(bytesOf((await other)[0]), data.slice(20_000, 20_010))
  assert.equal(host.log.length, 1)
})

test('after an abort the same blocks can be read', async () => {
  const source = await warm()
  const stop = new AbortController()
  const one = source.read([need('slow', 30_000, 30_010)], stop.signal)
  await until(() => host.log.length === 1)
  stop.abort()
  const other = source.read([need('slow', 30_000, 30_010)])
  await assert.rejects(one, { name: 'AbortError' })
  assert.deepEqual(bytesOf((await other)[0]), data.slice(30_000, 30_010))
})

test('the signal of a source ends all its calls, also while they wait to try again', async () => {
  const stop = new AbortController()
  host.put('/busy', data, { status: 503 })
  let waiting = () => {}
  const waits = new Promise<void>((resolve) => (waiting = resolve))
  const patient = { ...clock, sleep: (_: number, signal: AbortSignal) => (waiting(), clock.sleep(60_000, signal)) }
  const source = folderAt(host.origin, { signal: stop.signal, clock: patient })
  const reading = source.read([need('busy', 0, 10)])
  await waits
  stop.abort(new Error('the page is left'))
  await assert.rejects(reading, /the page is left/)
})

test('where one file fails, the others are not waited for', async () => {
  host.put('/no', data, { status: 403 })
  const source = await warm()
  await assert.rejects(source.read([need('hang', 50_000, 50_010), need('no', 0, 10)]), failure('permission_denied'))
  await until(() => host.log.some(({ path, isCut }) => path === '/hang' && isCut))
})

test('a failure is not remembered', async () => {
  host.put('/once', data, { status: 403, times: 1 })
  const source = await warm()
  await assert.rejects(source.read([need('once', 0, 10)]), failure('permission_denied'))
  assert.deepEqual(bytesOf((await source.read([need('once', 0, 10)]))[0]), data.slice(0, 10))
})

test('reading six gibibytes here and there keeps to the limit of the cache', async () => {
  const source = folderAt(host.origin, { cache: { bytes: 1024 * 1024 } })
  for (let round = 0; round < 5; round++) {
    const at = Array.from({ length: 20 }, (_, one) => one * 3e8 + round * 1e7).map((start) => start - (start % 8))
    const brought = await source.read(at.map((start) => need('huge', start, start + 8)))
    brought.forEach((one, position) => {
      assert.equal(new DataView(bytesOf(one).slice().buffer).getBigUint64(0, true), BigInt(at[position] ?? -1))
    })
    assert.ok(source.stats().cachedBytes <= 1024 * 1024)
  }
})

test('any reads, in any order and at the same time, bring the bytes of the file', async () => {
  const range = fc.tuple(fc.nat(1100), fc.nat(400)).map(([start, length]) => [start, start + length] as const)
  const reads = fc.array(fc.array(fc.tuple(fc.nat(2), range), { maxLength: 6 }), { maxLength: 5 })
  const settings = fc.record({ block: fc.integer({ min: 1, max: 300 }), bytes: fc.integer({ min: 0, max: 2000 }) })
  await fc.assert(
    fc.asyncProperty(settings, reads, fc.constantFrom(0, 1, 50, 1000), fc.boolean(), async (cache, calls, size, together) => {
      const files = [0, 1, 2].map((file) => pattern(size + 1000).slice(file * 7, file * 7 + size))
      let held = 0
      let requests = 0
      const fetch = async (url: string, { headers }: RequestInit) => {
        requests += 1
        const bytes = files[Number(url.at(-1))] as Uint8Array
        const [start = 0, last = 0] = ((headers as Headers).get('Range') ?? '').match(/\d+/g)?.map(Number) ?? []
        await new Promise((resolve) => setImmediate(resolve))
        if (start >= bytes.length)
          return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${bytes.length}` } })
        const part = bytes.slice(start, last + 1)
        const shown = `bytes ${start}-${start + part.length - 1}/${bytes.length}`
        return new Response(part, { status: 206, headers: { 'Content-Range': shown, ETag: '"1"' } })
      }
      const source = folderAt('https://host.example', { cache, fetch })
      const call = async (wanted: (typeof calls)[number]) => {
        const brought = await source.read(wanted.map(([file, [start, end]]) => need(String(file), start, end)))
        wanted.forEach(([file, [start, end]], position) => {
          const one = brought[position]
          assert.deepEqual(bytesOf(one), files[file]?.slice(start, end))
          assert.equal(one && 'length' in one && one.length, size)
        })
        held = Math.max(held, source.stats().cachedBytes)
      }
      if (together) await Promise.all(calls.map(call))
      else for (const wanted of calls) await call(wanted)
      assert.ok(held <= cache.bytes)
      assert.equal(source.stats().requests, requests)
      const before = requests
      if (cache.bytes >= 3 * 1000) await Promise.all(calls.map(call))
      if (cache.bytes >= 3 * 1000) assert.equal(requests, before)
    }),
    { numRuns: 150 },
  )
})
