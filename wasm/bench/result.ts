/** What was measured. */

/** Where something ran. `native` is the `recask` command. */
export type Runtime = 'native' | 'node' | 'chromium'

/** One benchmark, as it is printed. */
export interface Line {
  /** What was done: `gather/1KiB/zstd`, `table/slice`. */
  readonly name: string
  readonly runtime: Runtime
  readonly threads: number
  /** Who did it and how: `recask`, `recask into`, `copy`, or the name of a package. */
  readonly subject: string
  /** The median. */
  readonly seconds: number
  /** Of the result; on average where results differ. */
  readonly bytes: number
  readonly rounds: number
}
