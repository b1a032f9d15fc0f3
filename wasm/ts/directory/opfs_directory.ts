/** Open files of the origin private file system, under the names of the core. */

import { RecaskError } from '../errors.js'
import type { SyncFile } from '../raw.js'
import type { Folder } from './folder.js'
import { CREATION, DICTIONARY, DRAFT, JOURNAL, LOCK, TABLE, ahead, isNeverEmpty, isNumbered, isOfStore } from './names.js'
import type { OpenFile } from './open_file.js'
import type { PreparedDirectory } from './prepared.js'
import { PREPARE, nameOf, named, refusal } from './problem.js'

/**
 * What the core knows of an open file: it is there; it is not, and was only opened ahead or removed; or it is an empty
 * chunk or segment that was found beside a lock, which is there if the store says so.
 */
type State = 'there' | 'spare' | 'doubtful'

interface Slot {
  readonly file: OpenFile
  state: State
}

interface Move {
  readonly from: string
  readonly to: string
  readonly replaced: OpenFile | undefined
}

/** See `opfs.ts`. */
export class OpfsDirectory implements PreparedDirectory {
  readonly name: string
  readonly #folder: Folder
  /** Names in the folder that no store has. */
  #others: readonly string[] = []
  readonly #slots = new Map<string, Slot>()
  readonly #wanted = new Set<string>()
  /** Why a file could not be opened, until the core asks for it. */
  readonly #refused = new Map<string, unknown>()
  #move: Move | undefined
  /** Why nothing works: the files are taken, or what became of them is not known. */
  #blocked: unknown
  /** Held against other writers, beside the files; nothing that the core opens. */
  #lock: OpenFile | undefined
  /** Whether empty files of a writer may stay behind; then so does what tells of them. */
  #leavesEmpty = false
  /** Whether the core writes, so that it has opened all files that the store has. */
  #isWritten = false

  constructor(name: string, folder: Folder) {
    this.name = name
    this.#folder = folder
  }

  /** Takes the lock, then what is there: a writer that just closes may still remove files before. */
  async openStore(): Promise<void> {
    await this.#orBlock(async () => {
      this.#leavesEmpty = await this.#folder.has(LOCK)
      this.#lock = await this.#folder.open(LOCK, true)
      const names = await this.#folder.names()
      const ours = [...names].filter(([name, kind]) => kind === 'file' && isOfStore(name)).map(([name]) => name)
      this.#others = [...names.keys()].filter((name) => !ours.includes(name))
      await this.#openFound(ours.filter((name) => name !== LOCK))
      this.#leavesEmpty = false
      // An empty dictionary beside a store of another codec would keep others from reading it.
      await this.#removeSpare((name) => name === DICTIONARY)
      await this.#openAhead()
    })
  }

  /** Whoever has the table has its draft, which is the lock and says of a new table that it is none while it is empty. */
  async openTable(): Promise<void> {
    await this.#orBlock(async () => {
      const names = await this.#folder.names()
      this.#leavesEmpty = names.has(this.#folder.nameOf(DRAFT))
      for (const name of [TABLE, DRAFT].map((name) => this.#folder.nameOf(name))) {
        if (names.get(name) === 'directory') {
          throw new RecaskError('store_exists', `${name} is a folder; choose another name for the table`)
        }
      }
      await this.#openSpare(DRAFT)
      this.#dropDraft()
      await this.#openFound(names.has(this.#folder.nameOf(TABLE)) ? [TABLE] : [])
      this.#leavesEmpty = false
    })
  }

  open(name: string, create: boolean, fresh: boolean): SyncFile {
    this.#check()
    const slot = this.#slots.get(name)
    const isThere = slot !== undefined && (slot.state === 'there' || (slot.state === 'doubtful' && !fresh))
    if (name === DRAFT && create && !this.#folder.canMove) {
      // Refused by `prepare`, before there is any work to lose.
      this.#wanted.add(name)
      throw PREPARE
    }
    if (slot !== undefined && (isThere || create)) {
      if (isThere && fresh) {
        throw named('AlreadyExists', `${this.#folder.nameOf(name)} exists already`)
      }
      slot.state = 'there'
      this.#isWritten ||= name === JOURNAL && create
      return slot.file
    }
    if (!create) {
      throw this.#missing(name)
    }
    if (this.#refused.has(name)) {
      const refusal = this.#refused.get(name)
      this.#refused.delete(name)
      throw refusal
    }
    this.#wanted.add(name)
    throw PREPARE
  }

  has(name: string): boolean {
    this.#check()
    return this.#isThere(name)
  }

  remove(name: string): void {
    this.#check()
    const slot = this.#slots.get(name)
    if (slot === undefined || slot.state === 'spare') {
      throw this.#missing(name)
    }
    slot.file.truncate(0)
    slot.file.flush()
    slot.state = 'spare'
  }

  rename(from: string, to: string): void {
    this.#check()
    const slot = this.#slots.get(from)
    if (slot?.state !== 'there') {
      throw this.#missing(from)
    }
    const replaced = this.#slots.get(to)?.file
    this.#slots.delete(from)
    this.#slots.set(to, slot)
    this.#move = { from, to, replaced }
  }

  names(): string[] {
    this.#check()
    return [...this.#there(), ...this.#others]
  }

  wanted(): boolean {
    return this.#wanted.size > 0
  }

  async prepare(): Promise<void> {
    const wanted = new Set(this.#wanted)
    this.#wanted.clear()
    if (wanted.has(DRAFT) && !this.#folder.canMove) {
      throw new RecaskError(
        'unsupported',
        'this browser cannot put a new file in the place of an old one; write the table to another place instead',
      )
    }
    if (!this.#isThere('meta.zr') && CREATION.some((name) => wanted.has(name))) {
      CREATION.forEach((name) => wanted.add(name))
    }
    await all([...wanted], async (name) => {
      try {
        await this.#openSpare(name)
      } catch (error) {
        if (error instanceof RecaskError) {
          throw error
        }
        this.#refused.set(name, error)
      }
    })
  }

  async settle(): Promise<void> {
    this.#wanted.clear()
    this.#refused.clear()
    await this.#finishMove()
    if (this.#blocked !== undefined) {
      return
    }
    if (this.#isWritten) {
      this.#dropDoubtful()
    }
    const soon = new Set(ahead(this.#there()))
    await this.#removeSpare((name) => name !== DRAFT && !soon.has(name))
    await this.#openAhead()
  }

  async close(): Promise<void> {
    this.#blocked ??= named('UnknownError', 'the files were closed')
    this.#wanted.clear()
    const failures: unknown[] = []
    for (const { file, state } of this.#slots.values()) {
      if (state === 'there') {
        attempt(() => file.flushChanges(), failures)
      }
    }
    attempt(() => this.#move?.replaced?.close(), failures)
    await this.#removeSpare((name) => name !== DRAFT)
    this.#leavesEmpty ||= this.#has('doubtful')
    if (!this.#leavesEmpty) {
      await this.#removeSpare(() => true)
    }
    for (const [name, { file }] of this.#slots) {
      attempt(() => file.close(), failures)
      this.#slots.delete(name)
    }
    if (this.#move !== undefined) {
      // It never became the table.
      await this.#folder.remove(DRAFT)
    }
    this.#move = undefined
    // Last, so that nobody has files of the folder open while some of them go.
    if (this.#lock !== undefined) {
      this.#lock.close()
      this.#lock = undefined
      if (!this.#leavesEmpty) {
        await this.#folder.removeEmpty(LOCK)
      }
    }
    if (failures.length > 0) {
      throw refusal(failures[0], `close ${this.name}`)
    }
  }

  /** Opens what is in the folder. */
  async #openFound(names: readonly string[]): Promise<void> {
    await all(names, async (name) => {
      const file = await this.#folder.open(name, false).catch((error: unknown) => {
        if (nameOf(error) !== 'NotFoundError') {
          throw error
        }
      })
      if (file === undefined) {
        return
      }
      const isLeft = this.#leavesEmpty && file.getSize() === 0
      const state = !isLeft ? 'there' : isNeverEmpty(name) ? 'spare' : isNumbered(name) ? 'doubtful' : 'there'
      this.#slots.set(name, { file, state })
    })
  }

  async #openSpare(name: string): Promise<void> {
    if (!this.#slots.has(name)) {
      const file = await this.#folder.open(name, true)
      // Somebody else may have made a table of this name meanwhile.
      this.#slots.set(name, { file, state: file.getSize() === 0 ? 'spare' : 'there' })
    }
  }

  /** What a compaction left that was killed. */
  #dropDraft(): void {
    const draft = this.#slots.get(DRAFT)
    if (draft?.state === 'there') {
      draft.file.truncate(0)
      draft.state = 'spare'
    }
  }

  /** What cannot be opened ahead is opened when it is wanted, and that tells why not. */
  async #openAhead(): Promise<void> {
    await Promise.all(ahead(this.#there()).map((name) => this.#openSpare(name).catch(() => {})))
  }

  /** What a writer did not open is no part of its store. */
  #dropDoubtful(): void {
    for (const slot of this.#slots.values()) {
      if (slot.state === 'doubtful') {
        slot.state = 'spare'
      }
    }
  }

  async #removeSpare(which: (name: string) => boolean): Promise<void> {
    const spare = [...this.#slots].filter(([name, { state }]) => state === 'spare' && which(name))
    await Promise.all(
      spare.map(async ([name, { file }]) => {
        file.close()
        this.#slots.delete(name)
        const isGone = await this.#folder.removeEmpty(name)
        this.#leavesEmpty ||= !isGone
      }),
    )
  }

  async #finishMove(): Promise<void> {
    const move = this.#move
    const slot = move && this.#slots.get(move.to)
    if (move === undefined || slot === undefined) {
      return
    }
    try {
      const seen = move.replaced && (await this.#folder.look(move.to))
      slot.file.flush()
      slot.file.close()
      move.replaced?.close()
      await this.#folder.move(move.from, move.to, seen)
    } catch (error) {
      slot.file.close()
      this.#slots.delete(move.to)
      // The core takes the draft for the table, and it is not.
      this.#blocked = named('UnknownError', 'the new table did not get its name; close this one and open it again')
      throw refusal(error, `put the new table in the place of ${this.name}`)
    }
    this.#move = undefined
    try {
      slot.file.reopen(await this.#folder.access(move.to, false))
    } catch (error) {
      // The change is done all the same.
      this.#blocked = error
    }
  }

  async #orBlock(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      await this.close().catch(() => {})
      if (error instanceof RecaskError) {
        throw error
      }
      this.#blocked = error
    }
  }

  #has(wanted: State): boolean {
    return [...this.#slots.values()].some(({ state }) => state === wanted)
  }

  #there(): string[] {
    return [...this.#slots.keys()].filter((name) => this.#isThere(name))
  }

  #isThere(name: string): boolean {
    return this.#slots.get(name)?.state === 'there'
  }

  #missing(name: string): Error {
    return named('NotFoundError', `${this.#folder.nameOf(name)} does not exist`)
  }

  #check(): void {
    if (this.#blocked !== undefined) {
      throw this.#blocked
    }
  }
}

/** Works on all; fails with the first failure once none is under way. */
async function all<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    throw failed.reason
  }
}

function attempt(work: () => void, failures: unknown[]): void {
  try {
    work()
  } catch (error) {
    failures.push(error)
  }
}
