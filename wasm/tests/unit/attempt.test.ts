import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { attempt, TooMuch } from '../../ts/attempt.js'
import { RecaskError } from '../../ts/errors.js'
import { Files } from '../../ts/files.js'
import { reset } from '../../ts/module.js'
import { FakeFiles, FakeSource, startFake } from './fake.js'

beforeEach(() => {
  reset()
  startFake()
})

async function opened(source: FakeSource): Promise<{ files: Files; raw: FakeFiles }> {
  const files = await Files.of(source, {})
  return { files, raw: files.raw as FakeFiles }
}

const withCode = (code: string) => (error: unknown) => error instanceof RecaskError && error.code === code

test('brings what a call asks for, round after round, and leaves nothing behind', async () => {
  const source = new FakeSource('place', new Map([['0.loc', 100], ['0.chunk', 1000]]))
  const { raw } = await opened(source)
  const read = await attempt(() => {
    const [at = 0] = raw.read('0.loc', 7, 8)
    return raw.read('0.chunk', at * 10, at * 10 + 3)
  })
  assert.deepEqual([...read], [70, 71, 72])
  assert.deepEqual(source.reads.map((reads) => reads.map(({ name, start, end }) => [name, start, end])), [
    [['0.loc', 7, 8]],
    [['0.chunk', 70, 73]],
  ])
  assert.deepEqual(raw.spans, [])
  assert.deepEqual([...raw.known], [['0.loc', 100], ['0.chunk', 1000]])
})

test('passes on that a file is not there', async () => {
  const { raw } = await opened(new FakeSource())
  const found = await attempt(() => raw.known.get('dict.zr') ?? raw.read('dict.zr', 0, 1))
  assert.equal(found, 'absent')
})

test('knows all names and sizes of a place that lists them', async () => {
  const { raw } = await opened(new FakeSource('place', new Map([['meta.zr', 31]]), true))
  assert.deepEqual([...raw.known], [['meta.zr', 31]])
  assert.equal(raw.isComplete, true)
})

test('asks several places at the same time', async () => {
  let release = () => {}
  const hold = new Promise<void>((resolve) => (release = resolve))
  const sources = ['one', 'two'].map((name) => Object.assign(new FakeSource(name, new Map([['a', 9]])), { hold }))
  const [one, two] = await Promise.all(sources.map(opened))
  const needs = [one!, two!].map(({ raw }) => ({ files: raw.id, name: 'a', start: 0, end: 1 }))
  let calls = 0
  const reading = attempt(() => {
    calls += 1
    if (calls === 1) throw { needs }
    return one!.raw.read('a', 0, 1).length + two!.raw.read('a', 0, 1).length
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(sources.map(({ reads }) => reads.length), [1, 1])
  release()
  assert.equal(await reading, 2)
})

test('calls over the same files do not see what was brought for others', async () => {
  const { raw } = await opened(new FakeSource('place', new Map([['a', 200]])))
  const read = (at: number) => () => {
    assert.ok(raw.spans.every(({ start }) => start === at))
    return raw.read('a', at, at + 1)[0]
  }
  const numbers = Array.from({ length: 20 }, (_, at) => at)
  assert.deepEqual(await Promise.all(numbers.map((at) => attempt(read(at)))), numbers)
})

test('does not go on asking for what it has', async () => {
  const source = new FakeSource('place', new Map([['a', 4]]))
  const { raw } = await opened(source)
  await assert.rejects(attempt(() => raw.read('a', 0, 8)), withCode('internal'))
  assert.equal(source.reads.length, 1)
  await assert.rejects(attempt(() => { throw { needs: [] } }), withCode('internal'))
})

test('a part of what was asked for before is nothing new', async () => {
  const { raw } = await opened(new FakeSource('place', new Map([['a', 50]])))
  let at = 0
  const shrinking = () => {
    throw { needs: [{ files: raw.id, name: 'a', start: at, end: 50 - at++ }] }
  }
  await assert.rejects(attempt(shrinking), withCode('internal'))
  assert.equal(at, 2)
})

test('refuses more than the limit before anything is fetched', async () => {
  reset()
  startFake({}, 100)
  const source = new FakeSource('place', new Map([['a', 1000]]))
  const { raw } = await opened(source)
  await assert.rejects(attempt(() => raw.read('a', 0, 101)), withCode('limit'))
  assert.equal(source.reads.length, 0)
  await assert.rejects(attempt(() => [raw.read('a', 0, 60), raw.read('a', 500, 541)]), withCode('limit'))
  assert.equal(source.reads.length, 1)
  await assert.rejects(attempt(() => raw.read('a', 0, 51), { most: 50 }), TooMuch)
  assert.equal((await attempt(() => raw.read('a', 0, 100))).length, 100)
})

test('rejects with the reason of the signal, before and while something is fetched', async () => {
  const source = new FakeSource('place', new Map([['a', 10]]))
  const { raw } = await opened(source)
  const reason = new Error('enough')
  await assert.rejects(attempt(() => raw.read('a', 0, 1), { signal: AbortSignal.abort(reason) }), reason)
  assert.equal(source.reads.length, 0)
  const controller = new AbortController()
  const reading = attempt(() => raw.read('a', 0, 1), { signal: controller.signal })
  await new Promise((resolve) => setImmediate(resolve).ref())
  const late = attempt(() => raw.read('a', 2, 3), { signal: controller.signal })
  controller.abort(reason)
  await reading
  await assert.rejects(late, reason)
})

test('errors of the core come with their fields, and what was brought is forgotten', async () => {
  const { raw } = await opened(new FakeSource('place', new Map([['a', 10]])))
  const failing = () => {
    raw.read('a', 0, 1)
    throw { code: 'corrupt_record', message: 'record 3 is damaged', record: 3, file: '0.chunk', offset: undefined }
  }
  await assert.rejects(attempt(failing), (error: unknown) => {
    assert.ok(error instanceof RecaskError)
    assert.deepEqual({ ...error }, { name: 'RecaskError', code: 'corrupt_record', record: 3, file: '0.chunk' })
    return true
  })
  assert.deepEqual(raw.spans, [])
})

test('tells WebAssembly which reads the place would rather have as one', async () => {
  reset()
  const seen = startFake()
  await attempt(() => 1, { coalescing: { gap: 5, max: 50 } })
  assert.deepEqual(seen.coalescing, [5, 50])
})

test('files are given back when the last of their users has released them', async () => {
  const { files, raw } = await opened(new FakeSource())
  files.share()
  files.release()
  assert.equal(raw.isFreed, false)
  assert.equal(Files.withId(raw.id), files)
  files.release()
  assert.equal(raw.isFreed, true)
  assert.equal(Files.withId(raw.id), undefined)
  await assert.rejects(attempt(() => raw.read('a', 0, 1)), withCode('invalid_argument'))
})
