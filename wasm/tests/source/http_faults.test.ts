import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'

import type { UrlOptions } from '../../ts/source/http/options.js'
import { ofPositions } from '../server/content.js'
import type { Faults } from '../server/faults.js'
import { bytesOf, failure, folderAt, impatient, lengthOf, need, pattern, server } from './at_hand.js'

const host = await server()
const data = pattern(200_000)
let count = 0

function file(faults: Faults, size = data.length): string {
  const name = `f${count++}`
  host.put(`/${name}`, size === data.length ? data : ofPositions(size), faults)
  host.log.length = 0
  return name
}

async function read(name: string, start: number, end: number, options: UrlOptions = {}): Promise<Uint8Array> {
  return bytesOf((await folderAt(host.origin, options).read([need(name, start, end)]))[0])
}

for (const [what, faults, requests] of [
  ['a connection that is cut', { reset: 2 }, 3],
  ['a status of 503', { status: 503, times: 3 }, 4],
  ['a status of 429', { status: 429, times: 1 }, 2],
  ['a body that breaks off', { truncate: 2 }, 3],
  ['a body that ends early', { chop: 2 }, 3],
] as const) {
  test(`${what} is asked for again`, async () => {
    const name = file(faults)
    assert.deepEqual(await read(name, 100, 150_000), data.slice(100, 150_000))
    assert.equal(host.log.length, requests)
  })

  test(`${what} for ever is an error`, async () => {
    const name = file({
      ...faults,
      ...('times' in faults ? { times: 1e9 } : Object.fromEntries(Object.keys(faults).map((key) => [key, 1e9]))),
    })
    await assert.rejects(read(name, 100, 150_000, { attempts: 3 }), failure('io', new RegExp(name)))
    assert.equal(host.log.length, 3)
  })
}

test('what has arrived of a transfer is not asked for again', async () => {
  const name = file({ truncate: 2 })
  assert.deepEqual(await read(name, 0, 131_072), data.slice(0, 131_072))
  assert.deepEqual(
    host.log.map(({ range }) => range),
    ['bytes=0-131071', 'bytes=65536-131071', 'bytes=98304-131071'],
  )
})

test('waits grow, with chance in them, and Retry-After is respected', async () => {
  const { waits, clock } = impatient()
  await read(file({ status: 500, times: 3 }), 0, 10, { clock })
  assert.deepEqual(waits.splice(0), [187.5, 375, 750])
  await read(file({ status: 503, times: 1, 'retry-after': '7' }), 0, 10, { clock })
  assert.deepEqual(waits.splice(0), [7000])
  await read(file({ status: 429, times: 1, 'retry-after': 'Sat, 01 Jun 2024 00:00:09 GMT' }), 0, 10, { clock })
  assert.deepEqual(waits.splice(0), [9000])
  await assert.rejects(read(file({ status: 503, 'retry-after': '3600' }), 0, 10, { clock }), failure('io', /503/))
  assert.deepEqual(waits, [])
})

test('errors that do not pass are not asked for again', async () => {
  for (const [status, code, word] of [
    [401, 'permission_denied', /401/],
    [403, 'permission_denied', /recask\.json/],
    [400, 'io', /status 400/],
  ] as const) {
    await assert.rejects(read(file({ status }), 0, 10), failure(code, word))
    assert.equal(host.log.length, 1)
  }
})

test('a small file of a host that ignores ranges is read as a whole, once', async () => {
  const name = file({ 'ignore-range': true })
  const source = folderAt(host.origin)
  const brought = await source.read([need(name, 10, 20), need(name, 190_000, 300_000), need(name, 0, 0)])
  assert.deepEqual(brought.slice(0, 2).map(bytesOf), [data.slice(10, 20), data.slice(190_000)])
  assert.deepEqual(brought.map(lengthOf), [200_000, 200_000, 200_000])
  await source.read([need(name, 100_000, 100_001)])
  assert.equal(host.log.length, 1)
})

test('a long file of a host that ignores ranges is an error, and is not downloaded', async () => {
  for (const faults of [{}, { 'no-content-length': true }] as const) {
    const name = file({ 'ignore-range': true, ...faults }, 6 * 1024 ** 3)
    const source = folderAt(host.origin, { whole: 1_000_000 })
    await assert.rejects(source.read([need(name, 10, 20)]), failure('unsupported', /ignores ranges/, new RegExp(name)))
    assert.ok(source.stats().bytes < 3_000_000)
    await new Promise((resolve) => setTimeout(resolve, 30))
    assert.equal(host.log[0]?.isCut, true)
  }
})

test('other bytes than were asked for are refused', async () => {
  await assert.rejects(read(file({ 'wrong-content-range': true }), 0, 10), failure('io', /Content-Range: bytes 1-/))
  assert.equal(host.log.length, 1)
})

test('a wider range than was asked for is refused', async () => {
  const headers = { 'Content-Range': 'bytes 0-199999/200000' }
  const fetch = async () => new Response(data.slice(), { status: 206, headers })
  await assert.rejects(read('any', 0, 10, { fetch }), failure('io', /other bytes than were asked for/))
})

test('more bytes than were asked for are refused', async () => {
  const words = [/65536 were asked for/, /Content-Encoding/] as const
  await assert.rejects(read(file({ longer: 3 }), 0, 10), failure('io', /65539 bytes/, ...words))
  await assert.rejects(read(file({ longer: 3, 'no-content-length': true }), 0, 10), failure('io', /came with more/, ...words))
  assert.equal(host.log.length, 1)
})

test('an encoded range is refused by the name of its encoding; an encoded whole file does no harm', async () => {
  await assert.rejects(read(file({ gzip: true }), 0, 10), failure('unsupported', /Content-Encoding: gzip/))
  assert.equal(host.log.length, 1)
  assert.deepEqual(await read(file({ gzip: true, 'ignore-range': true }), 7, 17), data.slice(7, 17))
})

test('a host that gives less of a range than was asked for is asked for the rest', async () => {
  assert.deepEqual(await read(file({ most: 40_000 }), 0, 131_072, { attempts: 1 }), data.slice(0, 131_072))
  assert.equal(host.log.length, 4)
})

test('a host that does not tell the total is read to its end', async () => {
  const name = file({ 'no-total': true })
  assert.deepEqual(await read(name, 190_000, 250_000), data.slice(190_000))
  assert.equal(lengthOf((await folderAt(host.origin).read([need(name, 0, 0)]))[0]), 200_000)
})

test('without Content-Range full ranges, the end and the length are found all the same', async () => {
  const name = file({ 'no-content-range': true })
  assert.deepEqual(await read(name, 10, 20), data.slice(10, 20))
  const [end] = await folderAt(host.origin).read([need(name, 199_990, 300_000)])
  assert.deepEqual(bytesOf(end), data.slice(199_990))
  assert.equal(lengthOf(end), 200_000)
  assert.equal(lengthOf((await folderAt(host.origin).read([need(name, 0, 0)]))[0]), 200_000)
})

test('what cannot be known without Content-Range names the header that the host has to expose', async () => {
  const words = [/Access-Control-Expose-Headers: Content-Range/] as const
  const dark = file({ 'no-content-range': true, 'no-content-length': true })
  await assert.rejects(read(dark, 199_990, 300_000), failure('unsupported', /ends here/, ...words))
  await assert.rejects(read(dark, 0, 0), failure('unsupported', /its length/, ...words))
  await assert.rejects(read(file({ 'no-content-range': true }), 300_000, 300_010), failure('unsupported', ...words))
})

test('a host that refuses bytes which it has is an error', async () => {
  const other = createServer((_, response) => response.writeHead(416, { 'Content-Range': 'bytes */500' }).end())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  await assert.rejects(folderAt(`http://127.0.0.1:${port}`).read([need('a', 0, 10)]), failure('io', /416/, /500 bytes/))
  other.close()
})

test('an address where nobody answers is an error that says so', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  await new Promise((resolve) => other.close(resolve))
  await assert.rejects(
    folderAt(`http://127.0.0.1:${port}`).read([need('a', 0, 10)]),
    failure('io', /cannot be reached/, /network/, /Content-Encoding/),
  )
})

test('across origins a failure names both the network and what the host has to allow', async () => {
  const place = Object.getOwnPropertyDescriptor(globalThis, 'location')
  Object.defineProperty(globalThis, 'location', { configurable: true, value: new URL('https://page.example/data/') })
  const fetch = () => Promise.reject(new TypeError('Failed to fetch'))
  try {
    const words = [/network/, /https:\/\/page\.example/, /CORS/, /Access-Control-Allow-Origin/] as const
    await assert.rejects(folderAt(host.origin, { fetch }).read([need('a', 0, 1)]), failure('io', ...words))
    await assert.rejects(folderAt('images', { fetch }).read([need('a', 0, 1)]), (error) => {
      assert.doesNotMatch((error as Error).message, /CORS/)
      return failure('io', /page\.example\/data\/images\/a/)(error)
    })
  } finally {
    if (place) Object.defineProperty(globalThis, 'location', place)
    else Reflect.deleteProperty(globalThis, 'location')
  }
})

test('where a host redirects to is remembered, until it is refused there', async () => {
  const name = file({ redirect: true, 'redirect-expires': 2 })
  const source = folderAt(host.origin, { cache: { block: 1000 } })
  for (let at = 0; at < 5; at++) {
    assert.deepEqual(
      bytesOf((await source.read([need(name, at * 5000, at * 5000 + 10)]))[0]),
      data.slice(at * 5000, at * 5000 + 10),
    )
  }
  const asked = host.log.map(({ query, status }) => `${query} ${status}`)
  const expected = [
    ' 302',
    '?moved=0 206',
    '?moved=0 206',
    '?moved=0 403',
    ' 302',
    '?moved=4 206',
    '?moved=4 206',
    '?moved=4 403',
    ' 302',
    '?moved=8 206',
  ]
  assert.deepEqual(asked, expected)
})

test('tokens are sent with every request, and not to where another host redirects', async () => {
  const name = file({})
  let token = 0
  const headers = async () => ({ Authorization: `token ${(token += 1)}` })
  const source = folderAt(host.origin, { headers, cache: { block: 1000 } })
  await source.read([need(name, 0, 10)])
  await source.read([need(name, 5000, 5010)])
  assert.deepEqual(
    host.log.map(({ authorization }) => authorization),
    ['token 1', 'token 2'],
  )

  const front = createServer((request, response) => response.writeHead(302, { Location: host.origin + request.url }).end())
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const { port } = front.address() as { port: number }
  host.log.length = 0
  const redirected = folderAt(`http://127.0.0.1:${port}`, { headers, cache: { block: 1000 } })
  await redirected.read([need(name, 0, 10)])
  await redirected.read([need(name, 5000, 5010)])
  assert.deepEqual(
    host.log.map(({ authorization }) => authorization),
    [undefined, undefined],
  )
  front.close()
})

test('a fetch of the caller is used, and need not stream', async () => {
  const fetch = async (url: string, init: RequestInit) => {
    assert.equal(url, 'https://host.example/data/a')
    assert.equal((init.headers as Headers).get('Range'), 'bytes=0-65535')
    const response = new Response(data.slice(0, 50), { status: 206, headers: { 'Content-Range': 'bytes 0-49/50' } })
    Object.defineProperty(response, 'body', { value: null })
    return response
  }
  const [brought] = await folderAt('https://host.example/data', { fetch }).read([need('a', 40, 60)])
  assert.deepEqual(bytesOf(brought), data.slice(40, 50))
})
