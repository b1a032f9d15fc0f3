/** Runs the conformance cases through a door and tells one line a case. */

import type { Case } from './cases.js'
import { loaded } from './check/loads.js'
import { gathered, opened, read, recordRead, stats, verified } from './check/reads.js'
import { batches, epoch, stepsOf } from './check/samplers.js'
import { stateRead, stateWritten } from './check/states.js'
import { tableCompacted, tableCopied, tableRead, tableUpdated } from './check/tables.js'
import { written } from './check/writes.js'
import type { Door } from './door.js'
import { Difference, Skipped } from './settle.js'

/** How a case went: nothing is said of a success. */
export type Outcome =
  | { readonly name: string; readonly status: 'ok' }
  | { readonly name: string; readonly status: 'FAIL' | 'skip'; readonly reason: string }

export interface Sums {
  passed: number
  failed: number
  skipped: number
}

/** Runs cases one after the other. */
export async function runAll<Place>(
  door: Door<Place>,
  cases: readonly Case[],
  tell: (outcome: Outcome) => void,
): Promise<Sums> {
  const sums: Sums = { passed: 0, failed: 0, skipped: 0 }
  for (const test of cases) {
    const outcome = await run(door, test)
    sums[outcome.status === 'ok' ? 'passed' : outcome.status === 'skip' ? 'skipped' : 'failed'] += 1
    tell(outcome)
  }
  return sums
}

/** Runs one case. Whatever is thrown that is no error of the library is a failed case. */
export async function run<Place>(door: Door<Place>, test: Case): Promise<Outcome> {
  const { name } = test
  try {
    await check(door, test)
    await door.tidy()
    return { name, status: 'ok' }
  } catch (error) {
    const status = error instanceof Skipped ? 'skip' : 'FAIL'
    return { name, status, reason: reason(error) }
  }
}

/** The line of a case. */
export function line(outcome: Outcome): string {
  return outcome.status === 'ok' ? `ok ${outcome.name}` : `${outcome.status} ${outcome.name}: ${outcome.reason}`
}

function reason(error: unknown): string {
  const text =
    error instanceof Difference || error instanceof Skipped
      ? error.message
      : `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  return text.split(/\s+/).join(' ')
}

function check<Place>(door: Door<Place>, test: Case): Promise<void> {
  switch (test.op) {
    case 'open':
      return opened(door, test)
    case 'read':
      return read(door, test)
    case 'gather':
      return gathered(door, test)
    case 'record':
      return recordRead(door, test)
    case 'stats':
      return stats(door, test)
    case 'verify':
      return verified(door, test)
    case 'write':
      return written(door, test)
    case 'sampler':
      return batches(door, test)
    case 'steps_of':
      return stepsOf(door, test)
    case 'epoch':
      return epoch(door, test)
    case 'table_read':
      return tableRead(door, test)
    case 'table_update':
      return tableUpdated(door, test)
    case 'table_copy':
      return tableCopied(door, test)
    case 'table_compact':
      return tableCompacted(door, test)
    case 'load':
      return loaded(door, test)
    case 'state_of':
      return stateWritten(door, test)
    case 'state':
      return stateRead(door, test)
  }
}
