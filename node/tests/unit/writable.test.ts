import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { appending } from '../../ts/writable.js'

/** A sink that takes a while, and refuses negative numbers. */
function sink() {
  const appended: number[][] = []
  const done: string[] = []
  return {
    appended,
    done,
    pack(records: readonly number[]) {
      if (records.some((record) => record < 0)) throw new Error('negative')
      return [...records]
    },
    async append(packed: number[]) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      appended.push(packed)
      done.push('append')
    },
    async sync() {
      done.push('sync')
    },
  }
}

describe('appending', () => {
  it('makes one append of what waits', async () => {
    const to = sink()
    const stream = appending({}, to)
    for (let i = 0; i < 10; i += 1) stream.write(i)
    stream.end()
    await once(stream, 'finish')
    assert.deepEqual(to.appended, [[0], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
    assert.deepEqual(to.done, ['append', 'append', 'sync'])
  })

  it('makes appends of no more records than are wanted', async () => {
    const to = sink()
    const stream = appending({ batch: 4 }, to)
    for (let i = 0; i < 10; i += 1) stream.write(i)
    stream.end()
    await once(stream, 'finish')
    assert.deepEqual(to.appended, [[0], [1, 2, 3, 4], [5, 6, 7, 8], [9]])
  })

  it('appends what comes before a record that cannot be', async () => {
    const to = sink()
    const stream = appending({}, to)
    for (const number of [1, 2, 3, -4, 5]) stream.write(number)
    const [error] = (await once(stream, 'error')) as [Error]
    assert.equal(error.message, 'negative')
    assert.deepEqual(to.appended, [[1], [2, 3]])
    assert.ok(!to.done.includes('sync'))
  })

  it('tells the writer when an append fails', async () => {
    const to = { ...sink(), append: () => Promise.reject(new Error('full')) }
    const stream = appending({}, to)
    const told = new Promise<Error | null | undefined>((resolve) => stream.write(1, resolve))
    stream.on('error', () => {})
    assert.equal((await told)?.message, 'full')
  })
})
