import { fileURLToPath } from 'node:url'
import { nameOf } from '../../wasm/ts/element.js'
import { invalid } from '../../wasm/ts/errors.js'

/** Where a store or table is: a path, or a URL with `file:`. */
export type Place = string | URL

export function pathOf(place: Place): string {
  if (typeof place === 'string') {
    if (place === '') throw invalid('a place has a path, and this one is empty')
    if (place.includes('\0')) throw invalid('a path has no character of number 0')
    return place
  }
  if (!(place instanceof URL)) throw invalid(`a place is a path or a URL with file:, not ${nameOf(place)}`)
  try {
    return fileURLToPath(place)
  } catch (error) {
    throw invalid(`${place.href} is no file: ${(error as Error).message}`)
  }
}
