/** Closing while something runs, two handles, ends of processes and workers. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { DenseStore, Loader } from 'recask'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'

const PACKAGE = JSON.stringify(fileURLToPath(new URL('../../../../../dist/index.cjs', import.meta.url)))

async function images(): Promise<string> {
  const place = nowhere()
  await using store = await DenseStore.create(place, { dtype: 'u1', itemShape: [1000], codec: 'zstd' })
  await store.append(Uint8Array.from({ length: 400_000 }, (_, i) => i * 31))
  return place
}

describe('closing', () => {
  it('waits for many gathers, and for those into arrays', async () => {
    const store = await DenseStore.open(await images())
    const target = new Uint8Array(400_000)
    const work = Array.from({ length: 30 }, (_, i) => (i % 3 ? store.gather({}) : store.gatherInto({}, target)))
    const closed = store.close()
    await Promise.all([...work, closed])
    assert.equal(target[399_999], (399_999 * 31) & 255)
    await fails(() => store.gatherInto({}, target), { code: 'invalid_argument', message: /closed/ })
  })

  it('at once waits too', async () => {
    const store = await DenseStore.open(await images())
    const work = Array.from({ length: 10 }, () => store.gather({}))
    store.closeSync()
    for (const { data } of await Promise.all(work)) assert.equal(data.length, 400_000)
  })

  it('of a store leaves a loader what it reads', async () => {
    const store = await DenseStore.open(await images())
    const loader = new Loader({ store }, { batch: 8, seed: 1 })
    await loader.next()
    await store.close()
    assert.equal((await loader.next())?.streams['store']?.kind, 'dense')
    await loader.close()
  })

  it('refuses a second writer until the first is closed', async () => {
    const place = await images()
    const first = await DenseStore.open(place, { write: true })
    await fails(() => DenseStore.open(place, { write: true }), 'store_busy')
    const reader = await DenseStore.open(place)
    assert.equal((await reader.gather(0)).data.length, 1000)
    await reader.close()
    await first.close()
    const second = await DenseStore.open(place, { write: true })
    await second.close()
  })
})

describe('processes', () => {
  const run = (code: string) => spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 60_000 })

  it('end by themselves with a loader that nobody closed', async () => {
    const place = JSON.stringify(await images())
    const { status, stdout, stderr } = run(`
      const { DenseStore, Loader } = require(${PACKAGE})
      ;(async () => {
        const store = await DenseStore.open(${place})
        const loader = new Loader({ store }, { batch: 8, prefetch: 8, transform: ({ step }) => step, workers: 4 })
        console.log(await loader.next())
      })()`)
    assert.deepEqual([status, stdout.trim(), stderr], [0, '0n', ''])
  })

  it('may end in the middle of everything', async () => {
    const place = JSON.stringify(await images())
    for (const wait of [0, 1, 5, 20]) {
      const { status, stderr } = run(`
        const { DenseStore, Loader, RaggedStore } = require(${PACKAGE})
        ;(async () => {
          const store = await DenseStore.open(${place})
          const loader = new Loader({ store }, { batch: 16, prefetch: 8 })
          const work = () => { store.gather({}); store.verify({ onProgress() {} }); loader.next(); setImmediate(work) }
          work()
          setTimeout(() => process.exit(7), ${wait})
        })()`)
      assert.deepEqual([status, stderr], [7, ''], `after ${wait} ms`)
    }
  })
})

describe('workers', () => {
  it('load and use the package several at a time, and may be terminated', async () => {
    const place = await images()
    const code = `
      const { parentPort, workerData } = require('node:worker_threads')
      const { DenseStore } = require(${PACKAGE})
      ;(async () => {
        const store = await DenseStore.open(workerData)
        for (let sum = 0; ; ) {
          const { data } = await store.gather({ stop: 100 })
          sum += data[99_999]
          parentPort.postMessage(data.length)
        }
      })()`
    const workers = Array.from({ length: 4 }, () => new Worker(code, { eval: true, workerData: place }))
    const firsts = workers.map(
      (worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject)),
    )
    assert.deepEqual(await Promise.all(firsts), [100_000, 100_000, 100_000, 100_000])
    await Promise.all(workers.map((worker) => worker.terminate()))
    const store = await DenseStore.open(place)
    assert.equal((await store.gather(0)).data.length, 1000)
    await store.close()
  })
})
