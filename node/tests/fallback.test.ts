/** Everything that waits, where there is no addon and WebAssembly stands in for it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dense } from './both/dense.js'
import { disposal } from './both/disposal.js'
import { files } from './both/files.js'
import { loaders } from './both/loaders.js'
import { ragged } from './both/ragged.js'
import { records } from './both/records.js'
import { tables } from './both/tables.js'
import { writable } from './both/writable.js'
import { fails } from './support/expect.js'
import { load, withoutAddon } from './support/fallback.js'
import { nowhere } from './support/place.js'

process.env['RECASK_FORCE_WASM'] = '1'
const recask = await load(withoutAddon())

describe('without an addon', () => {
  it('what cannot wait says to wait first', async () => {
    const options = { mode: 'cyclic', length: 10, batch: 2, seed: 1 } as const
    await fails(() => new recask.Sampler(options), { code: 'invalid_argument', message: /await init\(\)/ })
    const { engine, reason, ...later } = recask.capabilities()
    assert.equal(engine, 'wasm')
    assert.match(reason, /RECASK_FORCE_WASM/)
    assert.deepEqual(later, {})
    await recask.init()
    assert.deepEqual(Object.keys(recask.capabilities()), ['engine', 'reason', 'threads', 'zstd', 'version'])
    assert.equal(new recask.Sampler(options).at(0).length, 2)
  })

  it('it is said what runs, and why', async () => {
    await recask.init()
    const { engine, reason, version } = recask.capabilities()
    assert.deepEqual([engine, version], ['wasm', '0.1.0'])
    assert.match(reason, /RECASK_FORCE_WASM/)
  })

  it('what only the addon has says so', async () => {
    const isMissing = { code: 'unsupported', message: /RECASK_FORCE_WASM=1/ }
    const store = await recask.DenseStore.create(nowhere(), { dtype: 'u1' })
    for (const call of [() => store.gatherSync(0), () => store.appendSync(Uint8Array.of(1)), () => store.closeSync()])
      await fails(call, isMissing)
    await store.close()
    await fails(() => recask.DenseStore.openSync(nowhere()), isMissing)
    await fails(() => recask.importParquet('a.parquet', nowhere()), isMissing)
    await fails(() => recask.exportTo('a', 'b.npy'), isMissing)
    await fails(() => recask.command(['--version']), isMissing)
  })

  it('two writers of one place in this process are refused', async () => {
    const place = nowhere()
    const store = await recask.DenseStore.create(place, { dtype: 'u1' })
    await fails(() => recask.DenseStore.open(place, { write: true }), 'store_busy')
    await store.close()
    const again = await recask.DenseStore.open(place, { write: true })
    await again.close()
  })
})

for (const suite of [dense, ragged, records, writable, tables, loaders, files, disposal]) suite({ recask, isNative: false })
