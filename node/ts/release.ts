import { nameOf } from '../../wasm/ts/element.js'
import { invalid } from '../../wasm/ts/errors.js'
import type { DenseBatch, RaggedBatch, TypedArray } from '../../wasm/ts/interface.js'
import { addon } from './addon.js'
import { at } from './call.js'
import type { Releasable } from './interface.js'

/**
 * Gives the memory of a batch back at once, instead of when it is collected: its arrays, and all views into them, are empty from
 * then on. Says whether there was something to give back. For loops over large batches that must not wait for the collector.
 *
 * ```js
 * using batch = await store.gather({ stop: 4096 })    // does the same at the end of the block
 * ```
 */
export function release(batch: DenseBatch | RaggedBatch | TypedArray): boolean {
  const data: unknown = ArrayBuffer.isView(batch) ? batch : batch?.data
  if (!ArrayBuffer.isView(data)) throw invalid(`what is given back is a batch or its array, not ${nameOf(batch)}`)
  const { buffer } = data
  // Nothing is left of what was given back before.
  if (buffer.byteLength === 0) return false
  return at(() => addon().release(new Uint8Array(buffer)))
}

/** Makes `using` give a batch back. */
export function releasable<Batch extends DenseBatch | RaggedBatch>(batch: Batch): Batch & Releasable {
  if (Symbol.dispose) Object.defineProperty(batch, Symbol.dispose, { configurable: true, value: () => void release(batch) })
  return batch as Batch & Releasable
}
