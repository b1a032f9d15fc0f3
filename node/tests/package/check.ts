/** The package as users get it: packed, installed into an empty folder, and used in all ways. */

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { triple } from '../../ts/platform.js'
import { Installed, NODE, run } from './folder.js'
import { readme } from './readme.js'
import { checkTypes } from './types.js'

const pkg = (name: string) => join(NODE, 'pkg', name)

/** Makes a store, reads it, and tells what runs. */
const WORK = `
async function work() {
  const store = await DenseStore.create('numbers-' + process.pid, { dtype: 'int16', itemShape: [2] })
  await store.append(Int16Array.of(1, 2, 3, 4))
  await store.close()
  const read = await DenseStore.open('numbers-' + process.pid)
  const { data } = await read.gather(-1)
  await read.close()
  return { data: Array.from(data), engine: capabilities().engine }
}
work().then((report) => console.log(JSON.stringify(report)))
`
const ESM = `import { capabilities, DenseStore } from 'recask'\n${WORK}`
const CJS = `const { capabilities, DenseStore } = require('recask')\n${WORK}`
const NATIVE = { data: [3, 4], engine: 'native' }
const WASM = { data: [3, 4], engine: 'wasm' }

async function withAddon(app: Installed): Promise<void> {
  assert.deepEqual(await app.script('import.js', ESM), NATIVE)
  assert.deepEqual(await app.script('require.cjs', CJS), NATIVE)
  const same = `import { RecaskError } from 'recask'\nimport { createRequire } from 'node:module'
console.log(createRequire(import.meta.url)('recask').RecaskError === RecaskError)`
  assert.equal(await app.script('same.js', same), true)
  console.log('import and require: work, and are the same')
  const version = await run(app.folder, 'npx', ['recask', '--version'])
  assert.match(version, /^recask \d+\.\d+\.\d+/)
  console.log(`npx recask: ${version.trim()}`)
  await checkTypes(app)
  await readme(app)
}

async function withWasm(app: Installed): Promise<void> {
  assert.deepEqual(await app.script('import.js', ESM), WASM)
  assert.deepEqual(await app.script('require.cjs', CJS), WASM)
  console.log('without an addon: WebAssembly')
}

async function withBoth(app: Installed): Promise<void> {
  assert.deepEqual(await app.script('import.js', ESM), NATIVE)
  assert.deepEqual(await app.script('import.js', ESM, { RECASK_FORCE_WASM: '1' }), WASM)
  console.log('RECASK_FORCE_WASM: WebAssembly')
}

/** Says what is missing, and why. */
async function withNothing(app: Installed): Promise<void> {
  const failing = ESM.replace('console.log(JSON.stringify(report))', '{}').replace(
    'work().then',
    'work().catch(({ name, code, message }) => console.log(JSON.stringify({ name, code, message }))).then',
  )
  const { name, code, message } = (await app.script('import.js', failing)) as { name: string; code: string; message: string }
  assert.deepEqual([name, code], ['RecaskError', 'unsupported'])
  assert.match(message, /there is no @recask\/.*recask-wasm, which would do instead, does not load/)
  console.log('without either: said')
}

await run(NODE, process.execPath, ['build/package.js'])
const [addon, wasm] = [pkg(triple()), join(NODE, '../wasm/pkg')]
assert.ok(existsSync(addon), `there is no addon for ${triple()}: build it first`)
const ways: readonly (readonly [packages: readonly string[], check: (app: Installed) => Promise<void>])[] = [
  [[pkg('recask'), addon], withAddon],
  [[pkg('recask'), wasm], withWasm],
  [[pkg('recask'), addon, wasm], withBoth],
  [[pkg('recask')], withNothing],
]
for (const [packages, check] of ways) {
  const app = await Installed.with(...packages)
  try {
    await check(app)
  } finally {
    await rm(app.folder, { recursive: true, force: true })
  }
}
