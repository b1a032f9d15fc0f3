/** What TypeScript says of the addon (`ts/native.ts`) is what it has: no method is missing, and none is there that nobody names. */

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { capabilities } from 'recask'
import type {
  Addon,
  NativeLoader,
  NativeSampler,
  NativeSelection,
  NativeStop,
  NativeStore,
  NativeStreams,
  NativeTable,
  NativeTableWriter,
} from '../../ts/native.js'

/** The compiler refuses a name too many, one too few, and a call that is a value. */
type Members<Type> = {
  readonly [Name in keyof Type]-?: NonNullable<Type[Name]> extends (...given: never[]) => unknown ? 'call' : 'value'
}

const [call, value] = ['call', 'value'] as const

const NativeStore: Members<NativeStore> = {
  kind: value,
  length: value,
  dtype: value,
  itemSize: value,
  itemShape: value,
  codec: value,
  writable: value,
  identityHex: value,
  dictionary: value,
  recordBytes: value,
  gatherDense: call,
  gatherDenseSync: call,
  gatherDenseInto: call,
  gatherDenseIntoSync: call,
  gatherRagged: call,
  gatherRaggedSync: call,
  stats: call,
  statsSync: call,
  verify: call,
  verifySync: call,
  refresh: call,
  refreshSync: call,
  appendDense: call,
  appendDenseSync: call,
  appendRagged: call,
  appendRaggedSync: call,
  delete: call,
  deleteSync: call,
  compact: call,
  compactSync: call,
  sync: call,
  syncSync: call,
  close: call,
  closeSync: call,
}

const NativeTable: Members<NativeTable> = {
  length: value,
  fileRecords: value,
  schema: call,
  recordRows: call,
  all: call,
  verify: call,
  verifySync: call,
  close: call,
  closeSync: call,
}

const NativeSelection: Members<NativeSelection> = {
  length: value,
  names: call,
  select: call,
  rows: call,
  head: call,
  tail: call,
  filter: call,
  filterSync: call,
  rowNumbers: call,
  columns: call,
  columnsSync: call,
  summaries: call,
  summariesSync: call,
  distinct: call,
  distinctSync: call,
  arrow: call,
  arrowSync: call,
  exportAs: call,
  exportAsSync: call,
}

const NativeTableWriter: Members<NativeTableWriter> = {
  rows: value,
  write: call,
  writeSync: call,
  writeSelection: call,
  writeSelectionSync: call,
  writeArrow: call,
  writeArrowSync: call,
  commit: call,
  commitSync: call,
  close: call,
  closeSync: call,
  abort: call,
  abortSync: call,
}

const NativeSampler: Members<NativeSampler> = {
  mode: value,
  length: value,
  batch: value,
  seed: value,
  rank: value,
  world: value,
  stepsPerCycle: value,
  at: call,
  stepsOf: call,
  epoch: call,
  shard: call,
}

const NativeLoader: Members<NativeLoader> = {
  next: call,
  nextSync: call,
  losses: call,
  state: call,
  seek: call,
  seekSync: call,
  sampler: call,
  close: call,
  closeSync: call,
}

const NativeStop: Members<NativeStop> = { stop: call }
const NativeStreams: Members<NativeStreams> = { addStore: call, addSelection: call }

const FUNCTIONS: Members<Omit<Addon, 'NativeStop' | 'NativeStreams'>> = {
  version: call,
  zstd: call,
  threads: call,
  release: call,
  memoryUse: call,
  keepMemory: call,
  openStore: call,
  openStoreSync: call,
  createStore: call,
  createStoreSync: call,
  openTables: call,
  openTablesSync: call,
  createTable: call,
  createTableSync: call,
  appendTable: call,
  appendTableSync: call,
  compactTable: call,
  compactTableSync: call,
  sampler: call,
  loader: call,
  loaderSync: call,
  samplerOfState: call,
  readState: call,
  trainDictionary: call,
  trainDictionarySync: call,
  findDataset: call,
  findDatasetSync: call,
  importStores: call,
  importStoresSync: call,
  importTable: call,
  importTableSync: call,
  appendSource: call,
  appendSourceSync: call,
  exportTo: call,
  exportToSync: call,
  command: call,
  commandSync: call,
}

const CLASSES = {
  NativeLoader,
  NativeSampler,
  NativeSelection,
  NativeStop,
  NativeStore,
  NativeStreams,
  NativeTable,
  NativeTableWriter,
}

/** What only tests of the addon use. */
const BESIDES: Readonly<Record<string, readonly string[]>> = {
  NativeTable: ['files', 'layout'],
}

type Exports = Readonly<Record<string, { readonly prototype: object }>>
const addon = createRequire(import.meta.url)(capabilities().reason) as Exports

/** Names with whether they are called. */
function membersOf(object: object): Record<string, string> {
  const found = Object.entries(Object.getOwnPropertyDescriptors(object)).filter(([name]) => name !== 'constructor')
  return Object.fromEntries(found.map(([name, { value }]) => [name, typeof value === 'function' ? 'call' : 'value']))
}

function without(members: Record<string, string>, names: readonly string[] = []): Record<string, string> {
  for (const name of names) assert.ok(name in members, `${name} is gone`)
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))
}

describe('the addon', () => {
  it('exports the functions and classes that are written down', () => {
    const found = without(membersOf(addon), BESIDES[''])
    const classes = Object.fromEntries(Object.keys(CLASSES).map((name) => [name, 'call']))
    assert.deepEqual(found, { ...FUNCTIONS, ...classes })
  })

  for (const [name, members] of Object.entries(CLASSES)) {
    it(`has the methods of ${name} that are written down`, () => {
      assert.deepEqual(without(membersOf(addon[name]!.prototype), BESIDES[name]), members)
    })
  }
})
