/** What the directories use of a browser's file system: `FileSystemDirectoryHandle` and what it leads to. */

import { nameOf } from './problem.js'

/** `FileSystemSyncAccessHandle`. */
export interface SyncHandle {
  read(buffer: Uint8Array, options: { at: number }): number
  write(buffer: Uint8Array, options: { at: number }): number
  getSize(): number
  truncate(size: number): void
  flush(): void
  close(): void
}

/** `FileSystemWritableFileStream`. */
export interface FileStream {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
  abort(reason?: unknown): Promise<void>
}

/** `FileSystemFileHandle`. What not every browser or thread has is optional. */
export interface FileHandle {
  readonly kind: 'file'
  readonly name: string
  getFile(): Promise<Blob>
  /** Only in dedicated workers. */
  createSyncAccessHandle?(): Promise<SyncHandle>
  createWritable?(): Promise<FileStream>
  move?(name: string): Promise<void>
}

/** `FileSystemDirectoryHandle`. */
export interface FolderHandle {
  readonly kind: 'directory'
  readonly name: string
  getFileHandle(name: string, options?: { create?: boolean }): Promise<FileHandle>
  getDirectoryHandle(name: string, options?: { create?: boolean }): Promise<FolderHandle>
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>
  entries(): AsyncIterable<[string, { readonly kind: 'file' | 'directory'; readonly name: string }]>
}

/** Whether there is a file of this name. It is not opened. */
export async function hasFile(folder: FolderHandle, name: string): Promise<boolean> {
  try {
    await folder.getFileHandle(name)
    return true
  } catch (error) {
    if (nameOf(error) === 'NotFoundError') {
      return false
    }
    throw error
  }
}
