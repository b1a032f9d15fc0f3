import type { Options } from './interface.js'
import { enter, free } from './module.js'
import type { RawFiles } from './raw.js'
import type { Listing, Source } from './source/source.js'

/** The files of one store or table: where they come from, and what WebAssembly knows of them. */
export class Files {
  static readonly #open = new Map<number, Files>()
  readonly raw: RawFiles
  readonly id: number
  #source: Source
  /** Stores, tables and loaders that read from them. */
  #users = 1

  /** Learns names and sizes first, where the source can list them. */
  static async of(source: Source, options: Options): Promise<Files> {
    const listing = await listed(source, options)
    const files = new Files(source)
    files.#know(listing)
    return files
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
    this.#source = source
    enter(() => this.raw.forget())
    this.#know(listing)
  }

  #know(listing: Listing | undefined): void {
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
    free(this.raw)
  }
}

/** Names and sizes of the files at a place, where it can tell. `searching`: nothing else says what is there. */
export function listed(source: Source, { signal }: Options, searching = false): Promise<Listing | undefined> {
  return source.list({ signal, searching, parseIndex: (text) => enter((raw) => raw.parseIndex(text)) })
}
