/** Stores and tables on a server. */

import type { Door, Inside } from '../door.js'
import type { Golden } from '../golden.js'
import type { Place, Recask } from './package.js'
import { readingDoor } from './reading.js'

/** `base` is where the golden files are. With `listed` every folder has a `recask.json`. */
export function urlDoor(recask: Recask, inside: Inside, golden: Golden, base: URL, listed: boolean): Door<Place> {
  // One source for all, which keeps what it has read.
  const all = recask.fromUrl(base)
  return readingDoor(recask, inside, golden, {
    name: listed ? 'url with recask.json' : 'url',
    readOnly: 'nothing can be written over HTTP',
    lists: listed,
    at(path) {
      const isTable = path.endsWith('.cstore')
      if (!listed) {
        return isTable ? all.file(path) : all.folder(path)
      }
      if (!isTable) {
        return recask.fromUrl(new URL(`${path}/`, base), { index: true })
      }
      const slash = path.lastIndexOf('/') + 1
      return recask.fromUrl(new URL(path.slice(0, slash), base), { index: true }).file(path.slice(slash))
    },
  })
}
