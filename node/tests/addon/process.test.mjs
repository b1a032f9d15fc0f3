import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

import { addon, ALL, file, filled, folder, values } from './addon.mjs'

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url))

function reader(t) {
  const place = folder(t)('store')
  filled(place, 2000, 1024, 'zstd').closeSync()
  return place
}

test('several threads use the addon at once', async (t) => {
  const place = reader(t)
  const workers = Array.from({ length: 6 }, () => new Worker(WORKER, { workerData: { place, rounds: 20 } }))
  const here = addon.openStoreSync(place, {})
  const answers = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]))
  for (let round = 0; round < 20; round++) assert.equal((await here.gatherDense(ALL)).bytes.length, 2000 * 1024)
  assert.deepEqual(answers, Array(6).fill(20))
  await Promise.all(workers.map((worker) => worker.terminate()))
  assert.deepEqual((await here.gatherDense([0, 3, 1])).bytes, values(0, 3, 1024))
  here.closeSync()
})

test('threads that end in the middle leave everything well', async (t) => {
  const place = reader(t)
  for (let round = 0; round < 8; round++) {
    const workers = Array.from({ length: 3 }, () => new Worker(WORKER, { workerData: { place, rounds: Infinity } }))
    await Promise.all(workers.map((worker) => once(worker, 'online')))
    await new Promise((resolve) => setTimeout(resolve, 10 * round))
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
  const here = addon.openStoreSync(place, {})
  assert.equal((await here.verify()).found, 0)
  here.closeSync()
})

/** Runs a program that has `addon`, `place` and what else it needs. */
function run(place, program, settings = {}) {
  const source = `
    const { addon, ALL, filled, values, list } = await import(${JSON.stringify(new URL('./addon.mjs', import.meta.url).href)})
    const place = ${JSON.stringify(place)}
    ${program}`
  const env = { ...process.env, RECASK_NATIVE: file, ...settings }
  return spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', source], { encoding: 'utf8', env, timeout: 60_000 })
}

for (const [what, program] of [
  ['gathers', 'const store = addon.openStoreSync(place, {}); for (let i = 0; i < 50; i++) store.gatherDense(ALL)'],
  ['a check that is watched', 'addon.openStoreSync(place, {}).verify(null, () => {})'],
  ['fillings', 'const store = addon.openStoreSync(place, {}); for (let i = 0; i < 20; i++) store.gatherDenseInto(ALL, store.gatherDenseSync(ALL).bytes)'],
]) {
  test(`a process may end in the middle of ${what}`, (t) => {
    const place = reader(t)
    for (const end of ['process.exit(7)', 'setTimeout(() => process.exit(7), 3)', 'setImmediate(() => process.exit(7))']) {
      const { status, signal, stderr } = run(place, `${program}; ${end}`)
      assert.deepEqual({ status, signal, stderr }, { status: 7, signal: null, stderr: '' })
    }
  })
}

test('a process may end in the middle of appends; the store is whole', (t) => {
  const place = folder(t)('store')
  filled(place, 1, 1024).closeSync()
  const program = 'const store = addon.openStoreSync(place, { write: true }); for (let i = 0; i < 200; i++) store.appendDense(values(i, 100, 1024))'
  const { status, signal } = run(place, `${program}; setTimeout(() => process.exit(7), 5)`)
  assert.deepEqual({ status, signal }, { status: 7, signal: null })
  const store = addon.openStoreSync(place, { write: true })
  assert.equal((store.length - 1) % 100, 0)
  assert.equal(store.verifySync().found, 0)
  store.closeSync()
})

test('a function that throws while it is told of progress does not harm the work', (t) => {
  const { status, stdout } = run(reader(t), `
    const caught = new Set()
    process.on('uncaughtException', ({ message }) => caught.add(message))
    const store = addon.openStoreSync(place, {})
    const { records } = await store.verify(null, () => { throw new Error('its own fault') })
    setImmediate(() => console.log(records, ...caught))`)
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '2000 its own fault\n' })
})

test('one thread for everything is enough', (t) => {
  const place = reader(t)
  const { status, stdout } = run(place, `
    const store = addon.openStoreSync(place, { write: true })
    const calls = Array.from({ length: 50 }, (_, i) => [store.appendDense(values(i, 10, 1024)), store.gatherDense(ALL)])
    const first = store.appendDenseSync(values(0, 1, 1024))
    await Promise.all(calls.flat())
    await store.close()
    console.log(first)`, { UV_THREADPOOL_SIZE: '1', RAYON_NUM_THREADS: '1' })
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '2500\n' })
})

test('work that nobody waits for does not keep the process, nor a store that nobody closed', (t) => {
  const place = reader(t)
  const { status, stdout } = run(place, `
    const store = addon.openStoreSync(place, {})
    const report = await store.verify(new addon.NativeStop(), () => {})
    console.log(report.records)`)
  assert.deepEqual({ status, stdout }, { status: 0, stdout: '2000\n' })
})

test('a thread that has the addon alone may end, and the next one use it', (t) => {
  const place = reader(t)
  const source = `
    import { Worker } from 'node:worker_threads'
    import { once } from 'node:events'
    for (let round = 0; round < 3; round++) {
      const worker = new Worker(${JSON.stringify(WORKER)}, { workerData: { place: ${JSON.stringify(place)}, rounds: 2 }, execArgv: [] })
      const [[done]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')])
      console.log(done)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }`
  const env = { ...process.env, RECASK_NATIVE: file }
  const { status, signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8', env, timeout: 60_000 })
  assert.deepEqual({ status, signal, stdout }, { status: 0, signal: null, stdout: '2\n2\n2\n' })
})
