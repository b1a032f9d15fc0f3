/** The origin private file system, past the library. */

import type { Files } from '../../conformance/door.js'

/** What TypeScript does not know: only dedicated workers have it. */
export interface SyncAccessHandle {
  write(bytes: Uint8Array, options?: { at: number }): number
  truncate(size: number): void
  close(): void
}

/** Opens a file for writing without waiting. */
export function access(file: FileSystemFileHandle): Promise<SyncAccessHandle> {
  return (file as unknown as { createSyncAccessHandle(): Promise<SyncAccessHandle> }).createSyncAccessHandle()
}

/** A folder at the top that is empty. */
export async function fresh(name: string): Promise<FileSystemDirectoryHandle> {
  await remove(name)
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(name, { create: true })
}

/** Removes a folder at the top, with all that is in it. */
export async function remove(name: string): Promise<void> {
  const root = await navigator.storage.getDirectory()
  await root.removeEntry(name, { recursive: true }).catch((error: unknown) => {
    if (!(error instanceof DOMException) || error.name !== 'NotFoundError') {
      throw error
    }
  })
}

/** The folder with this path below another. */
export async function folderAt(
  folder: FileSystemDirectoryHandle,
  path: string,
  options: FileSystemGetDirectoryOptions = {},
): Promise<FileSystemDirectoryHandle> {
  for (const part of path.split('/').filter((each) => each !== '')) {
    folder = await folder.getDirectoryHandle(part, options)
  }
  return folder
}

/** Writes files into a folder. */
export async function fill(folder: FileSystemDirectoryHandle, files: Files): Promise<void> {
  await Promise.all(Array.from(files, ([name, content]) => write(folder, name, content)))
}

async function write(folder: FileSystemDirectoryHandle, name: string, content: Uint8Array): Promise<void> {
  const file = await folder.getFileHandle(name, { create: true })
  if ('createSyncAccessHandle' in file) {
    const open = await access(file)
    open.write(content)
    open.close()
    return
  }
  const stream = await file.createWritable()
  await stream.write(content.slice())
  await stream.close()
}

/** All files in and below a folder by their paths. */
export async function filesBelow(folder: FileSystemDirectoryHandle, prefix = ''): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  for await (const [name, entry] of folder.entries()) {
    if (entry instanceof FileSystemFileHandle) {
      found.set(prefix + name, new Uint8Array(await (await entry.getFile()).arrayBuffer()))
    } else if (entry instanceof FileSystemDirectoryHandle) {
      for (const [path, content] of await filesBelow(entry, `${prefix}${name}/`)) {
        found.set(path, content)
      }
    }
  }
  return found
}
