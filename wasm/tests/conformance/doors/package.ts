/** The package that a door uses, as it was imported. */

/** What `recask-wasm` exports. */
export type Recask = typeof import('../../../ts/index.js')

/** Where a store or table is, or will be. */
export type Place = Parameters<Recask['DenseStore']['open']>[0]

/** The inside of the package, which tests alone look into. */
export type Module = typeof import('../../../ts/module.js')
