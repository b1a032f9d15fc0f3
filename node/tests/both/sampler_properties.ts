/** The order of a sampler, beside itself. */

import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { check } from '../support/checking.js'
import type { Door } from '../support/recask.js'

const MODES = ['sequential', 'iid', 'cyclic', 'iid_seek'] as const
/** Steps of one kind follow from those before them, so that far ones take long. */
const FAR = { sequential: 2 ** 40, iid: 5000, cyclic: 2 ** 40, iid_seek: 2 ** 40 } as const

export function samplerProperties({ recask, isNative }: Door): void {
  const { Sampler } = recask
  const runs = isNative ? 300 : 100

  const order = fc.record({
    mode: fc.constantFrom(...MODES),
    length: fc.integer({ min: 1, max: 1000 }),
    batch: fc.integer({ min: 1, max: 64 }),
    seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  })
  const whole = order.filter(({ length, batch }) => batch <= length)

  describe('properties of samplers', () => {
    before(() => recask.init())

    it('shards of all ranks are the global batch', () =>
      check(
        fc.asyncProperty(
          whole,
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: 1, max: 8 }),
          fc.nat(),
          async (order, each, world, far) => {
            const step = far % FAR[order.mode]
            const options = { ...order, batch: each * world }
            const all = new Sampler(options)
            const made = (rank: number) => new Sampler({ ...options, rank, world }).at(step)
            const shards = Array.from({ length: world }, (_, rank) => {
              const shard = all.shard(rank, world)
              assert.deepEqual([shard.rank, shard.world, shard.batch, shard.seed], [rank, world, all.batch, all.seed])
              assert.deepEqual(shard.at(step), made(rank))
              return [...shard.at(step)]
            })
            assert.deepEqual(shards.flat(), [...all.at(step)])
          },
        ),
        runs,
      ))

    it('a step is the same every time, whoever asks, as a number or a bigint', () =>
      check(
        fc.asyncProperty(whole, fc.nat(), async (order, far) => {
          const step = far % FAR[order.mode]
          const [one, other] = [new Sampler(order), new Sampler(order)]
          const records = one.at(step)
          one.at(0)
          assert.deepEqual(one.at(BigInt(step)), records)
          assert.deepEqual(other.at(step), records)
          assert.equal(records.length, order.batch)
          assert.ok(records.every((record) => record < BigInt(order.length)))
        }),
        runs,
      ))

    it('passes follow each other, repeat nothing, and tell where every record is', () =>
      check(
        fc.asyncProperty(whole, fc.nat(20), fc.nat(), async ({ mode, ...order }, number, picked) => {
          const sampler = new Sampler({ ...order, mode: mode === 'sequential' ? mode : 'cyclic' })
          const { start, end } = sampler.epoch(number)
          const next = sampler.epoch(number + 1)
          assert.equal(next.start, end)
          const steps = (from: bigint, to: bigint) => Array.from({ length: Number(to - from) }, (_, i) => from + BigInt(i))
          const records = steps(start, end).flatMap((step) => [...sampler.at(step)])
          if (sampler.mode === 'cyclic') {
            assert.equal(end - start, sampler.stepsPerCycle)
            assert.equal(new Set(records).size, records.length)
            assert.ok(records.length > order.length - order.batch)
          } else {
            const first = Number(start) * order.batch
            assert.deepEqual(
              records.map(Number),
              records.map((_, i) => (first + i) % order.length),
            )
          }
          const record = BigInt(picked % order.length)
          const places = steps(start, next.end).flatMap((step) =>
            [...sampler.at(step)].flatMap((one, position) => (one === record ? [{ step, position }] : [])),
          )
          assert.deepEqual(sampler.stepsOf(record, { from: start, count: places.length }), places)
        }),
        runs,
      ))
  })
}
