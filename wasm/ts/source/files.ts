import type { FileHandle, FolderHandle } from '../directory/browser.js'
import { heldFile, heldFolder } from '../directory/held.js'
import { invalid } from '../errors.js'
import { EntryFolder } from './local/entry_folder.js'
import { type Folder, openBlob, type OpenFile } from './local/folder.js'
import { HandleFolder } from './local/handle_folder.js'
import { KeptFolder } from './local/kept_folder.js'
import { LocalSource } from './local/local_source.js'
import { MapFolder } from './local/map_folder.js'
import type { Source } from './source.js'

/** What a page is given when somebody picks or drops files and folders. */
export type PickedFiles =
  Blob | FileList | readonly File[] | FileSystemFileHandle | FileSystemDirectoryHandle | DataTransferItemList

/** A read of the browser's file system takes a millisecond or so, in which it could read so many bytes more. */
const COALESCING = { gap: 64 * 1024, max: 4 * 1024 * 1024 }

/**
 * Files and folders that somebody picked or dropped: a folder of `showDirectoryPicker()` or `<input webkitdirectory>`, a table
 * as a `File` or `Blob`, several files, or `event.dataTransfer.items` while the event is handled. Only what is asked for is
 * read. A file that changes after it was picked fails with `source_changed`.
 *
 * ```js
 * input.onchange = async () => show(await openAny(fromFiles(input.files)))
 * ```
 */
export function fromFiles(picked: PickedFiles): Source {
  if (picked instanceof Blob) return ofBlob(picked)
  if ('kind' in picked) return picked.kind === 'file' ? ofFileHandle(picked) : ofFolderHandle(picked)
  const items = Array.from<File | DataTransferItem>(picked)
  const files = items.filter((item) => item instanceof Blob)
  if (files.length === items.length) return ofFiles(files)
  return ofEntries(
    items.map((item) => ('webkitGetAsEntry' in item ? item.webkitGetAsEntry() : null)).filter((entry) => entry !== null),
  )
}

function ofBlob(blob: Blob): Source {
  const name = blob instanceof File ? blob.name : 'table.cstore'
  return fileIn(name, async () => new MapFolder(new Map([[name, blob]]), openBlob))
}

function ofFileHandle(handle: FileSystemFileHandle): Source {
  const folder = async (): Promise<Folder> => ({
    list: async () => ({ files: [handle.name], folders: [] }),
    folder: async () => undefined,
    file: () => openHandle(heldFile(handle)),
  })
  return fileIn(handle.name, folder)
}

function ofFolderHandle(handle: FileSystemDirectoryHandle): Source {
  return folderCalled(handle.name, async () => new HandleFolder(heldFolder(handle as FolderHandle), openHandle))
}

function ofFiles(files: readonly File[]): Source {
  const pathOf = (file: File) => file.webkitRelativePath || file.name
  const [first] = files
  if (!first) throw invalid('no file was picked')
  const path = pathOf(first)
  if (files.length === 1 && !path.includes('/')) return ofBlob(first)
  // Whoever picks a folder means that folder; the paths begin with its name.
  const root = path.slice(0, path.indexOf('/') + 1)
  const isCommon = files.every((file) => pathOf(file).startsWith(root))
  const prefix = isCommon ? root : ''
  const map = new Map(files.map((file) => [pathOf(file).slice(prefix.length), file]))
  return folderCalled(prefix.slice(0, -1), async () => new MapFolder(map, openBlob))
}

function ofEntries(entries: readonly FileSystemEntry[]): Source {
  const [first] = entries
  if (!first) throw invalid('no file was dropped')
  if (entries.length > 1) return folderCalled('', async () => new EntryFolder(async () => entries))
  if (first.isDirectory) return folderCalled(first.name, async () => EntryFolder.of(first as FileSystemDirectoryEntry))
  return fileIn(first.name, async () => new EntryFolder(async () => entries))
}

async function openHandle(handle: FileHandle): Promise<OpenFile> {
  return openBlob(await handle.getFile())
}

function folderCalled(name: string, root: () => Promise<Folder>): Source {
  return new LocalSource({ name, root: kept(root), coalescing: COALESCING }, [], 'folder')
}

function fileIn(name: string, root: () => Promise<Folder>): Source {
  return new LocalSource({ name: '', root: kept(root), coalescing: COALESCING }, [name], 'file')
}

function kept(root: () => Promise<Folder>): () => Promise<Folder> {
  return async () => new KeptFolder(await root())
}
