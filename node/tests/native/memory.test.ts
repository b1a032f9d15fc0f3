/** Memory does not grow, however long one reads, and is given back. With `RECASK_SLOW=1` a million gathers, else 20,000. */

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { DenseStore, keepMemory, Loader, memoryUse, RaggedStore, release, Table } from 'recask'
import { nowhere } from '../support/place.js'

const GATHERS = process.env['RECASK_SLOW'] === '1' ? 1_000_000 : 20_000
const RECORDS = 1000
const WIDTH = 256
const MIB = 1024 ** 2
const KEPT = 8 * MIB
/** What the allocator, and the engine's own heap, may differ by. */
const BOUND = 40 * MIB

const places = { dense: nowhere(), ragged: nowhere(), table: nowhere('rows.cstore') }

/** Until JavaScript gave back what it does not use; how much it has still. */
async function collected(): Promise<number> {
  for (let before = Infinity, rounds = 0; rounds < 3;) {
    globalThis.gc!()
    await setTimeout(1)
    const { lent } = memoryUse()
    rounds = lent < before ? 0 : rounds + 1
    before = lent
  }
  return memoryUse().lent
}

/** Work that was done before needs no more memory when it is done ten times as often. */
async function grows(count: number, work: (round: number) => unknown): Promise<void> {
  const resident = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      await work(round)
      // Whoever works at once lets nothing else run.
      if (round % 64 === 0) await setImmediate()
    }
    await collected()
    return process.memoryUsage().rss
  }
  const first = await resident(Math.ceil(count / 10))
  const last = await resident(count)
  const grown = last - first
  assert.ok(grown < BOUND, `${(grown / MIB).toFixed(1)} MiB more after ${count} rounds, ${(last / MIB).toFixed(0)} in all`)
}

/** Slices from one record to all, most of them short. */
function slice(round: number): { start: number; stop: number } {
  const size = 1 + ((Math.imul(round, 2654435761) >>> 16) % (round % 50 === 0 ? RECORDS : 60))
  const start = (round * 7) % (RECORDS - size + 1)
  return { start, stop: start + size }
}

describe('memory', () => {
  before(async () => {
    assert.ok(globalThis.gc, 'run node with --expose-gc')
    // What is kept for later results comes up to this whatever happens, and does not count.
    keepMemory(KEPT)
    await using dense = await DenseStore.create(places.dense, { dtype: 'u1', itemShape: [WIDTH] })
    await dense.append(Uint8Array.from({ length: RECORDS * WIDTH }, (_, i) => i >> 8))
    await using ragged = await RaggedStore.create(places.ragged, { dtype: 'u2', codec: 'zstd' })
    await ragged.append(Array.from({ length: RECORDS }, (_, i) => new Uint16Array(1 + (i % 200)).fill(i)))
    await using rows = await Table.create(places.table)
    await rows.write({
      a: Float64Array.from({ length: RECORDS }, (_, i) => i),
      b: Int32Array.from({ length: RECORDS }, (_, i) => i),
    })
  })

  it('of gathers of changing size does not grow', async () => {
    await using store = await DenseStore.open(places.dense)
    await grows(GATHERS, async (round) => {
      const index = slice(round)
      const { data } = round % 2 ? await store.gather(index) : store.gatherSync(index)
      assert.equal(data.length, (index.stop - index.start) * WIDTH)
    })
    assert.equal(await collected(), 0)
  })

  it('of ragged gathers does not grow', async () => {
    await using store = await RaggedStore.open(places.ragged)
    await grows(GATHERS / 5, (round) => (round % 2 ? store.gather(slice(round)) : store.gatherSync(slice(round))))
    assert.equal(await collected(), 0)
  })

  it('of gathers into an array does not grow', async () => {
    await using store = await DenseStore.open(places.dense)
    const own = new Uint8Array(RECORDS * WIDTH)
    const lent = await store.gather({})
    await grows(GATHERS / 2, async (round) => {
      const index = slice(round)
      const length = (index.stop - index.start) * WIDTH
      const target = (round % 3 ? own : (lent.data as Uint8Array)).subarray(0, length)
      if (round % 2) await store.gatherInto(index, target)
      else store.gatherIntoSync(index, target)
    })
    assert.equal(await collected(), RECORDS * WIDTH)
    release(lent)
    assert.equal(memoryUse().lent, 0)
  })

  it('of batches of a loader does not grow', async () => {
    await using images = await DenseStore.open(places.dense)
    await using tokens = await RaggedStore.open(places.ragged)
    await using rows = await Table.open(places.table)
    for (const transform of [undefined, async (batch: object) => batch]) {
      const loader = new Loader<object>({ images, tokens, rows }, { batch: 32, seed: 1, ...(transform && { transform }) })
      const batches = loader[Symbol.asyncIterator]()
      await grows(GATHERS / 10, () => batches.next())
      await batches.return(undefined)
      await loader.close()
      assert.equal(await collected(), 0)
    }
  })

  it('of stores that are opened and closed does not grow', async () => {
    await grows(GATHERS / 20, async (round) => {
      const store = round % 2 ? DenseStore.openSync(places.dense) : await DenseStore.open(places.dense)
      await store.gather(round % RECORDS)
      await store.close()
      const table = round % 2 ? Table.openSync(places.table) : await Table.open(places.table)
      await table.head(3).columns()
      await table.close()
    })
    assert.equal(await collected(), 0)
  })

  it('of records one after the other does not grow', async () => {
    await using store = await DenseStore.open(places.dense)
    await grows(GATHERS / 200, async () => {
      let count = 0
      for await (const { data } of store.records({ batch: 100 })) count += data.length / WIDTH
      assert.equal(count, RECORDS)
      for await (const { data } of store.records({ batch: 10 })) if (data[0] === 20) break
    })
    assert.equal(await collected(), 0)
  })

  it('is given back at the end of using, and at once by release', async () => {
    assert.equal(await collected(), 0)
    await using store = await DenseStore.open(places.dense)
    await using ragged = await RaggedStore.open(places.ragged)
    {
      using batch = await store.gather({})
      using other = store.gatherSync({ start: 100 })
      using texts = await ragged.gather({})
      const lent = batch.data.byteLength + other.data.byteLength + texts.data.byteLength
      assert.equal(memoryUse().lent, lent)
    }
    assert.equal(memoryUse().lent, 0)
    const batch = await store.gather({})
    assert.equal(release(batch.data), true)
    assert.deepEqual([batch.data.length, memoryUse().lent, release(batch)], [0, 0, false])
  })

  it('that is kept is no more than is allowed', async () => {
    await using store = await DenseStore.open(places.dense)
    keepMemory(MIB / 2)
    try {
      const batches = await Promise.all(Array.from({ length: 8 }, () => store.gather({})))
      assert.equal(memoryUse().lent, 8 * RECORDS * WIDTH)
      for (const batch of batches) release(batch)
      const { lent, kept } = memoryUse()
      assert.equal(lent, 0)
      assert.ok(kept > 0 && kept <= MIB / 2, `${kept} bytes are kept`)
    } finally {
      keepMemory(KEPT)
    }
  })
})
