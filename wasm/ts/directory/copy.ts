/** Copies of stores, tables and folders of them in the origin private file system. */

import { RecaskError } from '../errors.js'
import { listed } from '../files.js'
import type { LongOptions } from '../interface.js'
import type { Listing, Source } from '../source/source.js'
import type { FileHandle, FolderHandle } from './browser.js'
import { INCOMPLETE, LOCK, TABLE } from './names.js'
import { OpenFile } from './open_file.js'
import { refusal } from './problem.js'

/** Bytes that are read at once, which bounds the memory of a copy. */
const BLOCK = 4 << 20

interface Copied {
  readonly source: Source
  readonly folder: FolderHandle
  /** In the source. */
  readonly name: string
  readonly target: string
  readonly size: number
}

export interface CopyOptions extends LongOptions {
  /** What a single table is called in the folder; its own name by default. */
  readonly name?: string | undefined
}

/**
 * Copies all that a source holds into an empty folder, or anew into one where a copy was interrupted. Until it is done the
 * folder is marked, and is not opened; when it fails, nothing stays. Progress counts bytes.
 */
export async function copyInto(source: Source, folder: FolderHandle, options: CopyOptions = {}): Promise<void> {
  await clear(folder)
  try {
    await folder.getFileHandle(INCOMPLETE, { create: true })
    const files = await collect(source, folder, options)
    const total = files.reduce((sum, { size }) => sum + size, 0)
    let done = 0
    for (const file of files) {
      await copyFile(file, options.signal, (bytes) => {
        done += bytes
        options.onProgress?.({ done, total })
      })
    }
    options.signal?.throwIfAborted()
    await folder.removeEntry(INCOMPLETE)
  } catch (error) {
    await removeAll(folder).catch(() => {})
    options.signal?.throwIfAborted()
    throw refusal(error, `copy ${source.name}`)
  }
}

/** Makes sure that nothing is there but an interrupted copy, and removes that. */
async function clear(folder: FolderHandle): Promise<void> {
  const names = await namesIn(folder)
  if (names.length > 0 && !names.includes(INCOMPLETE)) {
    throw new RecaskError('store_exists', `${folder.name} is not empty; choose another folder for the copy`)
  }
  await removeAll(folder).catch((error: unknown) => {
    throw refusal(error, `remove what an interrupted copy left in ${folder.name}`)
  })
}

/** The mark goes last. */
async function removeAll(folder: FolderHandle): Promise<void> {
  const names = await namesIn(folder)
  for (const name of names.filter((name) => name !== INCOMPLETE)) {
    await folder.removeEntry(name, { recursive: true })
  }
  if (names.includes(INCOMPLETE)) {
    await folder.removeEntry(INCOMPLETE)
  }
}

async function namesIn(folder: FolderHandle): Promise<string[]> {
  const names: string[] = []
  for await (const [name] of folder.entries()) {
    names.push(name)
  }
  return names
}

async function collect(source: Source, folder: FolderHandle, options: CopyOptions): Promise<Copied[]> {
  const listing = (await listed(source, options, true)) ?? (await alone(source, options))
  if (listing === undefined) {
    throw new RecaskError('invalid_argument', `${source.name} cannot tell which files it has; write its recask.json first`)
  }
  const copied: Copied[] = []
  for (const [name, size] of listing.files) {
    if (name !== LOCK) {
      const target = source.kind === 'file' && name === TABLE ? (options.name ?? lastPart(source.name)) : name
      copied.push({ source, folder, name, target, size })
    }
  }
  for (const name of listing.folders) {
    const inside = await folder.getDirectoryHandle(name, { create: true })
    copied.push(...(await collect(source.folder(name), inside, { signal: options.signal })))
  }
  return copied
}

/** A single table needs no listing. */
async function alone(source: Source, { signal }: CopyOptions): Promise<Listing | undefined> {
  if (source.kind !== 'file') {
    return undefined
  }
  const [found] = await source.read([{ files: 0, name: TABLE, start: 0, end: 0 }], signal)
  if (found === undefined || !('bytes' in found) || found.length === undefined) {
    throw new RecaskError('missing_file', `there is no table at ${source.name}`)
  }
  return { files: new Map([[TABLE, found.length]]), folders: [] }
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

async function copyFile(file: Copied, signal: AbortSignal | undefined, copied: (bytes: number) => void): Promise<void> {
  const target = await writer(await file.folder.getFileHandle(file.target, { create: true }))
  try {
    for (let start = 0; start < file.size; start += BLOCK) {
      signal?.throwIfAborted()
      const bytes = await block(file, start, Math.min(start + BLOCK, file.size), signal)
      await target.write(bytes, start)
      copied(bytes.length)
    }
  } catch (error) {
    await target.abort().catch(() => {})
    throw error
  }
  await target.close()
}

async function block(file: Copied, start: number, end: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const [brought] = await file.source.read([{ files: 0, name: file.name, start, end }], signal)
  if (brought === undefined || !('bytes' in brought) || brought.bytes.length !== end - start) {
    throw new RecaskError('source_changed', `${file.name} became shorter while it was copied`, { file: file.name })
  }
  return brought.bytes
}

interface FileWriter {
  write(bytes: Uint8Array, at: number): Promise<void>
  close(): Promise<void>
  abort(): Promise<void>
}

/** An access handle where there are any, which need no second copy on the disk; else a stream. */
async function writer(file: FileHandle): Promise<FileWriter> {
  if (file.createSyncAccessHandle !== undefined) {
    const open = new OpenFile(await file.createSyncAccessHandle())
    return {
      write: async (bytes, at) => void open.write(bytes, { at }),
      close: async () => {
        try {
          open.flush()
        } finally {
          open.close()
        }
      },
      abort: async () => open.close(),
    }
  }
  if (file.createWritable === undefined) {
    throw new RecaskError('unsupported', 'this browser writes files only from a dedicated worker; copy from there')
  }
  const stream = await file.createWritable()
  return {
    // A stream takes no bytes of shared memory.
    write: (bytes) => stream.write(new Uint8Array(bytes)),
    close: () => stream.close(),
    abort: () => stream.abort(),
  }
}
