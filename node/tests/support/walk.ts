/** Random changes and reads of a store, beside a plain array of its records. */

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { DenseStore, Index, RaggedStore } from '../../ts/index.js'
import { choice, type Choice, chosen, swapRemoved } from './chosen.js'
import { fails } from './expect.js'

/** A record as tests compare it. */
export interface Plain {
  readonly shape: readonly number[]
  readonly bytes: string
}

type Step =
  | { readonly does: 'append'; readonly count: number; readonly seed: number }
  | { readonly does: 'delete' | 'gather' | 'fill'; readonly choice: Choice }
  | { readonly does: 'iterate'; readonly choice: Choice; readonly batch: number | undefined; readonly prefetch: number }
  | { readonly does: 'compact' | 'sync' | 'reopen' | 'refresh' }

/** `atOnce`: by the twin that does not wait, where there is one. */
export type Walk = readonly (Step & { readonly atOnce: boolean })[]

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('append' as const), count: fc.integer({ min: 1, max: 9 }), seed: fc.nat() }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom('delete' as const, 'gather' as const, 'fill' as const), choice }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('iterate' as const),
      choice,
      batch: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
      prefetch: fc.nat(3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('compact', 'sync', 'reopen', 'refresh') }) },
)

export const walk: fc.Arbitrary<Walk> = fc.array(
  fc.tuple(step, fc.boolean()).map(([step, atOnce]) => ({ ...step, atOnce })),
  { minLength: 1, maxLength: 25, size: 'max' },
)

/** What the two kinds of stores do differently. */
export interface Kind<Store extends DenseStore | RaggedStore> {
  /** Whether readers keep writers from moving records, as they do in the addon. */
  readonly isLocking: boolean
  open(options: { readonly write: boolean }): Promise<Store>
  /** Records that follow from the seed, appended; resolves to the index of the first. */
  append(store: Store, count: number, seed: number, atOnce: boolean): Promise<{ first: number; records: Plain[] }>
  gather(store: Store, index: Index, atOnce: boolean): Promise<Plain[]>
  /** Into an array of the test, where there is such a thing. */
  fill(store: Store, index: Index, count: number, atOnce: boolean): Promise<Plain[]>
}

/** Walks from an empty store on, and closes it. */
export async function walkThrough<Store extends DenseStore | RaggedStore>(
  kind: Kind<Store>,
  empty: Store,
  steps: Walk,
): Promise<void> {
  let [store, records]: [Store, Plain[]] = [empty, []]
  let reader: Store | undefined
  /** Who moves records is refused while others read. */
  const alone = async (change: () => Promise<unknown>, movesSome = true) => {
    if (reader) {
      if (movesSome && kind.isLocking) await fails(change, 'store_busy')
      await reader.close()
      reader = undefined
    }
    await change()
  }
  for (const { atOnce, ...step } of steps) {
    switch (step.does) {
      case 'append': {
        const appended = await kind.append(store, step.count, step.seed, atOnce)
        assert.equal(appended.first, records.length)
        records = [...records, ...appended.records]
        break
      }
      case 'delete': {
        const { index, positions } = chosen(step.choice, records.length)
        await alone(async () => (atOnce ? store.deleteSync(index) : store.delete(index)), positions.length > 0)
        records = swapRemoved(records, positions)
        break
      }
      case 'gather': {
        const { index, positions } = chosen(step.choice, records.length)
        assert.deepEqual(await kind.gather(store, index, atOnce), taken(records, positions))
        break
      }
      case 'fill': {
        const { index, positions } = chosen(step.choice, records.length)
        assert.deepEqual(await kind.fill(store, index, positions.length, atOnce), taken(records, positions))
        break
      }
      case 'iterate': {
        const { index, positions } = chosen(step.choice, records.length)
        const found: Plain[] = []
        for await (const record of store.records({ index, batch: step.batch, prefetch: step.prefetch })) found.push(plain(record))
        assert.deepEqual(found, taken(records, positions))
        break
      }
      case 'refresh':
        await store.sync()
        reader ??= await kind.open({ write: false })
        if (atOnce) reader.refreshSync()
        else await reader.refresh()
        assert.equal(reader.length, records.length)
        assert.deepEqual(await kind.gather(reader, {}, atOnce), records)
        break
      case 'reopen':
        if (atOnce) store.closeSync()
        else await store.close()
        store = await kind.open({ write: true })
        break
      case 'compact':
        await alone(async () => (atOnce ? store.compactSync() : store.compact()))
        break
      case 'sync':
        if (atOnce) store.syncSync()
        else await store.sync()
    }
    assert.equal(store.length, records.length)
  }
  const { ok, faults } = await store.verify()
  assert.ok(ok, JSON.stringify(faults))
  assert.equal((await store.stats()).records, records.length)
  await Promise.all([reader?.close(), store.close()])
  const last = await kind.open({ write: false })
  assert.deepEqual(await kind.gather(last, {}, false), records)
  await last.close()
}

export function plain({ data, shape }: { readonly data: ArrayBufferView; readonly shape: readonly number[] }): Plain {
  return { shape: [...shape], bytes: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('hex') }
}

function taken(records: readonly Plain[], positions: readonly number[]): Plain[] {
  return positions.map((position) => records[position]!)
}
