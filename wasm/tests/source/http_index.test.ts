import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { RawModule } from '../../ts/raw.js'
import { failure, folderAt, lengthOf, need, pattern, server } from './at_hand.js'

const host = await server()
const parseIndex: RawModule['parseIndex'] = (text) => JSON.parse(new TextDecoder().decode(text)).streams
const store = { 'store.zr': 73, 'meta.zr': 64, '0.chunk': 784 }
const streams = [
  { name: 'flights', kind: 'table', path: 'tables/flights.cstore', files: { 'flights.cstore': 4096 } },
  { name: 'images', kind: 'dense', path: 'images', files: store },
  { name: 'deep', kind: 'ragged', path: 'train/very/deep', files: { 'store.zr': 1 } },
]

function put(path: string, content: unknown): void {
  host.put(`${path}/recask.json`, new TextEncoder().encode(JSON.stringify(content)))
  host.log.length = 0
}

test('a folder with a listing is known with all its streams after one request', async () => {
  put('/data', { streams })
  const source = folderAt(`${host.origin}/data?sig=1`)
  const options = { parseIndex, searching: true }
  assert.deepEqual(await source.list(options), { files: new Map(), folders: ['tables', 'images', 'train'] })
  assert.deepEqual(await source.folder('images').list({ parseIndex }), { files: new Map(Object.entries(store)), folders: [] })
  assert.deepEqual(await source.folder('tables').list(options), { files: new Map([['flights.cstore', 4096]]), folders: [] })
  assert.deepEqual(await source.folder('train').list(options), { files: new Map(), folders: ['very'] })
  assert.deepEqual(await source.folder('train/very').folder('deep').list(), {
    files: new Map([['store.zr', 1]]),
    folders: [],
  })
  assert.deepEqual(await source.file('tables/flights.cstore').list(), {
    files: new Map([['table.cstore', 4096]]),
    folders: [],
  })
  assert.equal(await source.folder('other').list(options), undefined)
  assert.deepEqual(
    host.log.map(({ path, query }) => path + query),
    ['/data/recask.json?sig=1'],
  )
})

test('a folder that is a store lists it', async () => {
  put('/store', { streams: [{ name: 'store', kind: 'dense', path: '.', files: store }] })
  assert.deepEqual(await folderAt(`${host.origin}/store`, { index: true }).list({ parseIndex }), {
    files: new Map(Object.entries(store)),
    folders: [],
  })
})

test('the listing is asked for only by who searches, or where there is one by promise', async () => {
  put('/data', { streams })
  const read = async (index: boolean | 'auto', searching: boolean) => {
    host.log.length = 0
    const listing = await folderAt(`${host.origin}/data`, { index }).list({ parseIndex, searching })
    return [listing !== undefined, host.log.length]
  }
  assert.deepEqual(await read('auto', false), [false, 0])
  assert.deepEqual(await read('auto', true), [true, 1])
  assert.deepEqual(await read(true, false), [true, 1])
  assert.deepEqual(await read(false, true), [false, 0])
  assert.equal(await folderAt(`${host.origin}/data`).list({ searching: true }), undefined)
  assert.equal(await folderAt(`${host.origin}/data/x.cstore`).list({ parseIndex, searching: true }), undefined)
})

test('a folder without a listing has none, and says so where it was promised', async () => {
  const options = { parseIndex, searching: true }
  host.log.length = 0
  const source = folderAt(`${host.origin}/nothing`)
  assert.equal(await source.list(options), undefined)
  assert.equal(await source.list(options), undefined)
  assert.equal(host.log.length, 1)
  await assert.rejects(
    folderAt(`${host.origin}/nothing`, { index: true }).list(options),
    failure('invalid_source', /recask index/),
  )
})

test('callers at the same time ask for the listing once, and a failure is not remembered', async () => {
  put('/busy', { streams })
  host.setFaults('/busy/recask.json', { status: 403, times: 1 })
  const source = folderAt(`${host.origin}/busy`)
  const options = { parseIndex, searching: true }
  const both = await Promise.allSettled([source.list(options), source.folder('images').list(options)])
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(host.log.length, 1)
  assert.equal((await source.list(options))?.folders.length, 3)
})

test('an aborted caller leaves the listing to others', async () => {
  put('/slow', { streams })
  host.setFaults('/slow/recask.json', { delay: 50 })
  const source = folderAt(`${host.origin}/slow`)
  const stop = new AbortController()
  const one = source.list({ parseIndex, searching: true, signal: stop.signal })
  const other = source.list({ parseIndex, searching: true })
  stop.abort()
  await assert.rejects(one, { name: 'AbortError' })
  assert.equal((await other)?.folders.length, 3)
})

test('a long listing is read to its end, one that is too long is refused', async () => {
  const many = Array.from({ length: 3000 }, (_, at) => ({ name: `s${at}`, kind: 'dense', path: `s${at}`, files: store }))
  put('/many', { streams: many })
  const listing = await folderAt(`${host.origin}/many`, { index: true }).list({ parseIndex })
  assert.equal(listing?.folders.length, 3000)
  assert.equal(host.log.length, 2)
  host.put('/huge/recask.json', { size: 17 * 1024 * 1024, read: (start, end) => new Uint8Array(end - start) })
  await assert.rejects(
    folderAt(`${host.origin}/huge`, { index: true }).list({ parseIndex }),
    failure('too_large', /17825792/),
  )
})

test('a file of another length than is listed was changed after the listing was written', async () => {
  put('/stale', { streams: [{ name: 'images', kind: 'dense', path: 'images', files: { '0.chunk': 784, 'meta.zr': 64 } }] })
  host.put('/stale/images/0.chunk', pattern(1568))
  host.put('/stale/images/meta.zr', pattern(64))
  const source = folderAt(`${host.origin}/stale`, { index: true })
  await source.list({ parseIndex })
  const images = source.folder('images')
  assert.equal(lengthOf((await images.read([need('meta.zr', 0, 64)]))[0]), 64)
  await assert.rejects(images.read([need('0.chunk', 0, 10)]), failure('source_changed', /recask index/, /784/))
})

test('a place that is opened again reads the listing again', async () => {
  put('/again', { streams })
  const source = folderAt(`${host.origin}/again`, { index: true })
  await source.list({ parseIndex })
  put('/again', { streams: streams.slice(0, 2) })
  assert.equal((await source.list({ parseIndex }))?.folders.length, 3)
  assert.equal((await source.reopened().list({ parseIndex }))?.folders.length, 2)
})
