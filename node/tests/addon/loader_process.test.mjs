import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'

import { addon, collected, filled, folder } from './addon.mjs'
import { weather } from './tables.mjs'

/** What programs begin with: a loader over a store and a table, of which much is on its way. */
function program(at, rest) {
  return `
    const { addon } = await import(${JSON.stringify(new URL('./addon.mjs', import.meta.url).href)})
    const table = addon.openTablesSync([${JSON.stringify(at('weather.cstore'))}])
    const streams = new addon.NativeStreams()
    streams.addStore('image', addon.openStoreSync(${JSON.stringify(at('images'))}, {}))
    streams.addSelection('weather', table.all())
    const loader = await addon.loader(streams, { batch: 500, seed: 1n, prefetch: 4, threads: 3 })
    ${rest}`
}

function places(test) {
  const at = folder(test)
  filled(at('images'), 20_000, 64, 'zstd').closeSync()
  weather(at('weather.cstore'), 20_000, 3000)
  return at
}

const BUSY = 'for (let i = 0; i < 30; i++) { loader.next(); table.all().columns(); table.all().arrow("file") }'

describe('loaders and tables in a process that ends', () => {
  for (const end of ['process.exit(7)', 'setTimeout(() => process.exit(7), 5)', 'await loader.next(); process.exitCode = 7']) {
    test(end, (test) => {
      const at = places(test)
      const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program(at, `${BUSY}\n${end}`)], { encoding: 'utf8', timeout: 60_000 })
      assert.deepEqual([status, signal, stderr], [7, null, ''])
    })
  }

  test('a loader that nobody closes does not keep the process alive', (test) => {
    const at = places(test)
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program(at, 'console.log((await loader.next()).indices.length)')], { encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [0, '500\n'])
  })

  test('an import that the process does not wait for leaves no table', (test) => {
    const at = folder(test)
    const source = fileURLToPath(new URL('../../../native/cli/data/flights-20k.parquet', import.meta.url))
    const begun = `addon.importTable(${JSON.stringify(source)}, ${JSON.stringify(at('flights.cstore'))}, {}); setImmediate(() => process.exit(0))`
    const loads = `const { addon } = await import(${JSON.stringify(new URL('./addon.mjs', import.meta.url).href)})\n`
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', loads + begun], { encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, signal], [0, null])
    let rows = 0
    try {
      rows = addon.openTablesSync([at('flights.cstore')]).length
    } catch (error) {
      assert.match(error.message, /"store_not_found"|"truncated_file"|"corrupt_header"/)
    }
    assert.ok(rows === 0 || rows === 20_000)
    assert.equal(addon.importTableSync(source, at('flights.cstore'), { mode: 'replace' }), 20_000)
  })
})

describe('loaders and tables in threads', () => {
  test('that end in the middle, while others go on', async (test) => {
    const at = places(test)
    const streams = new addon.NativeStreams()
    streams.addStore('image', addon.openStoreSync(at('images'), {}))
    const here = await addon.loader(streams, { batch: 500, seed: 1n })
    for (let round = 0; round < 6; round++) {
      const source = program(at, `
        const { parentPort } = await import('node:worker_threads')
        parentPort.postMessage('begun')
        for (;;) { ${BUSY}; await loader.next() }`)
      const workers = Array.from({ length: 3 }, () => new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`)))
      await Promise.all(workers.map((worker) => once(worker, 'message')))
      await new Promise((resolve) => setTimeout(resolve, 8 * round))
      const ended = Promise.all(workers.map((worker) => worker.terminate()))
      for (let step = 0; step < 5; step++) assert.equal((await here.next()).indices.length, 500)
      await ended
    }
    await here.close()
  })
})

test('what JavaScript forgets is given back', async (test) => {
  const at = places(test)
  const { lent } = addon.memoryUse()
  const forgotten = new Set()
  const registry = new FinalizationRegistry((name) => forgotten.add(name))
  await (async () => {
    const table = addon.openTablesSync([at('weather.cstore')])
    const rows = table.all()
    const streams = new addon.NativeStreams()
    streams.addSelection('weather', rows)
    const loader = await addon.loader(streams, { batch: 2000, seed: 1n })
    for (let step = 0; step < 5; step++) await loader.next()
    await rows.columns()
    await table.verify()
    for (const [name, object] of Object.entries({ table, rows, streams, loader })) registry.register(object, name)
  })()
  assert.ok(await collected(() => forgotten.size === 4), [...forgotten].join())
  assert.ok(await collected(() => addon.memoryUse().lent <= lent))
})
