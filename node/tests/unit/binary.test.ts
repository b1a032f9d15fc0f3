import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { findAddon } from '../../ts/binary.js'
import { triple, tripleOf } from '../../ts/platform.js'
import { fails } from '../support/expect.js'

const missing = (id: string) => {
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: 'MODULE_NOT_FOUND' })
}

describe('the addon of a machine', () => {
  it('is named after its platform', () => {
    const never = () => assert.fail('only Linux has two C libraries')
    assert.equal(
      tripleOf('linux', 'x64', () => false),
      'linux-x64-gnu',
    )
    assert.equal(
      tripleOf('linux', 'arm64', () => true),
      'linux-arm64-musl',
    )
    assert.equal(tripleOf('darwin', 'arm64', never), 'darwin-arm64')
    assert.equal(tripleOf('win32', 'x64', never), 'win32-x64-msvc')
    assert.equal(tripleOf('freebsd', 'x64', never), 'freebsd-x64')
  })

  it('is not asked for where WebAssembly is wanted', () => {
    const found = findAddon({ RECASK_FORCE_WASM: '1', RECASK_NATIVE: '/there.node' }, () => assert.fail('nothing is loaded'))
    assert.ok('reason' in found && /RECASK_FORCE_WASM/.test(found.reason))
  })

  it('is the one that was chosen, and no other', async () => {
    const addon = {}
    const found = findAddon({ RECASK_NATIVE: '/there.node' }, (id) => (id === '/there.node' ? addon : assert.fail(id)))
    assert.ok('addon' in found && found.addon === addon)
    await fails(() => findAddon({ RECASK_NATIVE: '/gone.node' }, missing), {
      code: 'unsupported',
      message: /RECASK_NATIVE is \/gone\.node/,
    })
  })

  it('comes from the package of the platform', () => {
    const addon = {}
    const found = findAddon({}, (id) => (id === `@recask/${triple()}` ? addon : missing(id)))
    assert.deepEqual(found, { addon, file: `@recask/${triple()}` })
  })

  it('is missing for a reason that says what to do', () => {
    const found = findAddon({}, missing)
    assert.ok('reason' in found)
    assert.match(found.reason, /there is no @recask\/.* here.*--no-optional.*lock file/)
    const broken = findAddon({}, () => {
      throw new Error("/lib/libc.so.6: version `GLIBC_2.99' not found")
    })
    assert.ok('reason' in broken && /does not load: .*GLIBC_2\.99/.test(broken.reason))
  })
})

describe('the platforms that are built', () => {
  const platforms = JSON.parse(readFileSync(new URL('../../../../../platforms.json', import.meta.url), 'utf8')) as readonly {
    readonly triple: string
    readonly os: string
    readonly cpu: string
    readonly libc?: string
  }[]

  it('are found under the names by which they are looked for', () => {
    for (const { triple: name, os, cpu, libc } of platforms)
      assert.equal(
        tripleOf(os, cpu, () => libc === 'musl'),
        name,
      )
    assert.equal(platforms.length, 8)
    assert.ok(platforms.some(({ triple: name }) => name === triple()))
  })
})
