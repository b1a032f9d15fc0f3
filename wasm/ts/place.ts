import { nameOf } from './element.js'
import { invalid } from './errors.js'
import type { Source } from './source/source.js'

/** A place as it is now: whoever opens it again wants to see what has changed. */
export function placeOf(source: Source): Source {
  if (typeof source?.reopened !== 'function') {
    throw invalid(`a place is made by fromUrl(), fromFiles(), fromOpfs() or fromMemory(); this is ${nameOf(source)}`)
  }
  return source.reopened()
}
