import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { commandSync, DenseStore } from 'recask'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'

const BIN = fileURLToPath(new URL('../../../../../bin/recask.cjs', import.meta.url))
const run = promisify(execFile)

/** What the program printed, and its exit status. */
async function recask(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  try {
    return { status: 0, ...(await run(process.execPath, [BIN, ...args])) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, stdout, stderr }
  }
}

describe('the recask command', () => {
  it('says its version', async () => {
    const { status, stdout } = await recask('--version')
    assert.deepEqual([status, stdout.trim()], [0, 'recask 0.1.0'])
  })

  it('shows a store', async () => {
    const place = nowhere()
    const store = DenseStore.createSync(place, { dtype: 'u1', itemShape: [28, 28] })
    store.appendSync(new Uint8Array(28 * 28 * 3))
    store.closeSync()
    const { status, stdout } = await recask('info', place)
    assert.equal(status, 0)
    assert.match(stdout, /28/)
  })

  it('ends as the program does where the work fails or the words make no sense', async () => {
    const failed = await recask('info', nowhere())
    assert.equal(failed.status, 1)
    assert.match(failed.stderr, /store_not_found/)
    assert.equal((await recask('no-such-command')).status, 2)
  })

  it('says where it is not there', async () => {
    const work = run(process.execPath, [BIN, '--version'], { env: { ...process.env, RECASK_FORCE_WASM: '1' } })
    await assert.rejects(work, (error: { code: number; stderr: string }) => {
      assert.equal(error.code, 1)
      assert.match(error.stderr, /error\[unsupported\]: the recask command needs the addon/)
      return true
    })
  })

  it('stops at Ctrl-C, and leaves what it works on valid', async () => {
    const place = nowhere()
    const store = DenseStore.createSync(place, { dtype: 'u1', itemShape: [16] })
    store.appendSync(new Uint8Array(16 * 100))
    store.closeSync()
    let [ended, stderr]: [unknown[], string] = [[], '']
    for (const patience of [400, 800, 1600, 3200, 6400]) {
      const child = spawn(process.execPath, [BIN, 'load', place, '--batch', '4', '--steps', '1000000000'])
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
      setTimeout(() => child.kill('SIGINT'), patience)
      ended = await once(child, 'close')
      // Before it listens, the signal ends it as it does any other program.
      if (ended[1] === null) break
    }
    assert.deepEqual(ended, [130, null])
    assert.match(stderr, /error\[interrupted\]/)
  })

  it('takes words only', async () => {
    await fails(() => commandSync('info' as unknown as string[]), 'invalid_argument')
    await fails(() => commandSync([7 as unknown as string]), 'invalid_argument')
  })
})
