/** What a runtime is asked to measure. */

import type { Case, Codec } from './cases.js'
import type { Effort } from './measure.js'

/** Where records come from. */
export type Origin = 'memory' | 'opfs' | 'http'

export interface GatherJob {
  readonly work: 'gather'
  readonly of: Case
  readonly codec: Codec
  readonly origin: Origin
  readonly threads: number
  readonly effort: Effort
}

export interface TableJob {
  readonly work: 'table'
  readonly threads: number
  readonly effort: Effort
}

export type Job = GatherJob | TableJob
