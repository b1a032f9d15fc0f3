import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { addon, code } from './addon.mjs'
import { golden, manifest } from './tables.mjs'

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const readable = manifest.files.filter(({ columns, anatomy }) => columns && anatomy)

describe('golden tables', () => {
  for (const expected of readable) {
    test(expected.file, async () => {
      const paths = [join(golden, expected.file)]
      for (const table of [await addon.openTables(paths), addon.openTablesSync(paths)]) {
        assert.equal(table.length, expected.n_rows)
        assert.equal(table.fileRecords, expected.n_records)
        assert.deepEqual(
          table.schema().map(({ name, dtype }) => ({ name, dtype })),
          expected.columns.map(({ name, dtype }) => ({ name: name.toWellFormed(), dtype })),
        )
        let first = 0
        expected.record_rows.forEach((rows, record) => {
          assert.deepEqual([...table.recordRows(record)], [first, first + rows])
          first += rows
        })
        assert.equal(table.recordRows(expected.n_records), null)
        const all = table.all()
        for (const columns of [await all.columns(), all.columnsSync()]) {
          assert.deepEqual(
            columns.map(({ name, dtype, bytes }) => ({ name, dtype, nbytes: bytes.length, sha256: sha256(bytes) })),
            expected.columns.map(({ name, dtype, nbytes, sha256 }) => ({ name: name.toWellFormed(), dtype, nbytes, sha256 })),
          )
        }
        for (const gather of expected.gather ?? []) gathers(all, gather)
        const report = await table.verify()
        assert.deepEqual([report.records, report.rows], [expected.n_records, expected.n_rows])
        // What others accept and do not write is told as a fault.
        if (expected.class !== 'variant') assert.deepEqual([report.found, report.faults], [0, []])
        assert.deepEqual(table.verifySync(), report)
        await table.close()
      }
    })
  }

  const damaged = manifest.files.filter((file) => file.class === 'bad' && file.open?.type?.endsWith('FormatError'))
  test(`${damaged.length} damaged files are refused`, async () => {
    for (const { file } of damaged) {
      const path = join(golden, file)
      const thrown = (error) => /^recask:\{.*\}$/.test(error.message) && /^(corrupt_\w+|truncated_file|unsupported_version|invalid_dtype)$/.test(codeOf(error))
      assert.throws(() => addon.openTablesSync([path]), thrown, file)
      await assert.rejects(addon.openTables([path]), thrown, file)
    }
  })

  test('what is not there is not found', async () => {
    const nowhere = [join(golden, 'none.cstore')]
    assert.throws(() => addon.openTablesSync(nowhere), code('store_not_found'))
    await assert.rejects(addon.openTables(nowhere), code('store_not_found'))
    assert.throws(() => addon.openTablesSync([]), code('invalid_argument'))
  })
})

function codeOf(error) {
  return JSON.parse(error.message.slice('recask:'.length)).code
}

/** A selection of rows as the Python package made it. */
function gathers(all, { label, select, columns, expect, colstore }) {
  const index = indexOf(select)
  if (colstore !== 'ok' || index === undefined) return
  const found = all.select(columns.map((name) => name.toWellFormed())).rows(index).columnsSync()
  columns.forEach((name, position) => {
    const { dtype, bytes } = found[position]
    assert.deepEqual({ dtype, sha256: sha256(bytes) }, { dtype: expect[name].dtype, sha256: expect[name].sha256 }, `${label}: ${name}`)
  })
}

function indexOf({ all, int, slice, indices, mask }) {
  if (all) return [undefined, undefined, undefined]
  if (int !== undefined) return Float64Array.of(int)
  if (slice) return slice.map((bound) => bound ?? undefined)
  if (indices) return Float64Array.from(indices)
  if (mask !== undefined) return Uint8Array.from(mask, Number)
  return undefined
}
