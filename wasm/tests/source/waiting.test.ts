import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Limit } from '../../ts/source/limit.js'
import { Shared } from '../../ts/source/shared.js'

const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a limit lets so many in at a time, in the order in which they came', async () => {
  const limit = new Limit(2)
  const started: number[] = []
  const ends: (() => void)[] = []
  const work = (one: number) => limit.run(() => (started.push(one), new Promise<void>((resolve) => ends.push(resolve))))
  const all = [0, 1, 2, 3].map(work)
  await soon()
  assert.deepEqual(started, [0, 1])
  ends[1]?.()
  await soon()
  assert.deepEqual(started, [0, 1, 2])
  for (const end of ends) end()
  await soon()
  ends[3]?.()
  await Promise.all(all)
  assert.deepEqual(started, [0, 1, 2, 3])
})

test('work that fails, and who gives up waiting, leave their places to others', async () => {
  const limit = new Limit(1)
  await assert.rejects(
    limit.run(() => Promise.reject(new Error('no'))),
    /no/,
  )
  let end = () => {}
  const first = limit.run(() => new Promise<void>((resolve) => (end = resolve)))
  const stop = new AbortController()
  const second = limit.run(() => Promise.resolve('second'), stop.signal)
  const third = limit.run(() => Promise.resolve('third'))
  stop.abort(new Error('stopped'))
  await assert.rejects(second, /stopped/)
  end()
  await first
  assert.equal(await third, 'third')
})

test('shared work goes on while anybody waits, and stops with the last', async () => {
  let stopped: AbortSignal | undefined
  const shared = new Shared<string>((signal) => ((stopped = signal), new Promise(() => {})))
  const [one, other] = [new AbortController(), new AbortController()]
  const joined = [shared.join(one.signal), shared.join(other.signal)]
  one.abort(new Error('first'))
  await assert.rejects(joined[0] as Promise<string>, /first/)
  assert.equal(stopped?.aborted, false)
  assert.equal(shared.isStopped, false)
  other.abort(new Error('second'))
  await assert.rejects(joined[1] as Promise<string>, /second/)
  assert.equal(stopped?.aborted, true)
  assert.equal(shared.isStopped, true)
})

test('all who wait for shared work get its result', async () => {
  const shared = new Shared(() => Promise.resolve(7))
  assert.deepEqual(await Promise.all([shared.join(), shared.join(new AbortController().signal)]), [7, 7])
})
