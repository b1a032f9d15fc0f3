import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Faults } from '../server/faults.js'
import { bytesOf, failure, folderAt, need, pattern, server } from './at_hand.js'

const host = await server()
const data = pattern(100_000)
let count = 0

/** A file of its own, with faults. */
function file(faults: Faults): string {
  const name = `f${count++}`
  host.put(`/${name}`, data, faults)
  host.log.length = 0
  return name
}

const small = { cache: { block: 1000 } }

for (const [what, faults] of Object.entries<Faults>({
  'a strong ETag': {},
  'a weak ETag': { 'weak-etag': true },
  'only Last-Modified': { 'no-etag': true },
  'only an ETag': { 'no-modified': true },
})) {
  test(`a file that changes between two requests is an error with ${what}`, async () => {
    const name = file({ ...faults, 'change-after': 2 })
    const source = folderAt(host.origin, small)
    await source.read([need(name, 0, 10)])
    await source.read([need(name, 5000, 5010)])
    await assert.rejects(
      source.read([need(name, 9000, 9010)]),
      failure('source_changed', new RegExp(name), /open its place again/),
    )
  })
}

test('without validators a file of another length is an error', async () => {
  const name = file({ 'no-etag': true, 'no-modified': true, 'grow-after': 1 })
  const source = folderAt(host.origin, small)
  await source.read([need(name, 0, 10)])
  await assert.rejects(
    source.read([need(name, 5000, 5010)]),
    failure('source_changed', /had 100000 bytes and now has 100001/),
  )
})

test('a file that is removed between two requests is an error', async () => {
  const name = file({ 'gone-after': 1 })
  const source = folderAt(host.origin, small)
  await source.read([need(name, 0, 10)])
  await assert.rejects(source.read([need(name, 5000, 5010)]), failure('source_changed', /not there any more/))
})

test('two first requests at a time must tell of the same file', async () => {
  const other = file({})
  const name = file({ 'change-after': 1 })
  const source = folderAt(host.origin, small)
  await source.read([need(other, 0, 1)])
  await assert.rejects(source.read([need(name, 0, 10), need(name, 5000, 5010)]), failure('source_changed'))
})

test('a changed file is never read as a mixture, from the cache neither, until it is opened again', async () => {
  const name = file({ 'change-after': 1 })
  const source = folderAt(host.origin, small)
  assert.deepEqual(bytesOf((await source.read([need(name, 0, 10)]))[0]), data.slice(0, 10))
  const changed = failure('source_changed')
  await assert.rejects(source.read([need(name, 5000, 5010)]), changed)
  assert.equal(source.stats().cachedBytes, 0)
  const { requests } = source.stats()
  await assert.rejects(source.read([need(name, 0, 10)]), changed)
  assert.equal(source.stats().requests, requests)
  const again = source.reopened()
  const now = data.map((byte) => byte ^ 0xff)
  const brought = await again.read([need(name, 0, 10), need(name, 5000, 5010)])
  assert.deepEqual(brought.map(bytesOf), [now.slice(0, 10), now.slice(5000, 5010)])
  await assert.rejects(source.read([need(name, 0, 10)]), changed)
})

test('a place that is opened again asks for each file once, and finds its blocks where nothing changed', async () => {
  const name = file({})
  const source = folderAt(host.origin, small)
  await source.read([need(name, 0, 9000)])
  const again = source.reopened()
  await again.read([need(name, 20_000, 20_001)])
  const { requests } = source.stats()
  assert.deepEqual(bytesOf((await again.read([need(name, 0, 9000)]))[0]), data.slice(0, 9000))
  assert.equal(source.stats().requests, requests)
})

test('later requests carry a strong validator in If-Range, and no other', async () => {
  for (const [faults, pattern] of [
    [{}, /^"[0-9a-f]+"$/],
    [{ 'no-etag': true }, /^Mon, 01 Jan 2024/],
    [{ 'weak-etag': true }, undefined],
    [{ 'no-etag': true, 'no-modified': true }, undefined],
  ] as const) {
    const name = file(faults)
    const source = folderAt(host.origin, small)
    await source.read([need(name, 0, 10)])
    await source.read([need(name, 5000, 5010)])
    assert.equal(host.log[0]?.ifRange, undefined)
    if (pattern) assert.match(host.log[1]?.ifRange ?? '', pattern)
    else assert.equal(host.log[1]?.ifRange, undefined)
  }
})

test('a date is no strong validator where the file may have changed within its second', async () => {
  const now = new Date().toUTCString()
  const asked: Headers[] = []
  const fetch = async (_: string, { headers }: RequestInit) => {
    asked.push(headers as Headers)
    const [, start, last] = /bytes=(\d+)-(\d+)/.exec((headers as Headers).get('Range') ?? '') as unknown as [
      string,
      string,
      string,
    ]
    const range = `bytes ${start}-${last}/100000`
    return new Response(data.slice(Number(start), Number(last) + 1), {
      status: 206,
      headers: { 'Content-Range': range, 'Last-Modified': now, Date: now },
    })
  }
  const source = folderAt('https://host.example/', { ...small, fetch })
  await source.read([need('a', 0, 10)])
  await source.read([need('a', 5000, 5010)])
  assert.equal(asked[1]?.has('If-Range'), false)
})

test('a host that answers If-Range with the same file as a whole has not changed it', async () => {
  const name = file({})
  const source = folderAt(host.origin, small)
  await source.read([need(name, 0, 10)])
  host.setFaults(`/${name}`, { 'ignore-range': true })
  assert.deepEqual(bytesOf((await source.read([need(name, 5000, 5010)]))[0]), data.slice(5000, 5010))
})

test('a whole file in answer to If-Range without the same validators is another file', async () => {
  const name = file({ 'no-etag': true })
  const source = folderAt(host.origin, small)
  await source.read([need(name, 0, 10)])
  host.setFaults(`/${name}`, { 'ignore-range': true, 'no-etag': true, 'no-modified': true })
  await assert.rejects(source.read([need(name, 5000, 5010)]), failure('source_changed'))
})

test('a transfer that breaks off is not continued in a file that changed meanwhile', async () => {
  const name = file({ truncate: 1, 'change-after': 1 })
  await assert.rejects(folderAt(host.origin).read([need(name, 0, 50_000)]), failure('source_changed'))
})

test('across origins If-Range, which needs leave, is not sent, and a change is an error all the same', async () => {
  const place = Object.getOwnPropertyDescriptor(globalThis, 'location')
  const pageAt = (address: string) =>
    Object.defineProperty(globalThis, 'location', { configurable: true, value: new URL(address) })
  try {
    pageAt('https://page.example/')
    const name = file({ 'change-after': 2 })
    const source = folderAt(host.origin, small)
    for (const start of [0, 5000]) {
      assert.deepEqual(bytesOf((await source.read([need(name, start, start + 10)]))[0]), data.slice(start, start + 10))
    }
    assert.deepEqual(
      host.log.map(({ ifRange }) => ifRange),
      [undefined, undefined],
    )
    await assert.rejects(source.read([need(name, 9000, 9010)]), failure('source_changed'))
    pageAt(`${host.origin}/index.html`)
    const own = folderAt('/', small)
    const other = file({})
    await own.read([need(other, 0, 10)])
    await own.read([need(other, 5000, 5010)])
    assert.notEqual(host.log[1]?.ifRange, undefined)
  } finally {
    if (place) Object.defineProperty(globalThis, 'location', place)
    else Reflect.deleteProperty(globalThis, 'location')
  }
})
