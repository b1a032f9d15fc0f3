/**
 * Stores and tables that are written in the origin private file system, through synchronous access handles. Only a
 * dedicated worker has these.
 *
 * The handles are exclusive, which is the lock: a second writer, in whatever tab, is told `store_busy`. Readers that take
 * `getFile()` are let in; what they hold becomes unreadable (`NotReadableError`) with the next write to the file, and they
 * have to look again. A reader that shares a file for a moment (`read-only`, in Chromium) is waited for. Writers use no shared
 * mode (`readwrite-unsafe`): with it nothing would keep a second one out.
 *
 * A file has to be opened before the core can create it, so files that are empty may lie in the folder of a writer, and
 * stay when it is killed. Then the lock lies there still, or beside a table its draft: `witnessOf` says which empty files count
 * as absent because of that. Without it nobody opened ahead, and an empty file is a damaged one. Empty chunks and segments
 * are harmless: whatever lies behind the end of the payload or of the table is ignored by every reader of the format.
 */

import type { FolderHandle } from './browser.js'
import { Folder } from './folder.js'
import { OpfsDirectory } from './opfs_directory.js'
import type { PreparedDirectory } from './prepared.js'

/** The folder of a record store, or of one that will be created. Taken by another writer: calls say so. */
export async function opfsStore(handle: FolderHandle): Promise<PreparedDirectory> {
  const directory = new OpfsDirectory(handle.name, new Folder(handle))
  await directory.openStore()
  return directory
}

/** The table in a folder that has this name, or will have it. */
export async function opfsTable(handle: FolderHandle, name: string): Promise<PreparedDirectory> {
  const directory = new OpfsDirectory(name, new Folder(handle, name))
  await directory.openTable()
  return directory
}
