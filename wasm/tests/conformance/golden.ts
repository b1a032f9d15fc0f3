/** The golden files, all in memory. */

import type { Files } from './door.js'

/** Keeps an empty folder in a repository, and is not part of it. */
const KEEP = '.keep'

export class Golden {
  readonly #folders = new Map<string, Map<string, Uint8Array>>()

  /** `files` by their paths below the golden folder, with `/`. */
  constructor(files: Iterable<readonly [path: string, content: Uint8Array]>) {
    for (const [path, content] of files) {
      const [folder, name] = split(path)
      const found = this.#folders.get(folder) ?? new Map<string, Uint8Array>()
      this.#folders.set(folder, found)
      if (name !== KEEP) {
        found.set(name, content)
      }
    }
  }

  folder(folder: string): Files {
    const files = this.#folders.get(folder)
    if (files === undefined) {
      throw new Error(`there is no golden folder ${folder}`)
    }
    return files
  }

  file(path: string): Uint8Array {
    const [folder, name] = split(path)
    const content = this.folder(folder).get(name)
    if (content === undefined) {
      throw new Error(`there is no golden file ${path}`)
    }
    return content
  }

  /** The folders that cases name: those that hold a store, or nothing. */
  *folders(): Iterable<readonly [folder: string, files: Files]> {
    yield* this.#folders
  }
}

function split(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/')
  return [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)]
}

/** All files as one: the length of a description, the description, and the contents. A page then fetches once. */
export function packed(files: readonly (readonly [path: string, content: Uint8Array])[]): Uint8Array<ArrayBuffer> {
  const description = new TextEncoder().encode(JSON.stringify(files.map(([path, content]) => [path, content.length])))
  const all = new Uint8Array(4 + description.length + files.reduce((sum, [, content]) => sum + content.length, 0))
  new DataView(all.buffer).setUint32(0, description.length)
  all.set(description, 4)
  let at = 4 + description.length
  for (const [, content] of files) {
    all.set(content, at)
    at += content.length
  }
  return all
}

export function unpacked(all: Uint8Array): [path: string, content: Uint8Array][] {
  const length = new DataView(all.buffer, all.byteOffset).getUint32(0)
  const description = new TextDecoder().decode(all.subarray(4, 4 + length))
  let at = 4 + length
  return (JSON.parse(description) as [string, number][]).map(([path, size]) => {
    at += size
    return [path, all.subarray(at - size, at)]
  })
}
