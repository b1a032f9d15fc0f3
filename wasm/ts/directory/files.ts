/** What lies in the origin private file system: listed, removed, and read back as files to save. */

import { RecaskError } from '../errors.js'
import type { FolderHandle } from './browser.js'
import { draftOf, INCOMPLETE, LOCK, witnessOf } from './names.js'
import { interrupted } from './place.js'
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
export async function entriesOf(folder: FolderHandle): Promise<OpfsEntry[]> {
  const entries: OpfsEntry[] = []
  for await (const [name, { kind }] of folder.entries()) {
    if (kind === 'file') {
      const { size } = await (await folder.getFileHandle(name)).getFile()
      entries.push({ name, kind, bytes: size, isIncomplete: false })
    } else {
      const inside = await entriesOf(await folder.getDirectoryHandle(name))
      const bytes = inside.reduce((sum, entry) => sum + entry.bytes, 0)
      entries.push({ name, kind: 'folder', bytes, isIncomplete: inside.some((entry) => entry.name === INCOMPLETE) })
    }
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Removes a file, or a folder with all that is in it. `store_busy` while somebody has it open for writing. */
export async function removeFrom(folder: FolderHandle, name: string): Promise<void> {
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
export async function filesOf(folder: FolderHandle): Promise<Map<string, Blob>> {
  const files = new Map<string, Blob>()
  const own = new Map<string, Blob>()
  for await (const [name, { kind }] of folder.entries()) {
    if (name === INCOMPLETE) {
      throw interrupted(folder.name)
    }
    if (kind === 'directory') {
      for (const [path, file] of await filesOf(await folder.getDirectoryHandle(name))) {
        files.set(`${name}/${path}`, file)
      }
    } else {
      own.set(name, await (await folder.getFileHandle(name)).getFile())
    }
  }
  const drafts = new Set([...own.keys()].map(draftOf))
  for (const [name, file] of own) {
    const isOfWriter = name === LOCK || drafts.has(name) || (file.size === 0 && own.has(witnessOf(name) ?? ''))
    if (!isOfWriter) {
      files.set(name, file)
    }
  }
  return files
}
