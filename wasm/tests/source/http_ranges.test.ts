import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ofPositions } from '../server/content.js'
import { bytesOf, failure, folderAt, lengthOf, need, pattern, server } from './at_hand.js'

const GIB = 1024 ** 3
const host = await server()
const data = pattern(300_000)
host.put('/d/a', data)
host.put('/d/b', pattern(100))
host.put('/d/empty', new Uint8Array())
host.put('/d/huge', ofPositions(6 * GIB))

function ranges(): (string | undefined)[] {
  return host.log.splice(0).map(({ range }) => range)
}

test('ranges arrive with the length of their file, in the order of the requests', async () => {
  ranges()
  const source = folderAt(`${host.origin}/d`)
  const brought = await source.read([need('a', 200_000, 200_010), need('b', 10, 20), need('a', 5, 15)])
  assert.deepEqual(brought.map(bytesOf), [data.slice(200_000, 200_010), pattern(100).slice(10, 20), data.slice(5, 15)])
  assert.deepEqual(brought.map(lengthOf), [300_000, 100, 300_000])
  assert.deepEqual(
    brought.map(({ files, name }) => [files, name]),
    [
      [1, 'a'],
      [1, 'b'],
      [1, 'a'],
    ],
  )
})

test('only GET is sent, with one closed range', async () => {
  host.log.length = 0
  const source = folderAt(`${host.origin}/d`)
  await source.read([need('a', 0, 300_000), need('b', 0, 0), need('none', 0, 5), need('empty', 0, 9)])
  assert.ok(host.log.length >= 4)
  for (const { method, range } of host.log) {
    assert.equal(method, 'GET')
    assert.match(range ?? '', /^bytes=\d+-\d+$/)
  }
})

test('what is read is aligned to blocks, and neighbours come by one request', async () => {
  const source = folderAt(`${host.origin}/d`, { cache: { block: 1000 } })
  await source.read([need('b', 0, 1)])
  ranges()
  await source.read([need('a', 5999, 6001), need('a', 4500, 4501), need('a', 7000, 7001), need('a', 9000, 9001)])
  assert.deepEqual(ranges().sort(), ['bytes=4000-7999', 'bytes=9000-9999'])
})

test('a long range comes as several requests of at most 4 MiB', async () => {
  const source = folderAt(`${host.origin}/d`)
  await source.read([need('huge', 0, 0)])
  ranges()
  const [brought] = await source.read([need('huge', 5 * GIB, 5 * GIB + 10 * 1024 * 1024)])
  const expected = await ofPositions(6 * GIB).read(5 * GIB, 5 * GIB + 10 * 1024 * 1024)
  assert.ok(Buffer.from(bytesOf(brought)).equals(expected))
  assert.equal(ranges().length, 3)
})

test('offsets behind 4 GiB are right', async () => {
  const [brought] = await folderAt(`${host.origin}/d`).read([need('huge', 5 * GIB + 8, 5 * GIB + 16)])
  assert.equal(new DataView(bytesOf(brought).slice().buffer).getBigUint64(0, true), BigInt(5 * GIB + 8))
  assert.equal(lengthOf(brought), 6 * GIB)
})

test('behind the end fewer bytes arrive, or none', async () => {
  const source = folderAt(`${host.origin}/d`)
  const [over] = await source.read([need('b', 90, 5000)])
  assert.deepEqual(bytesOf(over), pattern(100).slice(90))
  assert.equal(lengthOf(over), 100)
  const [behind] = await folderAt(`${host.origin}/d`).read([need('b', 70_000, 70_010)])
  assert.equal(bytesOf(behind).length, 0)
  assert.equal(lengthOf(behind), 100)
  const [empty] = await source.read([need('empty', 0, 10)])
  assert.equal(bytesOf(empty).length, 0)
  assert.equal(lengthOf(empty), 0)
})

test('a length costs one byte, once', async () => {
  ranges()
  const source = folderAt(`${host.origin}/d`)
  const brought = await source.read([need('a', 7, 7), need('a', 0, 0)])
  assert.deepEqual(brought.map(lengthOf), [300_000, 300_000])
  await source.read([need('a', 0, 0)])
  assert.deepEqual(ranges(), ['bytes=0-0'])
  assert.equal(lengthOf((await source.read([need('empty', 0, 0)]))[0]), 0)
})

test('bytes and the length of one file take one request', async () => {
  ranges()
  const source = folderAt(`${host.origin}/d`)
  await source.read([need('a', 0, 10), need('a', 0, 0)])
  assert.equal(ranges().length, 1)
})

test('a long range of a file that nothing is known of is not asked for behind its end', async () => {
  ranges()
  const [brought] = await folderAt(`${host.origin}/d`).read([need('b', 0, 1e12)])
  assert.deepEqual(bytesOf(brought), pattern(100))
  assert.deepEqual(ranges(), ['bytes=0-0', 'bytes=0-99'])
})

test('files that are not there are absent, and not asked for again', async () => {
  const source = folderAt(`${host.origin}/d`)
  ranges()
  const absent = { files: 1, name: 'none', absent: true }
  assert.deepEqual(await source.read([need('none', 0, 10), need('none', 0, 0)]), [absent, absent])
  assert.deepEqual(await source.read([need('none', 0, 10)]), [absent])
  assert.equal(ranges().length, 1)
  host.put('/d/gone', data, { status: 410 })
  assert.deepEqual(await source.read([need('gone', 0, 10)]), [{ files: 1, name: 'gone', absent: true }])
})

test('the files that open a store are asked for at the same time', async () => {
  host.log.length = 0
  host.most = 0
  for (const name of ['store.zr', 'meta.zr']) host.put(`/store/${name}`, pattern(64), { delay: 60 })
  host.setFaults('/store/recask.journal', { delay: 60 })
  const source = folderAt(`${host.origin}/store/`)
  await source.read(['store.zr', 'meta.zr', 'recask.journal'].map((name) => need(name, 0, 4096)))
  assert.equal(host.log.length, 3)
  assert.equal(host.most, 3)
})

test('at most so many requests are in flight as were said', async () => {
  host.put('/slow', ofPositions(1_000_000), { delay: 20 })
  for (const requests of [2, 5]) {
    const source = folderAt(`${host.origin}/`, { requests, cache: { block: 1000 } })
    await source.read([need('d/b', 0, 1)])
    host.most = 0
    await source.read(Array.from({ length: 12 }, (_, at) => need('slow', at * 10_000, at * 10_000 + 5)))
    assert.equal(host.most, requests)
  }
})

test('progress tells the bytes that were asked for', async () => {
  const source = folderAt(`${host.origin}/d`, { cache: { block: 1000 } })
  let bytes = 0
  await source.read([need('a', 500, 150_500), need('a', 10, 20), need('b', 90, 200)], undefined, (more) => (bytes += more))
  assert.equal(bytes, 150_000 + 10 + 10)
})

test('statistics tell requests, bytes, hits and misses', async () => {
  const seen: string[] = []
  const source = folderAt(`${host.origin}/d?token=secret`, {
    cache: { block: 1000 },
    onRequest: ({ url, start, end, status, bytes }) =>
      seen.push(`${url.slice(host.origin.length)} ${start}-${end} ${status} ${bytes}`),
  })
  await source.read([need('a', 0, 1500)])
  await source.read([need('a', 1200, 2500), need('none', 0, 1)])
  const { requests, bytes, hits, misses, cachedBytes, log } = source.stats()
  assert.deepEqual({ requests, hits, misses, cachedBytes }, { requests: 3, hits: 1, misses: 4, cachedBytes: 3000 })
  assert.equal(bytes, 3000)
  assert.equal(log.length, 3)
  assert.deepEqual(seen.sort(), ['/d/a 0-2000 206 2000', '/d/a 2000-3000 206 1000', '/d/none 0-1000 404 0'])
})

test('a source that is a file reads it whatever it is called', async () => {
  host.put('/t/flights 2.cstore', pattern(50))
  const direct = folderAt(`${host.origin}/t/flights%202.cstore`)
  assert.equal(direct.kind, 'file')
  assert.equal(direct.name, `${host.origin}/t/flights%202.cstore`)
  assert.deepEqual(bytesOf((await direct.read([need('table.cstore', 1, 5)]))[0]), pattern(50).slice(1, 5))
  const inFolder = folderAt(`${host.origin}/t`).file('flights 2.cstore')
  assert.deepEqual(bytesOf((await inFolder.read([need('table.cstore', 1, 5)]))[0]), pattern(50).slice(1, 5))
  const other = folderAt(`${host.origin}/d/a`, { kind: 'file' })
  assert.equal(lengthOf((await other.read([need('table.cstore', 0, 0)]))[0]), 300_000)
  assert.throws(() => direct.folder('x'), failure('invalid_argument', /is a file/))
})

test('every file below a URL keeps its query, and none its fragment', async () => {
  host.put('/q/a b/ü#?.chunk', pattern(9))
  host.log.length = 0
  const source = folderAt(`${host.origin}/q?sig=1%2B2&x#here`)
  const [brought] = await source.folder('a b').read([need('ü#?.chunk', 0, 9)])
  assert.deepEqual(bytesOf(brought), pattern(9))
  assert.deepEqual([host.log[0]?.path, host.log[0]?.query], ['/q/a b/ü#?.chunk', '?sig=1%2B2&x'])
  assert.equal(source.folder('a b').name, `${host.origin}/q/a%20b`)
})

test('a folder has the same files with a slash at its end and without', async () => {
  for (const address of [`${host.origin}/d`, `${host.origin}/d/`]) {
    assert.equal(lengthOf((await folderAt(address).read([need('b', 0, 0)]))[0]), 100)
  }
  host.put('/x/y/z/f', pattern(3))
  const deep = folderAt(`${host.origin}/x`).folder('y/z')
  assert.equal(lengthOf((await deep.read([need('f', 0, 0)]))[0]), 3)
})

test('names that lead elsewhere, and what is no address, are refused', () => {
  const source = folderAt(`${host.origin}/d`)
  for (const name of ['', '..', 'a/../b', '/a', 'a//b', './a'])
    assert.throws(() => source.folder(name), failure('invalid_argument'))
  for (const address of ['no url', 'ftp://host/x', 'data:,x'])
    assert.throws(() => folderAt(address), failure('invalid_argument'))
  assert.throws(() => folderAt(host.origin, { requests: 0 }), failure('invalid_argument', /requests/))
  assert.throws(() => folderAt(host.origin, { cache: { block: 1.5 } }), failure('invalid_argument', /cache.block/))
})
