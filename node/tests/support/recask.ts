/** The package as tests get it. */
export type Recask = typeof import('../../ts/index.js')

/** What a door of the package can. */
export interface Door {
  readonly recask: Recask
  /** Whether the addon is there, and with it `…Sync`, imports and exports. */
  readonly isNative: boolean
}
