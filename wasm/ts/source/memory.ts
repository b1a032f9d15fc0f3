import { memoryStore, memoryTable } from '../directory/memory.js'
import { openBlob, type OpenFile } from './local/folder.js'
import { LocalSource } from './local/local_source.js'
import { MapFolder } from './local/map_folder.js'
import type { Source } from './source.js'

/** A file in memory, or one that the browser keeps. */
export type MemoryFile = Uint8Array | ArrayBuffer | Blob

/**
 * Files in a Map under their paths: `images/store.zr`. They are read where they are, without a copy. What is created, appended
 * or compacted shows in the Map.
 *
 * ```js
 * const files = new Map()
 * const store = await DenseStore.create(fromMemory(files).folder('images'), { dtype: 'uint8', itemShape: [28, 28] })
 * ```
 */
export function fromMemory(files: Map<string, MemoryFile>): Source {
  const tree = {
    name: '',
    root: async () => new MapFolder(files, open),
    // Nothing is copied here, but each piece costs more than some bytes that are not wanted.
    coalescing: { gap: 4096, max: 64 * 1024 * 1024 },
    isAtHand: (path: readonly string[]) => isAtHand(files, path.join('/')),
    write: async (path: readonly string[], kind: 'folder' | 'file') => {
      const place = path.join('/')
      const isWritten = kind === 'file' ? (name: string) => name.startsWith(place) : isIn(place)
      const bytes = await asBytes(files, isWritten)
      return kind === 'file' ? memoryTable(bytes, place) : memoryStore(bytes, place)
    },
  }
  return new LocalSource(tree, [], 'folder')
}

function open(content: MemoryFile): OpenFile {
  if (content instanceof Blob) return openBlob(content)
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content)
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) }
}

function isAtHand(files: ReadonlyMap<string, MemoryFile>, place: string): boolean {
  const isThere = isIn(place)
  for (const [path, content] of files) {
    if (content instanceof Blob && (path === place || isThere(path))) return false
  }
  return true
}

function isIn(folder: string): (path: string) => boolean {
  return (path) => folder === '' || path.startsWith(`${folder}/`)
}

/** Writers work on bytes: other contents that they may meet become that. */
async function asBytes(
  files: Map<string, MemoryFile>,
  isWritten: (path: string) => boolean,
): Promise<Map<string, Uint8Array>> {
  for (const [path, content] of files) {
    if (!isWritten(path) || content instanceof Uint8Array) continue
    const bytes = new Uint8Array(content instanceof Blob ? await content.arrayBuffer() : content)
    // Whoever put something else there meanwhile meant it.
    if (files.get(path) === content) files.set(path, bytes)
  }
  return files as Map<string, Uint8Array>
}
