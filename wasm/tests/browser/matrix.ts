/** The combinations in which the conformance cases run. */

import { type Suite, SUITES } from '../conformance/cases.js'
import type { Conformed, Source } from './job.js'

export interface Combination {
  readonly source: Source
  /** The page is isolated, and the module has threads. */
  readonly threads: boolean
  readonly where: 'worker' | 'page'
}

const SOURCES: readonly Source[] = [
  'url',
  'url with recask.json',
  'picked files',
  'directory handle',
  'opfs',
  'memory',
]

export const COMBINATIONS: readonly Combination[] = SOURCES.flatMap((source) => [
  { source, threads: false, where: 'worker' },
  { source, threads: true, where: 'worker' },
  { source, threads: false, where: 'page' },
])

/**
 * On a page the same code reads from the same sources as in a worker. In a hurry it runs the suites in which most ways through a
 * source meet: damaged stores, and all kinds of streams side by side.
 */
const QUICK_ON_A_PAGE: readonly Suite[] = ['damaged', 'loads']

export function suitesOf({ where }: Combination, quick: boolean): readonly Suite[] {
  return quick && where === 'page' ? QUICK_ON_A_PAGE : SUITES
}

export function nameOf({ source, threads, where }: Combination): string {
  return `${source}, ${where}, ${threads ? 'threads' : 'one thread'}`
}

/** The line of a combination, and those of what failed in it. */
export function report(combination: Combination, conformed: Conformed): string[] {
  const { passed, failed, skipped, milliseconds, failures, threads, skips } = conformed
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
  const reasons = Object.entries(skips).map(([reason, count]) => `${count}: ${reason}`)
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`
  const isRight = threads > 1 === combination.threads
  const wrong = isRight ? [] : [`FAIL ${nameOf(combination)}: ${threads} threads`]
  const seconds = (milliseconds / 1000).toFixed(1)
  return [`${nameOf(combination)}: ${counts}${why}, ${seconds} s`, ...failures, ...wrong]
}

export function isGood({ threads }: Combination, conformed: Conformed): boolean {
  return conformed.failed === 0 && conformed.passed > 0 && conformed.threads > 1 === threads
}
