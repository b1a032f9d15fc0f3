import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ordered } from '../../ts/ordered.js'

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const count = (most: number) => Array.from({ length: most }, (_, i) => i)

describe('work in order', () => {
  it('gives results in the order of the items, however long each takes', async () => {
    const found: number[] = []
    const work = async (item: number) => {
      await pause(item % 3 === 0 ? 8 : 1)
      return item * 2
    }
    for await (const result of ordered(count(10), 4, work)) found.push(result)
    assert.deepEqual(
      found,
      count(10).map((item) => item * 2),
    )
  })

  it('has no more under way than it may', async () => {
    let [running, most] = [0, 0]
    const work = async () => {
      most = Math.max(most, ++running)
      await pause(2)
      running -= 1
    }
    for await (const _ of ordered(count(12), 3, work));
    assert.equal(most, 3)
  })

  it('begins nothing new once it is left', async () => {
    const begun: number[] = []
    for await (const item of ordered(count(100), 2, (item) => (begun.push(item), item))) if (item === 3) break
    await pause(5)
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5].slice(0, begun.length))
    assert.ok(begun.length <= 6)
  })

  it('fails where the work fails, after what comes before', async () => {
    const found: number[] = []
    const work = (item: number) => {
      if (item === 2) throw new Error('two')
      return item
    }
    const all = async () => {
      for await (const result of ordered(count(5), 4, work)) found.push(result)
    }
    await assert.rejects(all, /two/)
    assert.deepEqual(found, [0, 1])
  })
})
