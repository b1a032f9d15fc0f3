import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { addon, filled, folder } from './addon.mjs'
import { weather } from './tables.mjs'

/** Runs a program beside the tests; gives what it wrote, its status and its signal. */
async function run(code, ...args) {
  const { child, ended } = started(code, ...args)
  child.stdin.end()
  return ended
}

function started(code, ...args) {
  const program = `import { addon } from ${JSON.stringify(new URL('addon.mjs', import.meta.url).href)}\nconst args = process.argv.slice(1)\n${code}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', ...args], { cwd: fileURLToPath(new URL('.', import.meta.url)) })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  return { child, ended: new Promise((resolve) => child.on('close', (status, signal) => resolve({ ...output, status, signal }))) }
}

const AT_ONCE = `process.exitCode = addon.commandSync(['recask', ...args])`
const LATER = `process.exitCode = await addon.command(['recask', ...args])`

describe('the command', () => {
  for (const [how, program] of Object.entries({ 'at once': AT_ONCE, later: LATER })) {
    test(`answers with its output and its exit status: ${how}`, async (test) => {
      const at = folder(test)
      filled(at('digits'), 5, 4).closeSync()
      const info = await run(program, 'info', at('digits'), '--json')
      assert.deepEqual([info.status, JSON.parse(info.stdout).records, info.stderr], [0, 5, ''])
      const version = await run(program, '--version')
      assert.deepEqual([version.status, version.stdout], [0, `recask ${addon.version()}\n`])
      const missing = await run(program, 'info', at('nothing'))
      assert.equal(missing.status, 1)
      assert.match(missing.stderr, /^error\[store_not_found\]: /)
      const usage = await run(program, 'info', '--none')
      assert.equal(usage.status, 2)
      assert.match(usage.stderr, /^error\[invalid_argument\]: .*--none/)
    })
  }

  test('imports and verifies what the addon reads', async (test) => {
    const at = folder(test)
    const source = fileURLToPath(new URL('../../../native/cli/data/flights-20k.parquet', import.meta.url))
    assert.equal((await run(LATER, 'import', source, at('flights.cstore'))).status, 0)
    assert.equal(addon.openTablesSync([at('flights.cstore')]).length, 20_000)
    assert.equal((await run(LATER, 'verify', at('flights.cstore'))).status, 0)
  })

  test('writes all of a long output to a slow reader, also behind what JavaScript wrote', async (test) => {
    const path = weather(folder(test)('weather.cstore'), 30_000)
    const { child, ended } = started(`console.log('first')\n${LATER}\nconsole.log('last')`, 'head', path, '-n', '30000', '--json')
    child.stdout.pause()
    setTimeout(() => child.stdout.resume(), 500)
    const { stdout, stderr, status } = await ended
    assert.deepEqual([status, stderr], [0, ''])
    const lines = stdout.trimEnd().split('\n')
    assert.deepEqual([lines.at(0), lines.at(-1)], ['first', 'last'])
    assert.ok(stdout.length > 1 << 20)
    for (const line of lines.slice(1, -1)) JSON.parse(line)
  })

  test('of several that are started at a time runs one after the other', async (test) => {
    const at = folder(test)
    filled(at('a'), 5, 4).closeSync()
    const program = `const all = await Promise.all(args.map((path) => addon.command(['recask', 'info', path, '--json'])))\nconsole.log(JSON.stringify(all))`
    const { stdout } = await run(program, at('a'), at('none'), at('a'))
    const lines = stdout.trimEnd().split('\n')
    assert.deepEqual(JSON.parse(lines.at(-1)), [0, 1, 0])
    assert.deepEqual(lines.slice(0, 2).map((line) => JSON.parse(line).records), [5, 5])
  })

  test('leaves signals to JavaScript, which can stop it', async (test) => {
    const path = weather(folder(test)('weather.cstore'), 1000)
    const program = `
      const stop = new addon.NativeStop()
      process.on('SIGINT', () => stop.stop())
      setTimeout(() => console.log('running'), 300)
      process.exitCode = await addon.command(['recask', 'load', args[0], '--batch', '4', '--steps', '1000000000'], stop)
    `
    const { child, ended } = started(program, path)
    child.stdout.once('data', () => child.kill('SIGINT'))
    const { status, signal, stderr } = await ended
    assert.deepEqual([status, signal], [130, null])
    assert.match(stderr, /error\[interrupted\]/)
    // Without anybody who listens, the signal ends the process as it does any other.
    const other = started(`setTimeout(() => console.log('running'), 300)\n${LATER}`, 'load', path, '--batch', '4', '--steps', '1000000000')
    other.child.stdout.once('data', () => other.child.kill('SIGINT'))
    assert.equal((await other.ended).signal, 'SIGINT')
  })

  test('without arguments of its own shows how to use it', async () => {
    const { status, stderr } = await run(AT_ONCE)
    assert.equal(status, 2)
    assert.match(stderr, /Usage: recask/)
    assert.throws(() => addon.commandSync('info'))
    assert.throws(() => addon.commandSync([1]))
  })
})
