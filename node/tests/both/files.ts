import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fails } from '../support/expect.js'
import { nowhere } from '../support/place.js'
import type { Door } from '../support/recask.js'

export function files({ recask }: Door): void {
  const { DenseStore, importFiles, openAny, RaggedStore, Table } = recask
  const decode = (bytes: Uint8Array) => Float32Array.from(bytes, (byte) => byte / 10)

  /** Files `01.bin` to `30.bin` with as many bytes as their number, and others. */
  function folder(): string {
    const place = nowhere()
    mkdirSync(join(place, 'deep'), { recursive: true })
    for (let i = 1; i <= 30; i += 1) writeFileSync(join(place, `${String(i).padStart(2, '0')}.bin`), new Uint8Array(i).fill(i))
    writeFileSync(join(place, 'deep/ünder 𝄞.bin'), 'abc')
    writeFileSync(join(place, 'notes.txt'), 'no')
    return place
  }

  describe('importFiles', () => {
    it('makes a record of every file, in the order of their names', async () => {
      const dest = nowhere()
      const made = await importFiles('*.bin', dest, { cwd: folder() })
      assert.deepEqual(made, { path: dest, kind: 'ragged', dtype: '|u1', records: 30, skipped: 0 })
      const store = await RaggedStore.open(dest)
      const { shapes } = await store.gather({})
      assert.deepEqual(
        shapes.map(([length]) => length),
        Array.from({ length: 30 }, (_, i) => i + 1),
      )
      await store.close()
    })

    it('writes names and sizes as a table beside it', async () => {
      const dest = nowhere()
      const made = await importFiles(['**/*.bin', '!1*.bin'], dest, { cwd: folder(), names: true, codec: 'zstd' })
      assert.deepEqual([made.path, made.names, made.records], [join(dest, 'files'), join(dest, 'names.cstore'), 21])
      const found = await openAny(dest)
      assert.ok(found.kind === 'folder')
      assert.deepEqual(Object.keys(found.streams).sort(), ['files', 'names'])
      const table = await Table.open(made.names!)
      const rows = await table.toRows()
      assert.deepEqual(rows.at(-1), { name: 'deep/ünder 𝄞.bin', size: 3n })
      assert.deepEqual(rows[8], { name: '09.bin', size: 9n })
      await table.close()
      for (const stream of Object.values(found.streams)) await stream.close()
    })

    it('decodes what it is told to, several files at a time, and keeps the order', async () => {
      const dest = nowhere()
      let [running, most] = [0, 0]
      const made = await importFiles('*.bin', dest, {
        cwd: folder(),
        concurrency: 3,
        decode: async (bytes, path) => {
          running += 1
          most = Math.max(most, running)
          await new Promise((resolve) => setTimeout(resolve, path.startsWith('01') ? 20 : 1))
          running -= 1
          if (path.startsWith('1')) return undefined
          return { data: decode(bytes), shape: [1, bytes.length] }
        },
      })
      assert.deepEqual([made.kind, made.dtype, made.records, made.skipped, most], ['ragged', '<f4', 20, 10, 3])
      const store = await RaggedStore.open(dest)
      const batch = await store.gather([5, 19])
      assert.deepEqual(batch.shapes, [
        [1, 6],
        [1, 30],
      ])
      assert.equal(batch.data[0], Math.fround(0.6))
      await store.close()
    })

    it('makes a dense store of records of one shape', async () => {
      const dest = nowhere()
      const place = folder()
      const pair = (bytes: Uint8Array) => Int32Array.of(bytes.length, -1)
      const made = await importFiles('*.bin', dest, { cwd: place, itemShape: [2], decode: pair })
      assert.deepEqual([made.kind, made.dtype, made.records], ['dense', '<i4', 30])
      const store = await DenseStore.open(dest)
      assert.deepEqual([store.itemShape, [...(await store.gather(-1)).data]], [[2], [30, -1]])
      await store.close()
      const shaped = nowhere()
      await importFiles('*.bin', shaped, { cwd: place, kind: 'dense', decode: (bytes) => ({ data: pair(bytes), shape: [1, 2] }) })
      const other = await DenseStore.open(shaped)
      assert.deepEqual(other.itemShape, [1, 2])
      await other.close()
      const buffers = nowhere()
      const some = {
        cwd: place,
        itemShape: [1],
        decode: (bytes: Uint8Array) => (bytes.length % 2 ? Buffer.from('b') : Uint8Array.of(1)),
      }
      assert.equal((await importFiles('*.bin', buffers, some)).dtype, '|u1')
      const uneven = nowhere()
      await fails(() => importFiles('*.bin', uneven, { cwd: place, kind: 'dense' }), { code: 'shape_mismatch', file: '02.bin' })
      assert.equal(existsSync(uneven), false)
    })

    it('takes paths in the order in which they are given', async () => {
      const place = folder()
      const dest = nowhere()
      const paths = new Set([join(place, '03.bin'), join(place, '01.bin')])
      const made = await importFiles(paths, dest)
      assert.equal(made.records, 2)
      const store = await RaggedStore.open(dest)
      assert.deepEqual((await store.gather({})).shapes, [[3], [1]])
      await store.close()
    })

    it('tells how far it is, and leaves nothing where it is stopped or fails', async () => {
      const place = folder()
      const told: number[] = []
      await importFiles('*.bin', nowhere(), { cwd: place, onProgress: ({ done, total }) => told.push(done / total) })
      assert.deepEqual([told.length, told.at(-1)], [30, 1])
      const dest = nowhere()
      const stop = new AbortController()
      const stopped = importFiles('*.bin', dest, {
        cwd: place,
        names: true,
        signal: stop.signal,
        onProgress: ({ done }) => done === 5 && stop.abort(new Error('enough')),
      })
      await assert.rejects(stopped, /enough/)
      assert.equal(existsSync(join(dest, 'files')), false)
      const cause = new Error('no picture')
      const failing = (_: Uint8Array, path: string) => {
        if (path === '07.bin') throw cause
        return Uint8Array.of(1)
      }
      const error = await fails(() => importFiles('*.bin', dest, { cwd: place, decode: failing }), {
        code: 'transform_failed',
        file: '07.bin',
        message: /07\.bin cannot be decoded: no picture/,
      })
      assert.equal(error.cause, cause)
      assert.equal(existsSync(dest), false)
    })

    it('refuses what it cannot use', async () => {
      const place = folder()
      await fails(() => importFiles('*.none', nowhere(), { cwd: place }), { code: 'missing_file', message: /\*\.none/ })
      await fails(() => importFiles([join(place, 'none')], nowhere()), { code: 'missing_file', file: /none/ })
      await fails(() => importFiles(7 as unknown as string, nowhere()), 'invalid_argument')
      await fails(() => importFiles('*.bin', nowhere(), { cwd: place, decode: () => 'text' as never }), 'invalid_argument')
      await fails(() => importFiles('*.bin', nowhere(), { cwd: place, decode: () => undefined }), {
        code: 'invalid_argument',
        message: /dtype/,
      })
      await fails(() => importFiles('*.bin', nowhere(), { cwd: place, decode: 'x' as never }), 'invalid_argument')
      const there = nowhere()
      const store = await RaggedStore.create(there, { dtype: 'u1' })
      await store.append([Uint8Array.of(1)])
      await store.close()
      await fails(() => importFiles('*.bin', there, { cwd: place }), 'store_exists')
      const again = await RaggedStore.open(there)
      assert.equal(again.length, 1)
      await again.close()
    })
  })

  describe('finding what is at a place', () => {
    it('opens stores, tables and folders, and checks all in them', async () => {
      const dest = nowhere()
      await importFiles('*.bin', dest, { cwd: folder(), names: true })
      const store = await openAny(join(dest, 'files'))
      assert.ok(store.kind === 'store' && store.store.kind === 'ragged')
      await store.store.close()
      const table = await openAny(join(dest, 'names.cstore'))
      assert.ok(table.kind === 'table' && table.table.length === 30)
      await table.table.close()
      const report = await recask.verify(dest)
      assert.deepEqual([report.ok, Object.keys(report.streams!).sort()], [true, ['files', 'names']])
      const alone = await recask.verify(join(dest, 'files'))
      assert.deepEqual([alone.ok, alone.records, alone.streams], [true, 30, undefined])
      await fails(() => openAny(nowhere()), 'store_not_found')
      await fails(() => recask.verify(nowhere()), 'store_not_found')
      const empty = nowhere()
      mkdirSync(empty)
      await fails(() => openAny(empty), 'store_not_found')
    })
  })
}
