import { invalid } from './errors.js'
import { counted } from './indices.js'
import type { Occurrence } from './interface.js'

/** They are found at once, and all are in memory. */
const MOST = 2 ** 20

/** Where a record appears, `count` times at most. `find` answers pairs of step and position. */
export function occurrences(count: number, find: (count: number) => BigUint64Array): Occurrence[] {
  if (counted(count, 'count') > MOST) {
    throw invalid(`count is at most ${MOST}, not ${count}: ask again from behind the last step`)
  }
  const pairs = find(count)
  return Array.from({ length: pairs.length / 2 }, (_, i) => ({ step: pairs[2 * i]!, position: Number(pairs[2 * i + 1]) }))
}
