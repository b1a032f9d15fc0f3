/** Cases of samplers. */

import type { Mode, Sampler } from '../../../ts/interface.js'
import type { SamplerCase, Whole } from '../cases.js'
import type { Door } from '../door.js'
import { digits, isRefusal, same, settle } from '../settle.js'

type Batches = { readonly batches: readonly (readonly Whole[])[] }
type Occurrences = { readonly occurrences: readonly (readonly [Whole, Whole])[] }
type Steps = { readonly steps: readonly [Whole, Whole] }

export function batches<Place>(door: Door<Place>, test: SamplerCase<'sampler', Batches>): Promise<void> {
  const { expect, step = 0 } = test
  const count = isRefusal(expect) ? 1 : expect.batches.length
  return settle(
    () => {
      const sampler = samplerOf(door, test)
      return Array.from({ length: count }, (_, ahead) => sampler.at(BigInt(step) + BigInt(ahead)))
    },
    expect,
    (found, wanted) => same('batches', found.map(digits), wanted.batches.map(digits)),
  )
}

export function stepsOf<Place>(door: Door<Place>, test: SamplerCase<'steps_of', Occurrences>): Promise<void> {
  const { record, count = 1, step = 0, expect } = test
  if (record === undefined) {
    throw new Error('the case has no record')
  }
  return settle(
    () => samplerOf(door, test).stepsOf(BigInt(record), { from: BigInt(step), count }),
    expect,
    (found, wanted) =>
      same('occurrences', found.map(({ step: at, position }) => digits([at, position])), wanted.occurrences.map(digits)),
  )
}

export function epoch<Place>(door: Door<Place>, test: SamplerCase<'epoch', Steps>): Promise<void> {
  const { epoch: number, expect } = test
  if (number === undefined) {
    throw new Error('the case has no epoch')
  }
  return settle(
    () => samplerOf(door, test).epoch(BigInt(number)),
    expect,
    ({ start, end }, wanted) => same('steps', digits([start, end]), digits(wanted.steps)),
  )
}

function samplerOf<Place, T>(door: Door<Place>, test: SamplerCase<string, T>): Sampler {
  const { length, seed, batch, rank = 0, world = 1 } = test
  const mode = test.mode as Mode
  return new door.recask.Sampler({ mode, length: BigInt(length), batch, seed: BigInt(seed), rank, world })
}
