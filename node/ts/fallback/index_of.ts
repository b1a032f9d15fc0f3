import type { Index } from '../../../wasm/ts/interface.js'
import type { RawIndex } from '../../../wasm/ts/raw.js'

/** An index as people write it, from what it became. */
export function indexFrom(index: RawIndex): Index {
  if (index instanceof Uint8Array) return Array.from(index, Boolean)
  if (!Array.isArray(index)) return index
  const [start, stop, step] = index
  return { start, stop, step }
}
