import type { FolderHandle } from '../directory/browser.js'
import { heldFolder } from '../directory/held.js'
import { opfsStore, opfsTable } from '../directory/opfs.js'
import { descend, partsOfPath, storage } from '../directory/place.js'
import { LocalSource, type WriteOptions } from './local/local_source.js'
import { OriginFolder } from './local/origin_folder.js'
import type { Source } from './source.js'

/**
 * A folder of the origin private file system, under its path or as a handle; an empty path is the whole of it, and a path that
 * ends with `.cstore` is a table. In a dedicated worker it can also be written.
 *
 * Who reads sees what others write there, in whatever tab, after a `refresh`.
 *
 * ```js
 * const images = await DenseStore.open(fromOpfs('digits/images'))
 * ```
 */
export function fromOpfs(place: string | FileSystemDirectoryHandle): Source {
  if (typeof place !== 'string') return sourceOf(place.name, async () => heldFolder(place as FolderHandle), [], 'folder')
  const path = partsOfPath(place)
  const kind = path.at(-1)?.endsWith('.cstore') ? 'file' : 'folder'
  return sourceOf('', storage, path, kind)
}

function sourceOf(name: string, root: () => Promise<FolderHandle>, path: readonly string[], kind: 'folder' | 'file'): Source {
  const tree = {
    name,
    root: async () => OriginFolder.of(await root()),
    // In a worker a read costs microseconds, on a page about a millisecond.
    coalescing: { gap: 16 * 1024, max: 4 * 1024 * 1024 },
    write: async (path: readonly string[], kind: 'folder' | 'file', options: WriteOptions) => {
      const folder = await descend(await root(), kind === 'file' ? path.slice(0, -1) : path, options)
      if (kind === 'folder') return opfsStore(folder)
      return opfsTable(folder, path.at(-1) ?? '')
    },
  }
  return new LocalSource(tree, path, kind)
}
