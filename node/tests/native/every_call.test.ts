/**
 * Every function, method and property of the package with values of every kind: it works, or fails with an error that says why.
 * Nothing hangs, and the process lives.
 */

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import * as recask from 'recask'
import { check } from '../support/checking.js'
import { detached, everySpoilt, odd, spoiled, Trap, trap } from '../support/odd.js'
import { nowhere } from '../support/place.js'

const { DenseStore, Loader, RaggedStore, Sampler, Table, TableWriter } = recask

/** Any names will do: what is here is removed with the folder. */
const folder = nowhere('work')
const at = (name: string) => join(folder, name)
/** A place that was not used before. */
let made = 0
const fresh = (ending = '') => at(`made-${(made += 1)}${ending}`)

/** What there is of each class, anew for each run. */
interface Instances {
  readonly dense: recask.DenseStore
  readonly ragged: recask.RaggedStore
  readonly table: recask.Table
  readonly selection: recask.Selection
  readonly writer: recask.TableWriter
  readonly sampler: recask.Sampler
  readonly loader: recask.Loader
}

const everything = { signal: new AbortController().signal, onProgress: () => {} }
const order = { mode: 'cyclic', length: 6, batch: 2, seed: 1, rank: 0, world: 1 }

/** Right arguments of every call; those of `xSync` are those of `x`. */
type Rights = Readonly<Record<string, (all: Instances) => readonly unknown[]>>
const none = () => []
const options = () => [{ ...everything }]

const STORE: Rights = {
  stats: options,
  verify: options,
  refresh: options,
  delete: () => [[0]],
  compact: options,
  sync: none,
  close: none,
  records: () => [{ index: [0, 1], batch: 1, prefetch: 1 }],
  writable: () => [{ highWaterMark: 2, batch: 1 }],
}

const SELECTION: Rights = {
  select: () => [['a']],
  rows: () => [[0, -1]],
  head: () => [2],
  tail: () => [2],
  filter: () => ['a > ? and b < ?', [1, 2.5]],
  count: options,
  rowNumbers: options,
  columns: options,
  column: () => ['a', { ...everything }],
  summaries: () => [{ skipMissing: true }],
  distinct: () => ['a', { ...everything }],
  object: options,
  arrow: () => [{ format: 'stream' }],
  toRows: options,
  export: () => [fresh('.csv'), { format: 'csv', replace: true, delimiter: ';', header: true, compression: 'none' }],
}

const METHODS: { readonly [Name in keyof Instances]: Rights } = {
  dense: {
    ...STORE,
    gather: () => [[0, 1], { ...everything }],
    gatherInto: () => [[0, 1], new Int16Array(4), { ...everything }],
    append: () => [Int16Array.of(1, 2, 3, 4)],
  },
  ragged: {
    ...STORE,
    gather: () => [[0, 1], { ...everything }],
    append: () => [[Float32Array.of(1), { data: Float32Array.of(1, 2), shape: [2, 1] }]],
  },
  table: { ...SELECTION, verify: options, close: none },
  selection: SELECTION,
  writer: {
    write: () => [{ a: Int32Array.of(1), b: { data: Float64Array.of(1), dtype: '<f8' } }],
    writeArrow: ({ selection }) => [selection.arrowSync(), { nulls: 'zero', width: 3, utf8: true, decimalsAsFloats: true }],
    writeSelection: ({ selection }) => [selection],
    commit: none,
    abort: none,
    close: none,
  },
  sampler: {
    at: () => [3],
    stepsOf: () => [1, { from: 2, count: 3 }],
    epoch: () => [2n],
    shard: () => [1, 2],
  },
  loader: { next: options, state: none, seek: () => [3n], close: none },
}

const place = () => ['dense']
const imports = (source: string, ending = '') => [
  at(source),
  fresh(ending),
  { codec: 'zstd', level: 1, columns: ['a'], fields: ['a'], mode: 'create', layout: '0.5', statistics: true, ...everything },
]

const STATICS: Readonly<Record<string, Rights>> = {
  DenseStore: {
    open: () => [at('dense'), { write: false, codec: 'raw', level: 1 }],
    create: () => [fresh(), { dtype: '<f4', itemShape: [2], codec: 'zstd', level: 3 }],
  },
  RaggedStore: {
    open: () => [at('ragged'), { write: false, level: 1 }],
    create: () => [fresh(), { dtype: '<f4', codec: 'zstd_dict', dictionary: new Uint8Array(9) }],
  },
  Table: {
    open: () => [[at('table.cstore'), at('table.cstore')], { ...everything }],
    create: () => [fresh('.cstore'), { layout: '0.5', statistics: true }],
    append: () => [at('table.cstore')],
    compact: () => [at('table.cstore'), { ...everything }],
    fromArrow: ({ selection }) => [fresh('.cstore'), selection.arrowSync(), { layout: '0.5', nulls: 'refuse' }],
  },
}

const FUNCTIONS: Rights = {
  init: none,
  capabilities: none,
  memoryUse: none,
  keepMemory: () => [2 ** 28],
  openAny: place,
  verify: () => [folder, { ...everything }],
  dateUnit: () => ['<M8[ns]'],
  float16ToFloat32: () => [Uint16Array.of(1, 2)],
  release: ({ dense }) => [dense.gatherSync(0)],
  trainDict: () => [[Buffer.from('abc'), Buffer.from('abd')], { tier: 'fast' }],
  appendSource: () => [at('dense'), at('dense')],
  exportTo: () => [at('dense'), fresh('.npy'), { index: [0] }],
  importArrow: () => imports('rows.arrow', '.cstore'),
  importCsv: () => imports('rows.csv', '.cstore'),
  importFiles: () => [
    'rows.*',
    fresh(),
    {
      cwd: folder,
      decode: (bytes: Uint8Array) => bytes,
      kind: 'ragged',
      names: true,
      concurrency: 2,
      dtype: 'u1',
      ...everything,
    },
  ],
  importIdx: () => imports('a.idx'),
  importJsonl: () => imports('rows.jsonl'),
  importNpy: () => imports('a.npy'),
  importNpz: () => imports('a.npz'),
  importParquet: () => imports('rows.parquet', '.cstore'),
  // It prints: see command.test.ts. A command that is given wrong words does nothing else.
  command: () => [['info', at('none')]],
}

/** Without an end a loader never says that it has none. */
const CONSTRUCTORS: Rights = {
  DenseStore: none,
  RaggedStore: none,
  Table: none,
  TableWriter: none,
  Selection: none,
  Sampler: () => [order],
  Loader: ({ dense, table }) => [
    { dense, table },
    {
      batch: 2,
      mode: 'cyclic',
      seed: 1,
      rank: 0,
      world: 1,
      prefetch: 1,
      step: 0,
      end: 3,
      onLoss: 'fail',
      workers: 2,
      transform: (b: object) => b,
    },
  ],
  RecaskError: () => ['io', 'text', {}],
}

function written(): void {
  mkdirSync(folder, { recursive: true })
  process.chdir(folder)
  const dense = DenseStore.createSync(at('dense'), { dtype: 'int16', itemShape: [2] })
  dense.appendSync(Int16Array.from({ length: 12 }, (_, i) => i))
  dense.closeSync()
  const ragged = RaggedStore.createSync(at('ragged'), { dtype: 'float32', codec: 'zstd' })
  ragged.appendSync(Array.from({ length: 6 }, (_, i) => new Float32Array(i + 1)))
  ragged.closeSync()
  const writer = Table.createSync(at('table.cstore'))
  writer.writeSync({ a: Int32Array.from({ length: 6 }, (_, i) => i), b: Float64Array.from({ length: 6 }, (_, i) => i / 2) })
  writer.closeSync()
  const table = Table.openSync(at('table.cstore'))
  for (const ending of ['csv', 'jsonl', 'arrow', 'parquet']) table.exportSync(at(`rows.${ending}`))
  table.exportSync(at('a.npz'))
  table.closeSync()
  recask.exportToSync(at('dense'), at('a.npy'))
  writeFileSync(at('a.idx'), Uint8Array.of(0, 0, 8, 1, 0, 0, 0, 2, 7, 9))
}

/** Each is made when it is first wanted. */
class Made implements Instances {
  readonly #made = new Map<keyof Instances, unknown>()

  get dense(): recask.DenseStore {
    return this.#once('dense', () => {
      const store = DenseStore.createSync(fresh(), { dtype: 'int16', itemShape: [2] })
      store.appendSync(Int16Array.from({ length: 12 }, (_, i) => i))
      return store
    })
  }

  get ragged(): recask.RaggedStore {
    return this.#once('ragged', () => {
      const store = RaggedStore.createSync(fresh(), { dtype: 'float32' })
      store.appendSync(Array.from({ length: 6 }, (_, i) => new Float32Array(i + 1)))
      return store
    })
  }

  get table(): recask.Table {
    return this.#once('table', () => Table.openSync(at('table.cstore')))
  }

  get selection(): recask.Selection {
    return this.#once('selection', () => this.table.filter('a >= 0'))
  }

  get writer(): recask.TableWriter {
    return this.#once('writer', () => Table.createSync(fresh('.cstore')))
  }

  get sampler(): recask.Sampler {
    return this.#once('sampler', () => new Sampler(order as recask.SamplerOptions))
  }

  get loader(): recask.Loader {
    return this.#once('loader', () => new Loader({ table: this.table }, { batch: 2, seed: 1, end: 9 }))
  }

  async close(): Promise<void> {
    const closing = [...this.#made].flatMap(([name, one]) => (name === 'selection' || name === 'sampler' ? [] : [one]))
    await Promise.all(closing.map((one) => (one as recask.Table).close()))
  }

  #once<One>(name: keyof Instances, make: () => One): One {
    const one = (this.#made.get(name) as One | undefined) ?? make()
    this.#made.set(name, one)
    return one
  }
}

/** Whatever a call gives is waited for, looked at and closed. */
async function settled(work: () => unknown): Promise<void> {
  try {
    const given = await work()
    if (typeof given !== 'object' || given === null) return
    if (given instanceof Loader) await given.next()
    if (given instanceof recask.Selection && !(given instanceof Table)) await given.count()
    if (given instanceof TableWriter) await given.abort()
    else if (Symbol.asyncIterator in given && 'return' in given) {
      const iterator = given as AsyncGenerator
      await iterator.next().finally(() => iterator.return(undefined))
    } else if ('destroy' in given) (given as { destroy(): void }).destroy()
    else if ('close' in given) await (given as { close(): Promise<void> }).close()
  } catch (error) {
    expectKnown(error)
  }
}

/** Only what was given may fail in its own way. */
function expectKnown(error: unknown): void {
  if (error instanceof Trap) return
  if (error instanceof DOMException && error.name === 'AbortError') return
  const isKnown = error instanceof recask.RecaskError || error instanceof TypeError
  assert.ok(isKnown, error instanceof Error ? error.stack : String(error))
  if (error instanceof recask.RecaskError) assert.notEqual(error.code, 'internal', error.stack)
}

/** What takes long is stuck: everything here is small. */
async function inTime(what: string, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not end`)), 30_000)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const isSync = (name: string) => name.endsWith('Sync')
const plainly = (name: string) => (isSync(name) ? name.slice(0, -'Sync'.length) : name)

/** Not in the types of the package. */
const INTERNAL = ['constructor', 'of', 'is', 'rawOf', 'resolve', 'resolveSync', 'changed', 'changedSync']

/** The names of what can be called. */
function callsOf(object: object): string[] {
  const found = Object.entries(Object.getOwnPropertyDescriptors(object))
  return found.flatMap(([name, { value }]) => (typeof value === 'function' && !INTERNAL.includes(name) ? [name] : []))
}

/** One call of the package. */
interface Call {
  readonly what: string
  readonly run: (all: Instances, spoil: (right: readonly unknown[]) => unknown[]) => unknown
}

function calls(): Call[] {
  const all: Call[] = []
  const add = (what: string, rights: Rights, name: string, run: (all: Instances, given: unknown[]) => unknown) => {
    const right = rights[plainly(name)]
    assert.ok(right, `${what} has no right arguments here`)
    all.push({ what, run: (instances, spoil) => run(instances, spoil(right(instances))) })
  }
  for (const [name, rights] of Object.entries(METHODS) as [keyof Instances, Rights][]) {
    const own = ['dense', 'ragged'].includes(name) ? Object.getPrototypeOf(DenseStore).prototype : undefined
    const type = {
      dense: DenseStore,
      ragged: RaggedStore,
      table: Table,
      selection: recask.Selection,
      writer: TableWriter,
      sampler: Sampler,
      loader: Loader,
    }[name]
    for (const method of [...callsOf(type.prototype), ...(own ? callsOf(own) : [])]) {
      add(`${name}.${method}`, rights, method, (all, given) =>
        (all[name] as unknown as Record<string, (...given: unknown[]) => unknown>)[method]!(...given),
      )
    }
  }
  for (const [name, rights] of Object.entries(STATICS)) {
    const type = recask[name as 'Table'] as unknown as Record<string, (...given: unknown[]) => unknown>
    for (const method of callsOf(type)) {
      add(`${name}.${method}`, rights, method, (_, given) => type[method]!(...given))
    }
  }
  for (const [name, value] of Object.entries(recask)) {
    if (typeof value !== 'function') continue
    if (/^[A-Z]/.test(name)) {
      const Type = value as unknown as new (...given: unknown[]) => unknown
      add(`new ${name}`, CONSTRUCTORS, name, (_, given) => new Type(...given))
    } else add(name, FUNCTIONS, name, (_, given) => (value as (...given: unknown[]) => unknown)(...given))
  }
  return all
}

describe('every call', () => {
  before(written)
  after(() => {
    process.chdir('/')
    rmSync(folder, { recursive: true, force: true })
  })

  const all = calls().filter(({ what }) => !what.startsWith('command'))

  it('works with what it is made for', async () => {
    for (const { what, run } of all) {
      const made = new Made()
      await inTime(
        what,
        settled(() => run(made, (right) => [...right])),
      )
      await made.close()
      // One for all calls of the package, and what else there is has gone.
      assert.ok(getEventListeners(everything.signal, 'abort').length <= 1, `${what} listens to the signal still`)
    }
  })

  it('stands values that are wrong in one place, each of them everywhere', async () => {
    const wrong = [2 ** 53 - 1, -1, 2n ** 64n - 1n, null, detached(Float64Array.of(0, 1)), new Proxy({}, { get: trap })]
    for (const { what, run } of all) {
      let places = 1
      for (let place = 0; place < places; place += 1) {
        const made = new Made()
        for (const one of wrong) {
          const spoil = (right: readonly unknown[]) => {
            const spoilt = everySpoilt(right, one)
            places = spoilt.length
            return spoilt[place] ?? []
          }
          await inTime(
            `${what} with ${typeof one} ${String(place)}`,
            settled(() => run(made, spoil)),
          )
        }
        await made.close()
      }
    }
    recask.keepMemory(2 ** 28)
  })

  it('stands values of every kind', () =>
    check(
      fc.asyncProperty(
        fc.array(fc.record({ call: fc.nat(), how: fc.nat(), at: fc.nat(), wrong: odd }), {
          minLength: 20,
          maxLength: 40,
          size: 'max',
        }),
        async (steps) => {
          const made = new Made()
          for (const { call, how, at, wrong } of steps) {
            const { what, run } = all[call % all.length]!
            await inTime(
              what,
              settled(() => run(made, (right) => spoiled(right, how, at, wrong()))),
            )
          }
          recask.keepMemory(2 ** 28)
          await inTime('close', made.close())
        },
      ),
      40,
    ))

  it('stands objects that are something else', async () => {
    const made = new Made()
    const strangers = [
      undefined,
      null,
      7,
      {},
      Object.create(made.dense),
      new Proxy(made.dense, {}),
      made.table,
      made.sampler,
      made.loader,
    ]
    for (const type of [DenseStore, RaggedStore, Table, TableWriter, recask.Selection, Sampler, Loader]) {
      for (const prototype of [type.prototype, Object.getPrototypeOf(type.prototype) as object]) {
        for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
          const call: unknown = get ?? value
          if (typeof call !== 'function' || name === 'constructor' || prototype === Object.prototype) continue
          for (const stranger of strangers)
            await inTime(
              name,
              settled(() => (call as () => unknown).call(stranger)),
            )
        }
      }
    }
    await made.close()
  })

  it('says that it is closed, afterwards', async () => {
    const made = new Made()
    const { dense, ragged, table, loader, writer } = made
    assert.equal(made.selection.countSync(), 6)
    await made.close()
    const still = ['close', 'abort', 'select', 'rows', 'head', 'tail', 'filter', 'records', 'writable', 'commit']
    for (const { what, run } of all) {
      const [name, method] = what.split('.') as [keyof Instances, string | undefined]
      if (!method || !(name in METHODS) || name === 'sampler' || still.includes(plainly(method))) continue
      const call = async () => run(made, (right) => [...right])
      if (what.startsWith('writer.write')) made.table.close()
      await assert.rejects(call, { name: 'RecaskError', code: 'invalid_argument', message: /closed/ }, what)
    }
    for (const one of [dense, ragged, table, loader, writer]) {
      await one.close()
      one.closeSync()
    }
  })
})
