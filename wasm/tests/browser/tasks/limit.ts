/** What is larger than the memory that was allowed. */

import type { DenseStore } from '../../../ts/interface.js'
import { recask } from '../package.js'

let store: DenseStore | undefined

/** Opens a store with little memory. */
export async function openWithLittle(url: string): Promise<void> {
  const { DenseStore: Dense, fromUrl, init } = await recask()
  await init({ memory: 8 * 1024 * 1024 })
  store = await Dense.open(fromUrl(url))
}

/** The codes that results are refused with which are larger than allowed. */
export async function wantTooMuch(records: number): Promise<string[]> {
  const { RecaskError } = await recask()
  const open = store!
  const target = new Uint8Array(records * open.itemShape[0]!)
  const codes: string[] = []
  for (const attempt of [() => open.gather({ stop: records }), () => open.gatherInto({ stop: records }, target)]) {
    try {
      await attempt()
      codes.push('no error')
    } catch (error) {
      codes.push(error instanceof RecaskError ? error.code : String(error))
    }
  }
  await open.close()
  return codes
}
