/** What lies in the origin private file system: listed, removed, and read back as files to save. */

import { RecaskError } from '../errors.js'
import type { FolderHandle } from './browser.js'
import { INCOMPLETE, LOCK, isLeftover } from './names.js'
import { nameOf, refusal } from './problem.js'

/** Something directly in a folder. */
export interface OpfsEntry {
  readonly name: string
  readonly kind: 'file' | 'folder'
  /** Of everything in it. */
  readonly bytes: number
  /** Whether a copy into this folder was interrupted, so that it cannot be opened. */
  readonly isIncomplete: boolean
}

/** What is directly in a folder, by name. */
export async function listOpfs(folder: FolderHandle): Promise<OpfsEntry[]> {
  const entries: OpfsEntry[] = []
  for await (const [name, { kind }] of folder.entries()) {
    if (kind === 'file') {
      const { size } = await (await folder.getFileHandle(name)).getFile()
      entries.push({ name, kind, bytes: size, isIncomplete: false })
    } else {
      const inside = await listOpfs(await folder.getDirectoryHandle(name))
      const bytes = inside.reduce((sum, entry) => sum + entry.bytes, 0)
      entries.push({ name, kind: 'folder', bytes, isIncomplete: inside.some((entry) => entry.name === INCOMPLETE) })
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Removes a file, or a folder with all that is in it. `store_busy` while somebody has it open for writing. */
export async function removeOpfs(folder: FolderHandle, name: string): Promise<void> {
  try {
    await folder.removeEntry(name, { recursive: true })
  } catch (error) {
    if (nameOf(error) === 'NotFoundError') {
      throw new RecaskError('missing_file', `there is no ${name} in this folder`, {}, { cause: error })
    }
    throw refusal(error, `remove ${name}`)
  }
}

/**
 * The files that make up what lies in a folder, by path, to be saved or sent elsewhere: every reader of the formats takes
 * them. Nothing is read yet; a file that is written to afterwards cannot be read through this any more.
 */
export async function opfsFiles(folder: FolderHandle): Promise<Map<string, Blob>> {
  const files = new Map<string, Blob>()
  for await (const [name, { kind }] of folder.entries()) {
    if (kind === 'directory') {
      for (const [path, file] of await opfsFiles(await folder.getDirectoryHandle(name))) {
        files.set(`${name}/${path}`, file)
      }
      continue
    }
    const file = await (await folder.getFileHandle(name)).getFile()
    if (name === INCOMPLETE) {
      throw interrupted(folder.name)
    }
    if (name !== LOCK && !isLeftover(name, file.size) && !isEmptyTable(name, file.size)) {
      files.set(name, file)
    }
  }
  return files
}

/** The refusal of a folder with an interrupted copy. */
export function interrupted(name: string): RecaskError {
  return new RecaskError('incomplete_store', `copying to ${name} was interrupted; copy it again, or remove the folder`)
}

function isEmptyTable(name: string, size: number): boolean {
  return size === 0 && /\.cstore(\.draft)?$/.test(name)
}
