/** Arrays that go elsewhere while they are used, and threads and processes that end in the middle. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { DenseStore, Loader, memoryUse, RaggedStore, release, Table, verify } from 'recask'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'

const PACKAGE = JSON.stringify(fileURLToPath(new URL('../../../../../dist/index.cjs', import.meta.url)))
const WIDTH = 1000

async function images(): Promise<string> {
  const place = nowhere()
  await using store = await DenseStore.create(place, { dtype: 'u1', itemShape: [WIDTH], codec: 'zstd' })
  await store.append(Uint8Array.from({ length: 400 * WIDTH }, (_, i) => i * 31))
  return place
}

async function rows(): Promise<string> {
  const place = nowhere('rows.cstore')
  await using writer = await Table.create(place)
  await writer.write({ a: Int32Array.from({ length: 400 }, (_, i) => i) })
  return place
}

function transferred(array: Uint8Array): void {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] })
}

describe('arrays that go elsewhere', () => {
  it('are refused wherever they are given', async () => {
    const gone = new Uint8Array(WIDTH)
    transferred(gone)
    const isDetached = { code: 'invalid_argument', message: /detached/ }
    await using store = await DenseStore.create(nowhere(), { dtype: 'u1', itemShape: [WIDTH] })
    await using ragged = await RaggedStore.create(nowhere(), { dtype: 'u1' })
    await using writer = await Table.create(nowhere('some.cstore'))
    for (const call of [
      () => store.append(gone),
      () => store.appendSync(gone),
      () => store.gatherInto(0, gone),
      () => store.gatherIntoSync(0, gone),
      () => ragged.append([gone]),
      () => ragged.appendSync([{ data: gone, shape: [WIDTH] }]),
      () => writer.write({ a: gone }),
      () => writer.writeSync({ a: { data: gone, dtype: '|u1' } }),
    ]) {
      await fails(call, isDetached)
    }
    assert.deepEqual([store.length, ragged.length, writer.rows], [0, 0, 0])
  })

  it('while they are filled, are an error or whole, and nothing else is written to', async () => {
    await using store = await DenseStore.open(await images())
    for (const make of [() => new Uint8Array(400 * WIDTH), () => store.gatherSync({}).data as Uint8Array]) {
      for (const pause of [0, 1, 3]) {
        const target = make()
        const filling = store.gatherInto({}, target).then(
          () => undefined,
          (error: unknown) => error,
        )
        if (pause > 0) await setTimeout(pause)
        let moved: Uint8Array | undefined
        try {
          moved = new Uint8Array(structuredClone(target.buffer, { transfer: [target.buffer as ArrayBuffer] }) as ArrayBuffer)
        } catch (error) {
          assert.equal((error as Error).name, 'DataCloneError')
        }
        const error = await filling
        if (error !== undefined) assert.equal((error as { code: string }).code, 'invalid_argument')
        assert.equal((moved ?? target).length, 400 * WIDTH)
      }
    }
  })

  it('go to another thread: those of the caller themselves, results of gathers as copies', async () => {
    await using store = await DenseStore.open(await images())
    const code = `
      const { parentPort } = require('node:worker_threads')
      parentPort.on('message', (bytes) => parentPort.postMessage(bytes.reduce((sum, byte) => sum + byte, 0)))`
    const worker = new Worker(code, { eval: true })
    const { data } = await store.gather({})
    const sum = (data as Uint8Array).reduce((sum, byte) => sum + byte, 0)
    const own = new Uint8Array(data.length)
    await store.gatherInto({}, own)
    worker.postMessage(own, [own.buffer])
    assert.equal(own.length, 0)
    assert.deepEqual(await once(worker, 'message'), [sum])
    try {
      worker.postMessage(data, [data.buffer as ArrayBuffer])
    } catch (error) {
      // Memory that is not of the engine is not transferred; older releases of Node.js copy it instead.
      assert.equal((error as Error).name, 'DataCloneError')
      worker.postMessage(data)
    }
    assert.deepEqual(await once(worker, 'message'), [sum])
    assert.equal(data.length, 400 * WIDTH)
    await worker.terminate()
    const { lent } = memoryUse()
    assert.equal(release(data), true)
    assert.equal(memoryUse().lent, lent - 400 * WIDTH)
  })
})

describe('two handles of one place', () => {
  it('read what was there when they were opened, and more after a refresh', async () => {
    const place = await images()
    await using reader = await DenseStore.open(place)
    await using writer = await DenseStore.open(place, { write: true })
    const work = Array.from({ length: 20 }, (_, i) => [writer.append(new Uint8Array(WIDTH).fill(i)), reader.gather(-1)] as const)
    const lasts = await Promise.all(work.map(async ([appended, gathered]) => [await appended, (await gathered).data[1]]))
    assert.deepEqual(
      lasts,
      lasts.map((_, i) => [400 + i, ((399 * WIDTH + 1) * 31) & 255]),
    )
    await writer.sync()
    await reader.refresh()
    assert.deepEqual([reader.length, (await reader.gather(-1)).data[5]], [420, 19])
  })

  it('are free for others as soon as they are closed, also by a loader', async () => {
    const place = await images()
    for (const step of [0, 1, 30]) {
      const store = await DenseStore.open(place)
      const loader = new Loader({ store }, { batch: 8, seed: 1 })
      for (let done = 0; done < step; done += 1) await loader.next()
      await loader.close()
      await store.close()
      await using writer = await DenseStore.open(place, { write: true })
      await writer.compact()
    }
  })

  it('of a table: a reader keeps its rows while another appends and compacts', async () => {
    const place = await rows()
    await using reader = await Table.open(place)
    await using writer = await Table.append(place)
    await writer.write({ a: Int32Array.of(-1, -2) })
    await fails(() => Table.append(place), 'store_busy')
    await writer.close()
    await Table.compact(place)
    assert.deepEqual(
      (await reader.column('a')).data,
      Int32Array.from({ length: 400 }, (_, i) => i),
    )
    await using later = await Table.open(place)
    assert.deepEqual([later.length, later.fileRecords, (await later.tail(1).column('a')).data[0]], [402, 1, -2])
  })
})

describe('threads', () => {
  it('load, select, write and import at once, and may be terminated', async () => {
    const [place, table] = [await images(), await rows()]
    const code = `
      const { parentPort, workerData } = require('node:worker_threads')
      const { DenseStore, Loader, RaggedStore, Table, importFiles } = require(${PACKAGE})
      const { place, table, own, number } = workerData
      ;(async () => {
        const streams = { images: await DenseStore.open(place), rows: await Table.open(table) }
        const store = await RaggedStore.create(own, { dtype: 'u1', codec: 'zstd' })
        const writable = store.writable()
        const loader = new Loader(streams, { batch: 16, seed: number, transform: async (batch) => batch, workers: 3 })
        for await (const { step, indices, streams: { images, rows } } of loader) {
          if (rows.column('a').data.some((row, i) => BigInt(row) !== indices[i])) throw new Error('other rows')
          if (!writable.write(images.data)) await new Promise((resolve) => writable.once('drain', resolve))
          if (await streams.rows.filter('a < ?', [number]).count() !== number) throw new Error('other rows')
          parentPort.postMessage(Number(step))
        }
      })()`
    const owns = [0, 1, 2, 3].map(() => nowhere())
    const workers = owns.map((own, number) => new Worker(code, { eval: true, workerData: { place, table, own, number } }))
    await Promise.all(
      workers.map(async (worker) => {
        for (let step = 0; step < 10; step += 1) assert.deepEqual(await once(worker, 'message'), [step])
      }),
    )
    await Promise.all(workers.map((worker) => worker.terminate()))
    // What they held is free, and what they wrote is whole.
    for (const own of owns) {
      await using store = await RaggedStore.open(own, { write: true })
      assert.equal((await store.verify()).ok, true)
    }
    await using again = await DenseStore.open(place)
    await using loader = new Loader({ again }, { batch: 4, seed: 1 })
    assert.equal((await loader.next())?.step, 0n)
  })
})

/** What runs until the process ends: at IMAGES is a store, at PLACE what may be written. */
const PROGRAMS = {
  'a stream': `
    const writable = (await DenseStore.open(PLACE, { write: true })).writable()
    for (;;) if (!writable.write(new Uint8Array(5 * ${WIDTH}))) await new Promise((resolve) => writable.once('drain', resolve))`,
  'a table': `
    const writer = await Table.append(PLACE)
    for (;;) {
      await writer.write({ a: new Int32Array(1000) })
      await writer.commit()
    }`,
  'files that become a store': `
    await importFiles('*', PLACE, { cwd: process.cwd(), concurrency: 8, decode: async (bytes) => bytes })`,
  records: `
    const store = await DenseStore.open(IMAGES)
    for (;;) for await (const record of store.records({ batch: 7, prefetch: 5 })) record.data[0]`,
  'a loader that transforms': `
    const store = await DenseStore.open(IMAGES)
    const loader = new Loader({ store }, { batch: 9, seed: 1, workers: 5, transform: async (batch) => batch })
    for await (const batch of loader) batch.step`,
  training: `
    await trainDict(Array.from({ length: 2000 }, (_, i) => Buffer.from('sample ' + i * i)))`,
}

describe('a process may end in the middle of', () => {
  const run = (program: string, places: readonly string[], wait: number) => {
    const code = `
      const { DenseStore, importFiles, Loader, Table, trainDict } = require(${PACKAGE})
      const [PLACE, IMAGES] = ${JSON.stringify(places)}
      setTimeout(() => process.exit(7), ${wait})
      ;(async () => {${program}})()`
    return spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', timeout: 60_000 })
  }

  for (const [what, program] of Object.entries(PROGRAMS)) {
    it(what, async () => {
      const source = await images()
      for (const wait of [0, 3, 40, 90]) {
        const place = what === 'a table' ? await rows() : what === 'a stream' ? await images() : nowhere()
        const { status, signal, stderr } = run(program, [place, source], wait)
        assert.deepEqual([status, signal, stderr], [7, null, ''], `after ${wait} ms`)
        if (!existsSync(place)) continue
        const { ok, faults, records, rows: count = records } = await verify(place)
        assert.ok(ok, JSON.stringify(faults))
        // What was there before is there still, and of what was written nothing by halves.
        if (what === 'a table') assert.equal((count - 400) % 1000, 0)
        if (what === 'a stream') assert.ok(count >= 400 && (count - 400) % 5 === 0, String(count))
      }
    })
  }
})
