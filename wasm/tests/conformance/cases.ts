/** The cases as data. `tests/conformance/README.md` says what each field means. */

import type { Index } from '../../ts/interface.js'

/** The files of the suite. */
export const SUITES = ['stores', 'gathers', 'damaged', 'writes', 'samplers', 'tables', 'loads', 'states'] as const
export type Suite = (typeof SUITES)[number]

/** An integer, as decimal digits where it may exceed 2^53. */
export type Whole = number | string

export type Kind = 'dense' | 'ragged'

/** Which records. */
export type Picks =
  | { readonly one: Whole }
  | { readonly list: readonly Whole[] }
  | { readonly range: readonly [Whole | null, Whole | null, Whole | null] }
  | { readonly mask: readonly boolean[] }

/** An error, and where it must point. */
export interface Refusal {
  readonly error: string
  readonly file?: string
  readonly record?: number
  readonly offset?: number
  readonly stream?: string
  readonly step?: Whole
}

export type Expect<T> = Refusal | T

export interface Fault {
  readonly record?: number
  readonly file?: string
  readonly offset?: number
  readonly code: string
}

export interface StoreCase<Op extends string, T> {
  readonly name: string
  readonly op: Op
  readonly store: string
  readonly kind: Kind
  readonly codec?: string
  readonly index?: Picks
  readonly expect: Expect<T>
}

export interface OpenedAs {
  readonly records: number
  readonly codec: string
  readonly identity_hex: string
  readonly dtype?: string
  readonly item_shape?: readonly number[]
}

export interface Contents {
  readonly records: number
  readonly sha256: string
  readonly faults: readonly Fault[]
  readonly sha256_each?: readonly string[]
  readonly shapes?: readonly (readonly number[])[]
}

export interface Picked {
  readonly sha256: string
  readonly shape?: readonly number[]
  readonly shapes?: readonly (readonly number[])[]
}

export interface OneRecord {
  readonly sha256: string
  readonly shape: readonly number[]
}

export interface Figures {
  readonly records: number
  readonly live_bytes: number
  readonly chunk_bytes: number
  readonly reclaimable: number
}

export interface Verified {
  readonly records: number
  readonly faults: readonly Fault[]
}

export type Step =
  | { readonly do: 'create'; readonly like: string }
  | { readonly do: 'append'; readonly from: string; readonly index: Picks }
  | { readonly do: 'append_zeros'; readonly dtype: string; readonly count: number }
  | { readonly do: 'delete'; readonly index: Picks }
  | { readonly do: 'compact' }
  | { readonly do: 'reopen' }

export interface FileContent {
  readonly size: number
  /** How many bytes the digest covers; all where it is missing. */
  readonly first?: number
  readonly sha256: string
}

export interface Written {
  readonly error?: string
  readonly records?: number
  readonly sha256?: string
  readonly files: Readonly<Record<string, FileContent>>
  readonly meta_without_frontier_hex?: string
}

export interface WriteCase {
  readonly name: string
  readonly op: 'write'
  readonly kind: Kind
  readonly copy_of?: string
  readonly steps: readonly Step[]
  readonly expect: Written
}

export interface SamplerCase<Op extends string, T> {
  readonly name: string
  readonly op: Op
  readonly mode: string
  readonly length: Whole
  readonly batch: number
  readonly seed: Whole
  readonly step?: Whole
  readonly rank?: number
  readonly world?: number
  readonly record?: Whole
  readonly count?: number
  readonly epoch?: Whole
  readonly expect: Expect<T>
}

export interface TableColumn {
  readonly name: string
  readonly dtype: string
  readonly sha256: string
}

export interface TableContents {
  readonly rows: number
  readonly records: number
  readonly columns?: readonly TableColumn[]
}

export interface TableFile {
  readonly sha256: string
}

export interface TableCase<Op extends string, T> {
  readonly name: string
  readonly op: Op
  readonly table: string
  readonly columns?: readonly string[]
  readonly index?: Picks
  readonly layout?: '0.3' | '0.5'
  readonly statistics?: boolean
  readonly expect: Expect<T>
}

export type LoadStream =
  | { readonly name: string; readonly store: string; readonly kind: Kind }
  | { readonly name: string; readonly table: string; readonly columns?: readonly string[]; readonly index?: Picks }

export type StreamValues =
  | { readonly name: string; readonly sha256: string; readonly shape: readonly number[] }
  | {
      readonly name: string
      readonly sha256: string
      readonly offsets: readonly number[]
      readonly shapes: readonly (readonly number[])[]
    }
  | { readonly name: string; readonly rows: number; readonly columns: readonly TableColumn[] }

export interface LoadBatch {
  readonly indices: readonly number[]
  readonly streams: readonly StreamValues[]
}

export interface LostRecord {
  readonly step: Whole
  readonly stream: string
  readonly record: number
  readonly code: string
}

export interface Delivered {
  readonly batches: readonly (LoadBatch | null)[]
  readonly losses?: readonly LostRecord[]
}

/** Streams, and the order in which they are read. */
export interface Run {
  readonly streams: readonly LoadStream[]
  readonly mode: string
  readonly batch: number
  readonly seed: Whole
  readonly rank?: number
  readonly world?: number
  readonly on_loss?: 'skip_records' | 'skip_steps'
}

export interface LoadCase extends Run {
  readonly name: string
  readonly op: 'load'
  readonly steps: readonly Whole[]
  readonly expect: Expect<Delivered>
}

export interface StateOfCase extends Run {
  readonly name: string
  readonly op: 'state_of'
  readonly step: Whole
  readonly done: readonly Whole[]
  readonly expect: Expect<{ readonly text: string }>
}

export interface ResumedAt {
  readonly mode: string
  readonly seed: Whole
  readonly batch: Whole
  readonly length: Whole
  readonly step: Whole
  readonly done: readonly Whole[]
  readonly rank: Whole
  readonly world: Whole
  readonly indices: readonly Whole[]
  readonly text: string
}

export interface StateCase {
  readonly name: string
  readonly op: 'state'
  readonly text: string
  readonly streams?: readonly LoadStream[]
  readonly rank?: number
  readonly world?: number
  readonly on_loss?: 'skip_records' | 'skip_steps'
  readonly expect: Expect<ResumedAt>
}

export type Case =
  | StoreCase<'open', OpenedAs>
  | StoreCase<'read', Contents>
  | StoreCase<'gather', Picked>
  | StoreCase<'record', OneRecord>
  | StoreCase<'stats', Figures>
  | StoreCase<'verify', Verified>
  | WriteCase
  | SamplerCase<'sampler', { readonly batches: readonly (readonly Whole[])[] }>
  | SamplerCase<'steps_of', { readonly occurrences: readonly (readonly [Whole, Whole])[] }>
  | SamplerCase<'epoch', { readonly steps: readonly [Whole, Whole] }>
  | TableCase<'table_read', TableContents>
  | TableCase<'table_update', TableFile>
  | TableCase<'table_copy', TableFile>
  | TableCase<'table_compact', TableFile>
  | LoadCase
  | StateOfCase
  | StateCase

/** Reads the cases of some suites, in order; `suite` brings one file as text. */
export async function allCases(
  suite: (file: string) => Promise<string>,
  suites: readonly Suite[] = SUITES,
): Promise<Case[]> {
  const files = suites.map(async (name) => {
    const { format, cases } = JSON.parse(await suite(`${name}.json`)) as { format: number; cases: Case[] }
    if (format !== 1) {
      throw new Error(`${name}.json has format ${format}, this runner knows 1`)
    }
    return cases
  })
  return (await Promise.all(files)).flat()
}

/** What a case picks, as the library takes it. */
export function indexOf(picks: Picks): Index {
  if ('mask' in picks) {
    return picks.mask
  }
  if ('range' in picks) {
    const [start, stop, step] = picks.range.map((bound) => (bound === null ? undefined : Number(bound)))
    return { start, stop, step }
  }
  if ('one' in picks && Number.isSafeInteger(Number(picks.one))) {
    return Number(picks.one)
  }
  const whole = 'one' in picks ? [picks.one] : picks.list
  if (whole.every((number) => Number.isSafeInteger(Number(number)))) {
    return whole.map(Number)
  }
  const exact = whole.map(BigInt)
  return exact.some((number) => number < 0n) ? BigInt64Array.from(exact) : BigUint64Array.from(exact)
}
