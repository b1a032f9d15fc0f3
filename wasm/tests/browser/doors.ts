/** Doors that only a browser has. */

import type { Door, Files, Inside } from '../conformance/door.js'
import { only } from '../conformance/doors/only.js'
import type { Place, Recask } from '../conformance/doors/package.js'
import { readingDoor } from '../conformance/doors/reading.js'
import type { Golden } from '../conformance/golden.js'
import { fill, filesBelow, folderAt, fresh } from './tasks/opfs.js'

const PICKED = 'what was picked is only read'
const TABLE = 'table.cstore'

/** The golden folder as it was picked in the page: every place is a folder or file in it. */
export function pickedDoor(recask: Recask, inside: Inside, golden: Golden, files: readonly File[]): Door<Place> {
  const wanted = files.filter(({ name }) => name !== '.keep')
  const all = recask.fromFiles(wanted)
  return readingDoor(recask, inside, golden, { name: 'picked files', readOnly: PICKED, lists: true, at: (path) => within(all, path) })
}

/** A folder of the origin private file system stands in for one that was picked. */
export async function handleDoor(recask: Recask, inside: Inside, golden: Golden): Promise<Door<Place>> {
  const all = recask.fromFiles(await goldenFolder(golden))
  return readingDoor(recask, inside, golden, { name: 'directory handle', readOnly: PICKED, lists: true, at: (path) => within(all, path) })
}

function within(all: Place, path: string): Place {
  return path.endsWith('.cstore') ? all.file(path) : all.folder(path)
}

/** The origin private file system. On a page it can only be read. Every lane has its copies to itself. */
export async function opfsDoor(recask: Recask, inside: Inside, golden: Golden, lane: number): Promise<Door<Place>> {
  await goldenFolder(golden)
  if (!inWorker()) {
    const readOnly = 'a page cannot write to the origin private file system'
    const at = (path: string) => recask.fromOpfs(`golden/${path}`)
    return readingDoor(recask, inside, golden, { name: 'opfs', readOnly, lists: true, at })
  }
  const root = await navigator.storage.getDirectory()
  const copies = await fresh(`copies ${lane}`)
  const folders = new Map<Place, string>()
  const placeIn = (folder: string, table: boolean): Place => {
    const place = recask.fromOpfs(table ? `${folder}/${TABLE}` : folder)
    folders.set(place, folder)
    return place
  }
  let count = 0
  /** A place of its own, with these files in it. */
  const holding = async (files: Files | undefined, table = false): Promise<Place> => {
    const name = String((count += 1))
    if (files !== undefined) {
      await fill(await copies.getDirectoryHandle(name, { create: true }), files)
    }
    return placeIn(`copies ${lane}/${name}`, table)
  }
  /** The table in a folder of its own, which is made once. */
  const originalTable = async (file: string): Promise<Place> => {
    const folder = `tables/${file.replaceAll('/', ' ')}`
    const made = tables.get(folder) ?? tableFolder(root, folder, golden.file(file))
    tables.set(folder, made)
    await made
    return placeIn(folder, true)
  }
  const filesOf = async (place: Place): Promise<Files> => filesBelow(await folderAt(root, folders.get(place)!))
  return {
    name: 'opfs',
    recask,
    inside,
    lists: true,
    original: async (folder) => recask.fromOpfs(`golden/${folder}`),
    copy: (folder) => holding(golden.folder(folder)),
    nowhere: () => holding(undefined),
    files: filesOf,
    originalTable,
    table: (file) => holding(new Map([[TABLE, golden.file(file)]]), true),
    noTable: () => holding(new Map(), true),
    tableBytes: async (place) => only(await filesOf(place), TABLE),
    golden: async (folder) => golden.folder(folder),
    goldenTable: async (file) => golden.file(file),
    async tidy() {
      folders.clear()
      await Promise.all((await namesIn(copies)).map((name) => copies.removeEntry(name, { recursive: true })))
    },
  }
}

/** Folders of golden tables that are only read: they serve all cases. */
const tables = new Map<string, Promise<void>>()

async function tableFolder(root: FileSystemDirectoryHandle, path: string, content: Uint8Array): Promise<void> {
  await fill(await folderAt(root, path, { create: true }), new Map([[TABLE, content]]))
}

async function namesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = []
  for await (const name of folder.keys()) {
    names.push(name)
  }
  return names
}

/** All golden files in the origin private file system. */
async function goldenFolder(golden: Golden): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  const written = await root.getFileHandle('golden is written').catch(missing)
  if (written !== undefined) {
    return root.getDirectoryHandle('golden')
  }
  const folder = await fresh('golden')
  const folders = Array.from(golden.folders(), async ([path, files]) => fill(await folderAt(folder, path, { create: true }), files))
  await Promise.all(folders)
  await root.getFileHandle('golden is written', { create: true })
  return folder
}

function missing(error: unknown): undefined {
  if (!(error instanceof DOMException) || error.name !== 'NotFoundError') {
    throw error
  }
}

function inWorker(): boolean {
  return typeof document === 'undefined'
}
