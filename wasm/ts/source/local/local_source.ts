import type { PreparedDirectory } from '../../directory/prepared.js'
import { TABLE } from '../../directory/names.js'
import { invalid } from '../../errors.js'
import type { Need } from '../../raw.js'
import { Limit } from '../limit.js'
import { type Brought, byFile, type Coalescing, type Listing, type ListOptions, partsOf, type Source } from '../source.js'
import type { Folder, OpenFile } from './folder.js'
import { join } from './join.js'
import { changed, explained } from './problem.js'

export interface WriteOptions {
  readonly create?: boolean
  readonly signal?: AbortSignal
}

/** A tree of files, and what can be done with it. */
export interface Tree {
  readonly name: string
  /** The folder that it starts at, with nothing known of it; nothing where it is not there. */
  readonly root: () => Promise<Folder | undefined>
  readonly coalescing: Coalescing
  /** Whether the files at a path are in memory. */
  readonly isAtHand?: (path: readonly string[]) => boolean
  readonly write?: (path: readonly string[], kind: 'folder' | 'file', options: WriteOptions) => Promise<PreparedDirectory>
}

/** As many reads at a time as help. */
const AT_A_TIME = 8

/** A place in a tree of files. */
export class LocalSource implements Source {
  readonly kind: 'folder' | 'file'
  readonly coalescing: Coalescing
  readonly directory?: (options?: WriteOptions) => Promise<PreparedDirectory>
  readonly #tree: Tree
  readonly #path: readonly string[]
  readonly #root: () => Promise<Folder | undefined>
  /** The folder that this place is, or lies in. */
  readonly #holder: () => Promise<Folder | undefined>
  #found: Folder | undefined
  readonly #limit = new Limit(AT_A_TIME)

  constructor(tree: Tree, path: readonly string[], kind: 'folder' | 'file', root = once(tree.root)) {
    this.#tree = tree
    this.#path = path
    this.#root = root
    this.#holder = once(async () => (this.#found = await this.#find(kind === 'file' ? path.slice(0, -1) : path)))
    this.kind = kind
    this.coalescing = tree.coalescing
    const { write } = tree
    if (write) this.directory = (options = {}) => write(path, kind, options)
  }

  get name(): string {
    return [this.#tree.name, ...this.#path].filter((part) => part !== '').join('/')
  }

  get isAtHand(): boolean {
    return this.#tree.isAtHand?.(this.#path) ?? false
  }

  async list({ signal }: ListOptions = {}): Promise<Listing> {
    if (this.kind === 'file') {
      const size = await this.#withFile(TABLE, (file) => Promise.resolve(file.size))
      return { files: new Map(size === undefined ? [] : [[TABLE, size]]), folders: [] }
    }
    const folder = await this.#holder()
    const names = await folder?.list()
    const sizes = new Map<string, number>()
    const measure = async (name: string) => {
      const size = await this.#withFile(name, (file) => Promise.resolve(file.size))
      if (size !== undefined) sizes.set(name, size)
    }
    await Promise.all((names?.files ?? []).map((name) => this.#limit.run(() => measure(name), signal)))
    return { files: sizes, folders: names?.folders ?? [] }
  }

  folder(name: string): LocalSource {
    return this.#below(name, 'folder')
  }

  file(name: string): LocalSource {
    return this.#below(name, 'file')
  }

  reopened(): LocalSource {
    return new LocalSource(this.#tree, this.#path, this.kind)
  }

  async read(requests: readonly Need[], signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Brought[]> {
    signal?.throwIfAborted()
    const brought = new Array<Brought>(requests.length)
    const readFile = async ([name, positions]: [string, number[]]) => {
      const wanted = positions.map((position) => requests[position] as Need)
      const work = async (file: OpenFile) => ({
        length: file.size,
        pieces: await this.#pieces(name, file, wanted, signal, onBytes),
      })
      const read = await this.#withFile(name, work, signal)
      wanted.forEach(({ files, name, start }, at) => {
        const position = positions[at] as number
        const bytes = read?.pieces[at]
        brought[position] = read && bytes ? { files, name, start, bytes, length: read.length } : { files, name, absent: true }
      })
    }
    await Promise.all(Array.from(byFile(requests), readFile))
    return brought
  }

  async #pieces(
    name: string,
    file: OpenFile,
    wanted: readonly Need[],
    signal: AbortSignal | undefined,
    onBytes: ((bytes: number) => void) | undefined,
  ): Promise<Uint8Array[]> {
    const pieces = new Array<Uint8Array>(wanted.length)
    const clipped = wanted.map(({ start, end }) => ({ start: Math.min(start, file.size), end: Math.min(end, file.size) }))
    const readOne = async ({ start, end, positions }: ReturnType<typeof join>[number]) => {
      signal?.throwIfAborted()
      const bytes = start < end ? await file.read(start, end) : new Uint8Array()
      if (bytes.length !== end - start) throw changed(this.#shown(name))
      for (const position of positions) {
        const range = clipped[position] as { start: number; end: number }
        pieces[position] = bytes.subarray(range.start - start, range.end - start)
        onBytes?.(range.end - range.start)
      }
    }
    await Promise.all(join(clipped, this.coalescing).map((joined) => this.#limit.run(() => readOne(joined), signal)))
    signal?.throwIfAborted()
    return pieces
  }

  /** Works with a file while it is open; `undefined` where there is none. A source that is one file has no other. */
  async #withFile<T>(name: string, work: (file: OpenFile) => Promise<T>, signal?: AbortSignal): Promise<T | undefined> {
    const real = this.kind === 'file' ? (this.#path.at(-1) ?? '') : name
    try {
      const folder = await this.#holder()
      const file = await folder?.file(real)
      try {
        return file && (await work(file))
      } finally {
        file?.close?.()
      }
    } catch (error) {
      signal?.throwIfAborted()
      throw explained(error, this.#shown(name))
    }
  }

  letGo(): void {
    this.#found?.letGo?.()
  }

  async #find(path: readonly string[]): Promise<Folder | undefined> {
    let folder = await this.#root()
    for (const name of path) folder = await folder?.folder(name)
    return folder
  }

  #below(name: string, kind: 'folder' | 'file'): LocalSource {
    if (this.kind === 'file') throw invalid(`${this.name} is a file; only a folder has something in it`)
    return new LocalSource(this.#tree, [...this.#path, ...partsOf(name)], kind, this.#root)
  }

  #shown(name: string): string {
    return this.kind === 'file' || this.name === '' ? this.name || name : `${this.name}/${name}`
  }
}

/** Asks once; again after a failure, and where nothing was found: it may come. */
function once<T>(ask: () => Promise<T | undefined>): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined
  return async () => {
    asked ??= ask()
    const current = asked
    let found: T | undefined
    try {
      found = await current
      return found
    } finally {
      if (found === undefined && asked === current) asked = undefined
    }
  }
}
