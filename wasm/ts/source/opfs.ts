import type { FolderHandle } from '../directory/browser.js'
import { opfsStore, opfsTable } from '../directory/opfs.js'
import { nameOf } from '../directory/problem.js'
import { RecaskError } from '../errors.js'
import { HandleFolder } from './local/handle_folder.js'
import { LocalSource, type WriteOptions } from './local/local_source.js'
import { explained } from './local/problem.js'
import { openInPlace } from './local/in_place.js'
import { partsOf, type Source } from './source.js'

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
  if (typeof place !== 'string') return sourceOf(place.name, async () => place as FolderHandle, [], 'folder')
  const path = place.replace(/^\/+|\/+$/g, '')
  const kind = path.endsWith('.cstore') ? 'file' : 'folder'
  return sourceOf('', storage, path === '' ? [] : partsOf(path), kind)
}

async function storage(): Promise<FolderHandle> {
  const manager = (globalThis as { navigator?: { storage?: StorageManager } }).navigator?.storage
  if (!manager?.getDirectory) {
    throw new RecaskError(
      'unsupported',
      'there is no origin private file system here: it needs a browser and a page from https: or localhost',
    )
  }
  return (await manager.getDirectory()) as FolderHandle
}

function sourceOf(name: string, root: () => Promise<FolderHandle>, path: readonly string[], kind: 'folder' | 'file'): Source {
  const tree = {
    name,
    root: async () => new HandleFolder(await root(), openInPlace),
    // In a worker a read costs microseconds, on a page about a millisecond.
    coalescing: { gap: 16 * 1024, max: 4 * 1024 * 1024 },
    hasLeftovers: true,
    write: async (path: readonly string[], kind: 'folder' | 'file', options: WriteOptions) => {
      const folder = await descend(await root(), kind === 'file' ? path.slice(0, -1) : path, options)
      if (kind === 'folder') return opfsStore(folder)
      return opfsTable(folder, path.at(-1) ?? '')
    },
  }
  return new LocalSource(tree, path, kind)
}

async function descend(
  root: FolderHandle,
  path: readonly string[],
  { create = false, signal }: WriteOptions,
): Promise<FolderHandle> {
  let folder = root
  for (const name of path) {
    signal?.throwIfAborted()
    try {
      folder = await folder.getDirectoryHandle(name, { create })
    } catch (error) {
      const place = path.join('/')
      if (nameOf(error) === 'NotFoundError')
        throw new RecaskError('store_not_found', `there is no folder ${place}`, { place })
      if (nameOf(error) === 'TypeMismatchError')
        throw new RecaskError('store_exists', `${name} of ${place} is a file`, { place })
      throw explained(error, place)
    }
  }
  return folder
}
