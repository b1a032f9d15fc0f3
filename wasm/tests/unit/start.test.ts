import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { RecaskError } from '../../ts/errors.js'
import { enter, reset } from '../../ts/module.js'
import { type Build, starter } from '../../ts/start.js'
import { chooseThreads, type Surroundings } from '../../ts/surroundings.js'

/** The smallest module; with a memory from outside, as the threaded build has one. */
const PLAIN = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)
const SHARED = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, 8, 1, 1, 0x61, 1, 0x62, 2, 0, 1)
const ALONE: Surroundings = { workers: true, isolated: false, blocking: true, processors: 4 }
const TOGETHER: Surroundings = { ...ALONE, isolated: true }

class Fake implements Build {
  readonly address: URL
  starts = 0
  threads: number | undefined
  limit: number | undefined
  failures = 0
  isStuck = false

  constructor(bytes: Uint8Array) {
    this.address = new URL(`data:application/wasm;base64,${Buffer.from(bytes).toString('base64')}`)
  }

  async glue() {
    return {
      default: async ({ module_or_path }: { module_or_path: WebAssembly.Module }) => {
        assert.ok(module_or_path instanceof WebAssembly.Module)
        this.starts += 1
        if (this.starts <= this.failures) throw new Error('not today')
      },
      initThreadPool: (threads: number) => {
        this.threads = threads
        return this.isStuck ? new Promise<void>(() => {}) : Promise.resolve()
      },
      setMemoryLimit: (limit: number) => void (this.limit = limit),
      version: () => '1.2.3',
      zstd: () => 'a library',
    }
  }
}

function prepared(around: Surroundings) {
  const [single, threaded] = [new Fake(PLAIN), new Fake(SHARED)]
  return { single, threaded, ...starter(single, threaded, () => around) }
}

beforeEach(reset)

const refused = (work: Promise<unknown>, code: string, message: RegExp) =>
  assert.rejects(work, (error) => error instanceof RecaskError && error.code === code && message.test(error.message))

test('starts once, however often it is called', async () => {
  const { init, single, threaded } = prepared(ALONE)
  await Promise.all([init(), init(), init()])
  await init()
  assert.deepEqual([single.starts, threaded.starts], [1, 0])
})

test('an isolated worker gets the threaded module, and no other is touched', async () => {
  const { init, capabilities, single, threaded } = prepared(TOGETHER)
  await init()
  assert.deepEqual([single.starts, threaded.starts, threaded.threads], [0, 1, 4])
  assert.equal(capabilities().threads, 4)
  assert.match(capabilities().reason, /isolated/)
})

test('says what runs', async () => {
  const { init, capabilities, single } = prepared(ALONE)
  assert.throws(capabilities, /await init\(\)/)
  await init({ memory: 1000 })
  const { version, zstd, memoryLimit, threads, reason, simd, opfs } = capabilities()
  assert.deepEqual([version, zstd, memoryLimit, threads, simd, opfs], ['1.2.3', 'a library', 1000, 1, true, false])
  assert.match(reason, /Cross-Origin-Opener-Policy/)
  assert.equal(single.limit, 1000)
})

test('the same options again are nothing, others are an error, none are content', async () => {
  const { init, single } = prepared(ALONE)
  await init({ memory: 1000, threads: false })
  await init({ threads: false, memory: 1000 })
  await init()
  await refused(init({ memory: 2000, threads: false }), 'invalid_argument', /other options/)
  await refused(init(PLAIN), 'invalid_argument', /other options/)
  assert.equal(single.starts, 1)
})

test('after a failure it may be called again', async () => {
  const { init, single } = prepared(ALONE)
  single.failures = 1
  await refused(init(), 'unsupported', /not today/)
  await init({ memory: 5000 })
  assert.equal(enter(() => 1), 1)
})

test('takes bytes, a module, a response, a promise of one, and an address', async () => {
  const response = () => new Response(PLAIN, { headers: { 'Content-Type': 'application/wasm' } })
  const untyped = () => new Response(PLAIN)
  const { address } = new Fake(PLAIN)
  const all = [PLAIN, PLAIN.buffer, await WebAssembly.compile(PLAIN), response(), untyped(), Promise.resolve(response()), address, address.href]
  for (const module of all) {
    reset()
    const { init, single } = prepared(TOGETHER)
    await init(module as Uint8Array)
    assert.equal(single.starts, 1)
    reset()
    const other = prepared(ALONE)
    await other.init({ module: module instanceof Response || module instanceof Promise ? PLAIN : (module as Uint8Array) })
    assert.equal(other.single.starts, 1)
  }
})

test('a module that was given decides which build it is', async () => {
  const threaded = prepared(TOGETHER)
  await threaded.init(SHARED)
  assert.equal(threaded.threaded.starts, 1)
  reset()
  const single = prepared(TOGETHER)
  await single.init(PLAIN)
  assert.match(single.capabilities().reason, /has no threads/)
  reset()
  await refused(prepared(ALONE).init(SHARED), 'unsupported', /cannot run.*not isolated/)
})

test('says why a module is none', async () => {
  const { init } = prepared(ALONE)
  await refused(init(new Response('<html>', { headers: { 'Content-Type': 'text/html' } })), 'io', /text\/html/)
  await refused(init(new Response('', { status: 404 })), 'io', /404/)
  await refused(init(Uint8Array.of(1, 2, 3)), 'unsupported', /cannot be compiled/)
  await refused(init('http://localhost:1/none.wasm'), 'io', /cannot be fetched/)
  await refused(init(5 as never), 'invalid_argument', /init takes/)
})

test('names the policy that forbids WebAssembly', async (t) => {
  const message = "WebAssembly.compile(): Refused to compile because 'unsafe-eval' is not allowed by the Content Security Policy"
  t.mock.method(WebAssembly, 'compile', () => Promise.reject(new WebAssembly.CompileError(message)))
  await refused(prepared(ALONE).init(PLAIN), 'unsupported', /'wasm-unsafe-eval'/)
})

test('refuses options without a meaning', async () => {
  const { init } = prepared(ALONE)
  await refused(init({ threads: 0 }), 'invalid_argument', /threads/)
  await refused(init({ threads: 'many' as never }), 'invalid_argument', /threads/)
  await refused(init({ memory: -1 }), 'invalid_argument', /memory/)
})

const choices: [string, 'auto' | false | number, Partial<Surroundings>, number, RegExp][] = [
  ['one for each processor', 'auto', {}, 4, /4 processors/],
  ['as many as are wanted', 3, {}, 3, /isolated/],
  ['sixteen at most', 'auto', { processors: 128 }, 16, /128/],
  ['none wanted', false, {}, 1, /asked for/],
  ['one wanted', 1, {}, 1, /asked for/],
  ['one processor', 'auto', { processors: 1 }, 1, /one processor/],
  ['two wanted on one processor', 2, { processors: 1 }, 2, /isolated/],
  ['no isolation', 'auto', { isolated: false }, 1, /Cross-Origin-Embedder-Policy/],
  ['the main thread', 'auto', { blocking: false }, 1, /worker/],
  ['no workers', 4, { workers: false }, 1, /no Web Workers/],
]
for (const [name, wanted, around, threads, reason] of choices) {
  test(`threads: ${name}`, () => {
    const choice = chooseThreads(wanted, { ...TOGETHER, ...around })
    assert.equal(choice.threads, threads)
    assert.match(choice.reason, reason)
  })
}

test('threads that never start are told of, and one thread can be had then', async (context) => {
  const { init, capabilities, threaded, single } = prepared(TOGETHER)
  threaded.isStuck = true
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const starting = refused(init(), 'unsupported', /did not start the workers for threads within 60 s/)
  while (threaded.threads === undefined) await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  context.mock.timers.tick(60_000)
  await starting
  await init({ threads: false })
  assert.deepEqual([capabilities().threads, single.starts], [1, 1])
})
