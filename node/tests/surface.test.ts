import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import * as recask from 'recask'

const EXPORTED = [
  'DenseStore',
  'Loader',
  'NOT_A_TIME',
  'RaggedStore',
  'RecaskError',
  'Sampler',
  'Selection',
  'Table',
  'TableWriter',
  'appendSource',
  'appendSourceSync',
  'capabilities',
  'command',
  'commandSync',
  'dateUnit',
  'exportTo',
  'exportToSync',
  'float16ToFloat32',
  'importArrow',
  'importArrowSync',
  'importCsv',
  'importCsvSync',
  'importFiles',
  'importIdx',
  'importIdxSync',
  'importJsonl',
  'importJsonlSync',
  'importNpy',
  'importNpySync',
  'importNpz',
  'importNpzSync',
  'importParquet',
  'importParquetSync',
  'init',
  'keepMemory',
  'memoryUse',
  'openAny',
  'openAnySync',
  'recask',
  'release',
  'trainDict',
  'trainDictSync',
  'verify',
  'verifySync',
]

describe('the package', () => {
  it('exports what it says, and nothing else', () => {
    assert.deepEqual(Object.keys(recask).sort(), EXPORTED)
  })

  it('is the same for import and require', () => {
    const required = createRequire(import.meta.url)('recask') as typeof recask
    assert.deepEqual(Object.keys(required).sort(), EXPORTED)
    for (const name of EXPORTED) assert.equal(required[name as keyof typeof recask], recask[name as keyof typeof recask], name)
  })

  it('says that the addon runs', async () => {
    await recask.init()
    const { engine, reason, threads, zstd, version } = recask.capabilities()
    assert.deepEqual([engine, version], ['native', '0.1.0'])
    assert.match(reason, /\.node$/)
    assert.match(String(zstd), /\d+\.\d+/)
    assert.ok(Number.isInteger(threads) && Number(threads) >= 1)
  })

  it('has a twin that works at once for whatever waits for the disk', () => {
    const waiting = (type: object) => Object.getOwnPropertyNames(type).filter((name) => !name.endsWith('Sync'))
    const without: Record<string, string[]> = {
      DenseStore: ['constructor', 'records', 'writable'],
      RaggedStore: ['constructor', 'records', 'writable'],
      Table: ['constructor'],
      TableWriter: ['constructor', 'rows'],
      Selection: ['constructor', 'columnNames', 'select', 'rows', 'head', 'tail', 'filter'],
    }
    for (const [name, others] of Object.entries(without)) {
      const { prototype } = recask[name as 'Table']
      for (const method of waiting(prototype).filter((method) => !others.includes(method))) {
        const twin = (prototype as unknown as Record<string, unknown>)[`${method}Sync`]
        assert.equal(typeof twin, 'function', `${name}.${method}Sync`)
      }
    }
    for (const name of ['open', 'create'] as const) {
      for (const type of [recask.DenseStore, recask.RaggedStore, recask.Table])
        assert.equal(typeof type[`${name}Sync`], 'function')
    }
  })

  it('makes no store without opening one', () => {
    const Dense = recask.DenseStore as unknown as new (given?: unknown) => unknown
    for (const given of [undefined, {}, 'path']) {
      assert.throws(() => new Dense(given), { name: 'RecaskError', code: 'invalid_argument' })
    }
  })
})
