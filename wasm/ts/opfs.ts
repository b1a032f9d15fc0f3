/** What a site keeps in the origin private file system: copied there, listed, given away and removed. */

import { copyInto, type CopyOptions } from './directory/copy.js'
import { entriesOf, filesOf, type OpfsEntry, removeFrom } from './directory/files.js'
import { descend, folderOf, partsOfPath, storage } from './directory/place.js'
import { invalid } from './errors.js'
import { init } from './init.js'
import { placeOf } from './place.js'
import type { Source } from './source/source.js'

/**
 * Copies all that is at a place, a store, a table or a folder of them, into an empty folder of the origin private file system, which
 * is made where it is missing; or anew into one where a copy was interrupted. Until it is done the folder is marked, and opening
 * what is in it fails with `incomplete_store`. Where the copy fails, nothing stays in the folder. Progress counts bytes.
 *
 * A folder over HTTP has to have a `recask.json`. In a worker the copy needs the space of its files, on a page also that of the
 * largest once more.
 *
 * ```js
 * await copyToOpfs(fromUrl('https://example.org/digits/'), 'digits', { onProgress: show, signal })
 * const images = await DenseStore.open(fromOpfs('digits/images'))
 * ```
 */
export async function copyToOpfs(
  source: Source,
  folder: string | FileSystemDirectoryHandle,
  options: CopyOptions = {},
): Promise<void> {
  await init()
  await copyInto(placeOf(source), await folderOf(folder, { create: true }), options)
}

/**
 * What is directly in a folder of the origin private file system, in the order of names; without a folder, in the whole of it.
 *
 * ```js
 * for (const { name, bytes, isIncomplete } of await listOpfs()) show(name, bytes, isIncomplete)
 * ```
 */
export async function listOpfs(folder: string | FileSystemDirectoryHandle = ''): Promise<OpfsEntry[]> {
  return entriesOf(await folderOf(folder))
}

/**
 * The files of all that is in a folder of the origin private file system, by their paths, to be saved or sent elsewhere: every
 * reader of the formats takes them. What only a writer needs is left out. Nothing is read yet; once a file is written to,
 * what was given here cannot be read any more.
 *
 * ```js
 * for (const [path, file] of await opfsFiles('digits/images')) await upload(path, file)
 * ```
 */
export async function opfsFiles(folder: string | FileSystemDirectoryHandle): Promise<Map<string, Blob>> {
  return filesOf(await folderOf(folder))
}

/**
 * Removes a file of the origin private file system, or a folder with all that is in it. Fails with `store_busy` while somebody
 * has it open for writing.
 *
 * ```js
 * await removeOpfs('digits/images')
 * ```
 */
export async function removeOpfs(path: string): Promise<void> {
  const parts = partsOfPath(path)
  const name = parts.pop()
  if (name === undefined) throw invalid('name what is to be removed: listOpfs() tells what there is')
  await removeFrom(await descend(await storage(), parts), name)
}
