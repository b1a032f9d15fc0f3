/** Two workers and one store in the origin private file system. */

import type { DenseStore } from '../../../ts/interface.js'
import { recask } from '../package.js'
import { fresh } from './opfs.js'

let held: DenseStore | undefined

/** Makes a store and goes on having it open for writing; asked once more, closes it. */
export async function hold(path: string): Promise<void> {
  const { DenseStore: Dense, fromOpfs } = await recask()
  if (held !== undefined) {
    await held.close()
    held = undefined
    return
  }
  await fresh(path)
  held = await Dense.create(fromOpfs(path), { dtype: '<i4' })
  await held.append(Int32Array.of(1, 2, 3))
}

/** The code that opening the store for writing is refused with, or else how many records it then has. */
export async function beRefused(path: string): Promise<string | number> {
  const { DenseStore: Dense, fromOpfs, RecaskError } = await recask()
  try {
    const store = await Dense.open(fromOpfs(path), { write: true })
    await store.append(Int32Array.of(4))
    await store.close()
    return store.length
  } catch (error) {
    if (error instanceof RecaskError) {
      return error.code
    }
    throw error
  }
}
