/** Properties with fixed seeds; `RECASK_SEED` is another, `RECASK_RUNS` so many runs of each. fast-check prints what failed. */

import fc from 'fast-check'

const SEED = Number(process.env['RECASK_SEED'] ?? 20_240_607)
const { RECASK_RUNS, RECASK_SLOW } = process.env

/** Checks a property in so many runs, ten times as many with `RECASK_SLOW`. */
export function check<Given>(property: fc.IAsyncProperty<Given>, runs: number): Promise<void> {
  const numRuns = Number(RECASK_RUNS ?? (RECASK_SLOW === '1' ? runs * 10 : runs))
  // Shrinking writes stores again and again.
  return fc.assert(property, { seed: SEED, numRuns, interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true })
}
