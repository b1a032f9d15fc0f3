import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

import { addon, ALL, folder, golden } from './addon.mjs'

const manifest = JSON.parse(readFileSync(join(golden, 'manifest.json'), 'utf8'))
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

describe('golden stores', () => {
  for (const expected of manifest.stores) {
    test(expected.name, async () => {
      const path = join(golden, expected.path)
      const stores = [await addon.openStore(path, {}), addon.openStoreSync(path, { codec: expected.codec })]
      for (const store of stores) {
        const { kind, length, codec, writable, itemShape, identityHex } = store
        assert.deepEqual(
          { kind, length, codec, writable, itemShape: [...itemShape], identityHex },
          {
            kind: expected.kind,
            length: expected.records,
            codec: expected.codec,
            writable: false,
            itemShape: expected.item_shape ?? [],
            identityHex: expected.identity_hex,
          },
        )
        const { live_bytes, chunk_bytes, reclaimable } = expected.stats
        const stats = { records: expected.records, liveBytes: live_bytes, chunkBytes: chunk_bytes, reclaimable }
        assert.deepEqual(await store.stats(), stats)
        assert.deepEqual(store.statsSync(), stats)
        const gathered =
          kind === 'dense'
            ? [await store.gatherDense(ALL), store.gatherDenseSync(ALL)]
            : [await store.gatherRagged(ALL), store.gatherRaggedSync(ALL)]
        for (const batch of gathered) {
          assert.equal(sha256(batch.bytes), expected.sha256_all)
          if (kind === 'dense') assert.deepEqual([...batch.shape], [length, ...expected.item_shape])
          else assert.deepEqual(shapesOf(batch), expected.shapes)
        }
        if (kind === 'dense') await fillsTargets(store, expected.sha256_all)
        assert.deepEqual(await store.verify(), store.verifySync())
        await store.close()
      }
    })
  }
})

async function fillsTargets(store, digest) {
  const bytes = store.length * store.recordBytes
  const own = store.gatherDenseSync(ALL).bytes
  const targets = [new Uint8Array(bytes), new Uint8Array(bytes + 5).subarray(3, 3 + bytes), own]
  targets.push(new Uint8Array(new SharedArrayBuffer(bytes)))
  for (const target of targets) {
    target.fill(0xa5)
    store.gatherDenseIntoSync(ALL, target)
    assert.equal(sha256(target.slice()), digest)
    target.fill(0xa5)
    await store.gatherDenseInto(ALL, target)
    assert.equal(sha256(target.slice()), digest)
  }
}

function shapesOf({ extents, ranks }) {
  let at = 0
  return Array.from(ranks, (rank) => [...extents.subarray(at, (at += rank))])
}

describe('damaged stores', () => {
  for (const bad of manifest.bad.filter(({ empty_dir }) => !empty_dir)) {
    test(bad.name, async (t) => {
      const place = folder(t)('store')
      cpSync(join(golden, bad.path), place, { recursive: true })
      // Whatever is wrong with it, the answer is a value or an error of Recask, and the same at once and behind a promise.
      const opened = await both(() => addon.openStore(place, {}), () => addon.openStoreSync(place, {}))
      if (!opened) return
      for (const store of opened) {
        await both(() => store.verify(), () => store.verifySync())
        if (store.kind === 'dense') await both(() => store.gatherDense(ALL), () => store.gatherDenseSync(ALL))
        else await both(() => store.gatherRagged(ALL), () => store.gatherRaggedSync(ALL))
        await store.close()
      }
    })
  }
})

/** Both results, or nothing where both failed the same way. */
async function both(later, now) {
  const results = [await later().then((value) => ({ value }), ({ message }) => ({ message })), attempt(now)]
  const [first, second] = results
  if (first.message === undefined && second.message === undefined) return [first.value, second.value]
  assert.match(first.message ?? '', /^recask:\{"code":"[a-z_]+",.*"message":".+\}$/)
  assert.equal(first.message, second.message)
  return undefined
}

function attempt(call) {
  try {
    return { value: call() }
  } catch ({ message }) {
    return { message }
  }
}

test('samplers give the same batches as loaderx', () => {
  const { vectors } = JSON.parse(readFileSync(join(golden, 'sampler.json'), 'utf8'))
  assert.ok(vectors.length > 0)
  for (const { mode, length, batch, seed, first, seek } of vectors) {
    const sampler = addon.sampler(mode, BigInt(length), batch, BigInt(seed), 0, 1)
    first.forEach((records, step) => assert.deepEqual([...sampler.at(BigInt(step))], records.map(BigInt)))
    for (const { step, batches } of seek) {
      batches.forEach((records, at) => {
        assert.deepEqual([...sampler.at(BigInt(step) + BigInt(at))], records.map(BigInt))
      })
    }
  }
})
