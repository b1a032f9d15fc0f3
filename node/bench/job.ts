/** What a process is asked to measure. */

import type { Effort } from '../../wasm/bench/measure.js'
import type { Line } from '../../wasm/bench/result.js'
import type { Run } from './cases.js'

export interface GatherJob {
  readonly work: 'gather'
  readonly run: Run
  readonly effort: Effort
}

export interface TableJob {
  readonly work: 'table'
  readonly rows: number
  /** Which questions, by a part of their names. */
  readonly only: string
  readonly effort: Effort
}

export type Job = GatherJob | TableJob

export type { Effort, Line }
