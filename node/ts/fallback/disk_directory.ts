/** Stores and tables that WebAssembly writes on a disk. Other processes are not kept out: Node.js has no locks of files. */

import * as fs from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DRAFT, TABLE } from '../../../wasm/ts/directory/names.js'
import type { PreparedDirectory } from '../../../wasm/ts/directory/prepared.js'
import { named } from '../../../wasm/ts/directory/problem.js'
import type { SyncFile } from '../../../wasm/ts/raw.js'

/** What this process writes. */
const taken = new Set<string>()

export function storeDirectory(path: string): PreparedDirectory {
  return new DiskDirectory(
    path,
    path,
    (name) => name,
    (name) => name,
  )
}

export function tableDirectory(path: string): PreparedDirectory {
  const file = basename(path)
  const draft = `${file}.draft`
  const nameOf = (real: string) => (real === file ? TABLE : real === draft ? DRAFT : undefined)
  return new DiskDirectory(path, dirname(path), (name) => (name === TABLE ? file : draft), nameOf)
}

class DiskDirectory implements PreparedDirectory {
  readonly #place: string
  readonly #folder: string
  readonly #realOf: (name: string) => string
  readonly #nameOf: (real: string) => string | undefined
  readonly #open = new Map<string, DiskFile>()
  readonly #made: string | undefined
  #blocked: Error | undefined
  #isRenamed = false

  constructor(
    readonly name: string,
    folder: string,
    realOf: (name: string) => string,
    nameOf: (real: string) => string | undefined,
  ) {
    this.#place = resolve(name)
    this.#folder = folder
    this.#realOf = realOf
    this.#nameOf = nameOf
    if (taken.has(this.#place)) {
      this.#blocked = named('NoModificationAllowedError', 'this process writes it already')
      return
    }
    taken.add(this.#place)
    if (!fs.existsSync(folder)) this.#made = folder
  }

  open(name: string, create: boolean, fresh: boolean): SyncFile {
    this.#check()
    const known = this.#open.get(name)
    if (known && !fresh) return known
    return told(() => {
      if (create && this.#made) fs.mkdirSync(this.#folder, { recursive: true })
      const { O_RDWR, O_CREAT, O_EXCL } = fs.constants
      const flags = O_RDWR | (create ? O_CREAT : 0) | (fresh ? O_CREAT | O_EXCL : 0)
      const file = new DiskFile(fs.openSync(this.#path(name), flags, 0o666))
      this.#open.set(name, file)
      this.#isRenamed ||= create
      return file
    })
  }

  has(name: string): boolean {
    this.#check()
    return this.#open.has(name) || fs.existsSync(this.#path(name))
  }

  remove(name: string): void {
    this.#check()
    this.#forget(name)
    told(() => fs.unlinkSync(this.#path(name)))
    this.#isRenamed = true
  }

  rename(from: string, to: string): void {
    this.#check()
    this.#forget(to)
    const file = this.#open.get(from)
    told(() => fs.renameSync(this.#path(from), this.#path(to)))
    this.#isRenamed = true
    if (!file) return
    this.#open.delete(from)
    this.#open.set(to, file)
  }

  names(): string[] {
    this.#check()
    const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'
    try {
      const entries = fs.readdirSync(this.#folder, { withFileTypes: true }).filter((entry) => !entry.isDirectory())
      return entries.flatMap((entry) => this.#nameOf(entry.name) ?? [])
    } catch (error) {
      if (isMissing(error)) return []
      throw explained(error)
    }
  }

  wanted(): boolean {
    return false
  }

  async prepare(): Promise<void> {}

  async settle(): Promise<void> {
    if (!this.#isRenamed) return
    this.#isRenamed = false
    syncFolder(this.#folder)
  }

  async close(): Promise<void> {
    if (this.#blocked) return
    this.#blocked = named('UnknownError', 'the files were closed')
    taken.delete(this.#place)
    for (const file of this.#open.values()) file.close()
    this.#open.clear()
    if (this.#made) removeEmpty(this.#made)
  }

  #path(name: string): string {
    return join(this.#folder, this.#realOf(name))
  }

  #forget(name: string): void {
    this.#open.get(name)?.close()
    this.#open.delete(name)
  }

  #check(): void {
    if (this.#blocked) throw this.#blocked
  }
}

class DiskFile implements SyncFile {
  readonly #descriptor: number

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  read(buffer: Uint8Array, { at }: { at: number }): number {
    return told(() => whole(buffer, at, (...part) => fs.readSync(this.#descriptor, ...part)))
  }

  write(buffer: Uint8Array, { at }: { at: number }): number {
    return told(() => whole(buffer, at, (...part) => fs.writeSync(this.#descriptor, ...part)))
  }

  getSize(): number {
    return told(() => fs.fstatSync(this.#descriptor).size)
  }

  truncate(size: number): void {
    told(() => fs.ftruncateSync(this.#descriptor, size))
  }

  flush(): void {
    told(() => fs.fsyncSync(this.#descriptor))
  }

  close(): void {
    fs.closeSync(this.#descriptor)
  }
}

type Part = [buffer: Uint8Array, start: number, length: number, at: number]

/** The system may do a part only. */
function whole(buffer: Uint8Array, at: number, some: (...part: Part) => number): number {
  let done = 0
  while (done < buffer.length) {
    const count = some(buffer, done, buffer.length - done, at + done)
    if (count === 0) break
    done += count
  }
  return done
}

/** Names are durable once the folder is. Not every system has that. */
function syncFolder(folder: string): void {
  try {
    const descriptor = fs.openSync(folder, 'r')
    try {
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  } catch {
    // Windows opens no folders.
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder)
  } catch {
    // Something is in it, as there should be.
  }
}

function told<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw explained(error)
  }
}

/** As the core knows errors of directories. */
function explained(error: unknown): Error {
  const { code = '', message } = error as NodeJS.ErrnoException
  return named(NAMES[code] ?? 'UnknownError', message)
}

const NAMES: Readonly<Record<string, string>> = {
  ENOENT: 'NotFoundError',
  EEXIST: 'AlreadyExists',
  ENOSPC: 'QuotaExceededError',
  EDQUOT: 'QuotaExceededError',
  EACCES: 'NotAllowedError',
  EPERM: 'NotAllowedError',
  EROFS: 'NotAllowedError',
}
