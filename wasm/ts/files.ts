import { RecaskError } from './errors.js'
import type { Options } from './interface.js'
import { enter, free } from './module.js'
import type { RawFiles } from './raw.js'
import type { Listing, Source } from './source/source.js'

/** How often something is opened whose files grow meanwhile. */
const TRIES = 10

/** The files of one store or table: where they come from, and what WebAssembly knows of them. */
export class Files {
  static readonly #open = new Map<number, Files>()
  readonly raw: RawFiles
  readonly id: number
  #source: Source
  /** What was listed last. */
  #listing: Listing | undefined
  /** Stores, tables and loaders that read from them. */
  #users = 1

  /** Learns names and sizes first, where the source can list them. */
  static async of(source: Source, options: Options): Promise<Files> {
    const listing = await listed(source, options)
    const files = new Files(source)
    files.#know(listing)
    return files
  }

  /**
   * Opens something in files that a writer may be changing: their sizes are listed before their headers are read, so that a header may
   * tell of more than was listed. Then it is tried again.
   */
  static async opened<T>(all: readonly Files[], open: () => Promise<T>, options: Options): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await open()
      } catch (error) {
        const mayHaveGrown = error instanceof RecaskError && error.code === 'truncated_file' && tries < TRIES
        if (!mayHaveGrown) throw error
        const changes = await Promise.all(all.map((files) => files.#hasChanged(options)))
        if (!changes.includes(true)) throw error
      }
    }
  }

  /** The files that WebAssembly means by a number. */
  static withId(id: number): Files | undefined {
    return Files.#open.get(id)
  }

  private constructor(source: Source) {
    this.raw = enter(({ RawFiles }) => new RawFiles(source.name))
    this.id = this.raw.id
    this.#source = source
    Files.#open.set(this.id, this)
  }

  get source(): Source {
    return this.#source
  }

  /** Looks at the place as it is now. */
  async renew(options: Options): Promise<void> {
    const source = this.#source.reopened()
    const listing = await listed(source, options)
    this.#source.letGo?.()
    this.#source = source
    enter(() => this.raw.forget())
    this.#know(listing)
  }

  /** Lists once more; whether anything has another size than before. */
  async #hasChanged(options: Options): Promise<boolean> {
    const before = this.#listing
    const listing = await listed(this.#source, options)
    this.#know(listing)
    return !!before && !!listing && !isAlike(before, listing)
  }

  #know(listing: Listing | undefined): void {
    this.#listing = listing
    if (!listing) return
    enter(() => {
      for (const [name, length] of listing.files) this.raw.know(name, length)
      this.raw.complete()
    })
  }

  /** Somebody else reads from them, too. */
  share(): this {
    this.#users += 1
    return this
  }

  /** Once for each user. */
  release(): void {
    this.#users -= 1
    if (this.#users > 0) return
    Files.#open.delete(this.id)
    this.#source.letGo?.()
    free(this.raw)
  }
}

function isAlike({ files }: Listing, { files: others }: Listing): boolean {
  return files.size === others.size && Array.from(files).every(([name, size]) => others.get(name) === size)
}

/** Names and sizes of the files at a place, where it can tell. `searching`: nothing else says what is there. */
export function listed(source: Source, { signal }: Options, searching = false): Promise<Listing | undefined> {
  return source.list({ signal, searching, parseIndex: (text) => enter((raw) => raw.parseIndex(text)) })
}
