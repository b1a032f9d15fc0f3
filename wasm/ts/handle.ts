import { attempt } from './attempt.js'
import { remembered, whenForgotten } from './closing.js'
import type { PreparedDirectory } from './directory/prepared.js'
import { invalid } from './errors.js'
import { Files } from './files.js'
import type { LongOptions, Options } from './interface.js'
import { enter, free } from './module.js'
import { inPortions, type Portion } from './portions.js'
import type { Freed, RawModule } from './raw.js'
import type { Source } from './source/source.js'
import { changed, directoryOf, finished } from './writing.js'

/** Something open in WebAssembly, and the files that it reads, or the directory that it writes. */
export class Handle<Raw extends Freed> {
  #isClosed = false
  #closing: Promise<void> | undefined

  private constructor(
    readonly name: string,
    readonly files: readonly Files[],
    readonly directory: PreparedDirectory | undefined,
    private readonly opened: Raw,
  ) {
    // Whoever works with it keeps it; wasm-bindgen tells WebAssembly by itself.
    whenForgotten(this, () => {
      for (const each of files) each.release()
      directory?.close().catch(() => {})
    })
  }

  static async forReading<Raw extends Freed>(
    sources: readonly Source[],
    open: (raw: RawModule, files: readonly Files[]) => Raw,
    options: Options,
  ): Promise<Handle<Raw>> {
    const files: Files[] = []
    try {
      for (const source of sources) files.push(await Files.of(source, options))
      const coalescing = sources[0]?.coalescing
      const attempted = () => attempt((raw) => open(raw, files), { signal: options.signal, coalescing })
      const opened = await Files.opened(files, attempted, options)
      return new Handle(sources.map(({ name }) => name).join(', '), files, undefined, opened)
    } catch (error) {
      for (const each of files) each.release()
      throw error
    }
  }

  static async forWriting<Raw extends Freed>(
    source: Source,
    create: boolean,
    open: (raw: RawModule, directory: PreparedDirectory) => Raw,
    options: Options = {},
  ): Promise<Handle<Raw>> {
    const directory = await directoryOf(source, create, options)
    try {
      const opened = await changed(directory, () => enter((raw) => open(raw, directory)), options)
      return new Handle(source.name, [], directory, opened)
    } catch (error) {
      await directory.close().catch(() => {})
      throw error
    }
  }

  /** What is open. Throws once it is closed. */
  get raw(): Raw {
    if (this.#isClosed) throw invalid(`${this.name} is closed`)
    return this.opened
  }

  /** What WebAssembly says of it at once. */
  ask<T>(question: (raw: Raw) => T): T {
    return enter(() => question(this.raw))
  }

  /** Reads. */
  read<T>(call: (raw: Raw) => T, options: Options = {}): Promise<T> {
    return attempt(() => call(this.raw), { signal: options.signal, ...this.#reading })
  }

  /** Reads much, portion after portion. */
  readAll(total: number, work: Portion, options: LongOptions = {}): Promise<void> {
    const guarded: Portion = (from, count) => {
      void this.raw
      return work(from, count)
    }
    return inPortions(total, guarded, { ...options, ...this.#reading })
  }

  get #reading() {
    return { coalescing: this.files[0]?.source.coalescing, directory: this.directory }
  }

  /** Once. `last` is what a writer still has to do. */
  close(last: () => void = () => {}): Promise<void> {
    this.#closing ??= this.#close(last)
    return this.#closing
  }

  async #close(last: () => void): Promise<void> {
    try {
      if (this.directory) await finished(this.directory, () => enter(last))
    } finally {
      this.#isClosed = true
      remembered(this)
      free(this.opened)
      for (const each of this.files) each.release()
    }
  }
}
