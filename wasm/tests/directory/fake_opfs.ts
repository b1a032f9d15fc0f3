/**
 * An origin private file system in memory: exclusive handles, a quota, failures on demand, and what a crash at any moment
 * leaves.
 */

import type { FileHandle, FolderHandle, SyncHandle } from '../../ts/directory/browser.js'
import { Sparse } from './sparse.js'

/** What is left of writes that were not flushed: all, nothing, or only the size. */
export type Crash = 'kept' | 'lost' | 'zeros'

export const CRASHES: readonly Crash[] = ['kept', 'lost', 'zeros']

/** Files of a folder by name; folders in it are left out. */
export type Files = Map<string, Uint8Array>

const SECTOR = 512

export type Action = 'create' | 'open' | 'write' | 'truncate' | 'flush' | 'remove' | 'move'

export interface FakeOptions {
  /** Bytes of all files together. */
  quota?: number
  /** Whether writes fail as in a private window of Chromium: with a number, or without a word. */
  isPrivate?: boolean
  /** A page has no access handles. */
  isPage?: boolean
  cannotMove?: boolean
}

export class FakeDisk {
  readonly root: FakeFolder
  options: FakeOptions
  /** Throws to make an operation fail. */
  before: (action: Action, name: string) => void = () => {}
  /** Told after every change that a crash could follow, and in the middle of every write. */
  changed: (action: Action, name: string) => void = () => {}
  /** Handles that are open. */
  open = 0

  constructor(options: FakeOptions = {}) {
    this.options = options
    this.root = new FakeFolder('', this)
  }

  /** The disk after a crash now. */
  crashed(crash: Crash): FakeDisk {
    const disk = new FakeDisk({ ...this.options })
    this.root.copyTo(disk.root, crash)
    return disk
  }

  used(): number {
    return this.root.used()
  }

  /** A folder in the root, made when missing. */
  folder(name: string): FakeFolder {
    return this.root.child(name)
  }
}

interface Content {
  visible: Sparse
  durable: Sparse
  isTaken: boolean
}

export class FakeFolder implements FolderHandle {
  readonly kind = 'directory'
  readonly #files = new Map<string, Content>()
  readonly #folders = new Map<string, FakeFolder>()

  constructor(
    readonly name: string,
    readonly disk: FakeDisk,
  ) {}

  async getFileHandle(name: string, { create = false } = {}): Promise<FileHandle> {
    await undefined
    if (this.#folders.has(name)) {
      throw new DOMException(`${name} is a folder`, 'TypeMismatchError')
    }
    if (!this.#files.has(name)) {
      if (!create) {
        throw missing(name)
      }
      this.disk.before('create', name)
      this.#files.set(name, { visible: new Sparse(), durable: new Sparse(), isTaken: false })
      this.disk.changed('create', name)
    }
    return this.#handle(name)
  }

  async getDirectoryHandle(name: string, { create = false } = {}): Promise<FakeFolder> {
    await undefined
    if (!this.#folders.has(name) && !create) {
      throw missing(name)
    }
    return this.child(name)
  }

  async removeEntry(name: string, { recursive = false } = {}): Promise<void> {
    await undefined
    this.disk.before('remove', name)
    const folder = this.#folders.get(name)
    if (folder !== undefined) {
      if (!recursive && (folder.#files.size > 0 || folder.#folders.size > 0)) {
        throw new DOMException(`${name} is not empty`, 'InvalidModificationError')
      }
      if ([...folder.#files.values()].some((file) => file.isTaken)) {
        throw taken(name)
      }
      this.#folders.delete(name)
    } else {
      this.#untaken(name)
      this.#files.delete(name)
    }
    this.disk.changed('remove', name)
  }

  async *entries(): AsyncIterable<[string, { readonly kind: 'file' | 'directory'; readonly name: string }]> {
    for (const name of [...this.#files.keys()]) {
      yield [name, { kind: 'file', name }]
    }
    for (const name of [...this.#folders.keys()]) {
      yield [name, { kind: 'directory', name }]
    }
  }

  child(name: string): FakeFolder {
    const folder = this.#folders.get(name) ?? new FakeFolder(name, this.disk)
    this.#folders.set(name, folder)
    return folder
  }

  /** What the files hold now. */
  files(): Files {
    return new Map([...this.#files].map(([name, { visible }]) => [name, visible.bytes()]))
  }

  put(name: string, bytes: Uint8Array): void {
    this.#put(name, Sparse.of(bytes))
  }

  /** Sizes by name. */
  sizes(): Map<string, number> {
    return new Map([...this.#files].map(([name, { visible }]) => [name, visible.size]))
  }

  /** Bytes of a file, fewer where it ends. */
  read(name: string, start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start)
    return bytes.subarray(0, this.#content(name).visible.read(bytes, start))
  }

  used(): number {
    const own = [...this.#files.values()].reduce((sum, { visible }) => sum + visible.size, 0)
    return [...this.#folders.values()].reduce((sum, folder) => sum + folder.used(), own)
  }

  copyTo(target: FakeFolder, crash: Crash): void {
    for (const [name, content] of this.#files) {
      target.#put(name, afterwards(content, crash))
    }
    for (const [name, folder] of this.#folders) {
      folder.copyTo(target.child(name), crash)
    }
  }

  #put(name: string, content: Sparse): void {
    this.#files.set(name, { visible: content.copy(), durable: content.copy(), isTaken: false })
  }

  #handle(name: string): FileHandle {
    const { disk } = this
    return {
      kind: 'file',
      name,
      getFile: async () => this.#blob(name),
      ...(!disk.options.isPage && { createSyncAccessHandle: () => this.#access(name) }),
      ...(!disk.options.cannotMove && { move: (to: string) => this.#move(name, to) }),
      createWritable: () => this.#stream(name),
    }
  }

  /** Only files that are small are read as a whole. */
  #blob(name: string): Blob {
    const { visible } = this.#content(name)
    return visible.size < 2 ** 28 ? new Blob([visible.bytes()]) : ({ size: visible.size } as Blob)
  }

  async #access(name: string): Promise<SyncHandle> {
    await undefined
    this.disk.before('open', name)
    const content = this.#untaken(name)
    content.isTaken = true
    return new FakeAccess(name, content, this.disk)
  }

  async #move(from: string, to: string): Promise<void> {
    await undefined
    this.disk.before('move', from)
    const content = this.#untaken(from)
    if (this.#files.has(to)) {
      this.#untaken(to)
    }
    this.#files.delete(from)
    this.#files.set(to, content)
    this.disk.changed('move', to)
  }

  /** Shows nothing before it is closed. */
  async #stream(name: string) {
    const content = this.#untaken(name)
    content.isTaken = true
    const parts: Uint8Array[] = []
    return {
      write: async (bytes: Uint8Array) => {
        this.disk.before('write', name)
        parts.push(bytes.slice())
        this.disk.changed('write', name)
      },
      close: async () => {
        content.visible = Sparse.of(Buffer.concat(parts))
        content.durable = content.visible.copy()
        content.isTaken = false
        this.disk.changed('flush', name)
      },
      abort: async () => {
        content.isTaken = false
      },
    }
  }

  #content(name: string): Content {
    const content = this.#files.get(name)
    if (content === undefined) {
      throw missing(name)
    }
    return content
  }

  #untaken(name: string): Content {
    const content = this.#content(name)
    if (content.isTaken) {
      throw taken(name)
    }
    return content
  }
}

class FakeAccess implements SyncHandle {
  #isOpen = true

  constructor(
    readonly name: string,
    readonly content: Content,
    readonly disk: FakeDisk,
  ) {
    disk.open += 1
  }

  read(buffer: Uint8Array, { at }: { at: number }): number {
    return this.#checked().visible.read(buffer, at)
  }

  write(buffer: Uint8Array, { at }: { at: number }): number {
    this.#checked()
    this.disk.before('write', this.name)
    if (!this.#hasRoom(at + buffer.length)) {
      if (this.disk.options.isPrivate) {
        return 2 ** 32 - 8
      }
      throw new DOMException('no space', 'QuotaExceededError')
    }
    // A sector is written as a whole or not at all; the journal counts on that.
    const half = Math.floor((at + (buffer.length >> 1)) / SECTOR) * SECTOR - at
    for (const end of half > 0 ? [half, buffer.length] : [buffer.length]) {
      this.content.visible.write(buffer.subarray(0, end), at)
      this.disk.changed('write', this.name)
    }
    return buffer.length
  }

  getSize(): number {
    return this.#checked().visible.size
  }

  truncate(size: number): void {
    this.#checked()
    this.disk.before('truncate', this.name)
    if (!this.#hasRoom(size)) {
      if (this.disk.options.isPrivate) {
        return
      }
      throw new DOMException('no space', 'QuotaExceededError')
    }
    this.content.visible.resize(size)
    this.disk.changed('truncate', this.name)
  }

  flush(): void {
    const content = this.#checked()
    this.disk.before('flush', this.name)
    content.durable = content.visible.copy()
    this.disk.changed('flush', this.name)
  }

  close(): void {
    if (this.#isOpen) {
      this.#isOpen = false
      this.content.isTaken = false
      this.disk.open -= 1
    }
  }

  #hasRoom(size: number): boolean {
    const more = size - this.content.visible.size
    return more <= 0 || this.disk.used() + more <= (this.disk.options.quota ?? Infinity)
  }

  #checked(): Content {
    if (!this.#isOpen) {
      throw new DOMException('the file was closed', 'InvalidStateError')
    }
    return this.content
  }
}

function afterwards({ visible, durable }: Content, crash: Crash): Sparse {
  switch (crash) {
    case 'kept':
      return visible
    case 'lost':
      return durable
    case 'zeros': {
      const content = durable.copy()
      content.resize(visible.size)
      return content
    }
  }
}

function missing(name: string): DOMException {
  return new DOMException(`${name} is missing`, 'NotFoundError')
}

function taken(name: string): DOMException {
  return new DOMException(`${name} is taken`, 'NoModificationAllowedError')
}
