/** What a page or a worker is asked to do, and what comes of it. */

import type { Suite } from '../conformance/cases.js'
import type { Sums } from '../conformance/runner.js'

/** Where the golden stores are for a run of the conformance cases. */
export type Source = 'url' | 'url with recask.json' | 'picked files' | 'directory handle' | 'opfs' | 'memory'

/** A run of the conformance cases. */
export interface Conformance {
  readonly source: Source
  readonly threads: boolean
  readonly where: 'worker' | 'page'
  readonly suites: readonly Suite[]
  /** Only cases whose names have this in them. */
  readonly only: string
}

export interface Conformed extends Sums {
  /** The lines of all cases that failed. */
  readonly failures: readonly string[]
  /** Reasons for which cases were skipped, with their numbers. */
  readonly skips: Readonly<Record<string, number>>
  readonly threads: number
  readonly milliseconds: number
  /** Names of the slowest cases with their milliseconds. */
  readonly slowest: readonly (readonly [name: string, milliseconds: number])[]
}
