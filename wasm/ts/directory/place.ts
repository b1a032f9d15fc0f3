/** Folders of the origin private file system by their paths. */

import { RecaskError } from '../errors.js'
import { explained } from '../source/local/problem.js'
import { partsOf } from '../source/source.js'
import { type FolderHandle, hasFile } from './browser.js'
import { heldFolder } from './held.js'
import { INCOMPLETE } from './names.js'
import { nameOf } from './problem.js'

export interface FindOptions {
  /** Makes the folders that are missing. */
  readonly create?: boolean
  readonly signal?: AbortSignal
}

/** The parts of a path, without slashes around it. */
export function partsOfPath(path: string): string[] {
  const inner = path.replace(/^\/+|\/+$/g, '')
  return inner === '' ? [] : partsOf(inner)
}

/** A folder by its path, where an empty one is the whole file system, or by its handle. */
export async function folderOf(
  folder: string | FileSystemDirectoryHandle,
  options: FindOptions = {},
): Promise<FolderHandle> {
  return typeof folder === 'string' ? descend(await storage(), partsOfPath(folder), options) : heldFolder(folder as FolderHandle)
}

/** The whole file system. */
export async function storage(): Promise<FolderHandle> {
  const manager = (globalThis as { navigator?: { storage?: StorageManager } }).navigator?.storage
  if (!manager?.getDirectory) {
    throw new RecaskError(
      'unsupported',
      'there is no origin private file system here: it needs a browser and a page from https: or localhost',
    )
  }
  return heldFolder((await manager.getDirectory()) as FolderHandle)
}

/** A folder in another. Refuses to go into one where a copy was interrupted: what is in it may be half of what was copied. */
export async function descend(
  root: FolderHandle,
  path: readonly string[],
  { create = false, signal }: FindOptions = {},
): Promise<FolderHandle> {
  let folder = root
  for (const name of path) {
    signal?.throwIfAborted()
    await refuseInterrupted(folder)
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

/** Fails where a copy into this folder was interrupted. */
export async function refuseInterrupted(folder: FolderHandle): Promise<void> {
  if (await hasFile(folder, INCOMPLETE)) {
    throw interrupted(folder.name)
  }
}

/** The refusal of a folder with an interrupted copy. */
export function interrupted(name: string): RecaskError {
  const place = name === '' ? 'this file system' : name
  return new RecaskError('incomplete_store', `copying to ${place} was interrupted; copy it again, or remove the folder`)
}
