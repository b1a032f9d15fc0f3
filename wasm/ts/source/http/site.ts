import { Shared } from '../shared.js'
import type { ListOptions } from '../source.js'
import { failed } from './failure.js'
import type { Host } from './host.js'
import { Index } from './index.js'
import { RemoteFile } from './remote_file.js'

const INDEX = 'recask.json'
/** The longest listing that is read, as in the core. */
const MOST_INDEX = 16 * 1024 * 1024

/** All that is below one URL, in the state in which it was found. */
export class Site {
  readonly host: Host
  readonly #base: URL
  readonly #isFile: boolean
  readonly #files = new Map<string, RemoteFile>()
  #asked: Shared<Index | undefined> | undefined
  #index: Index | undefined

  constructor(host: Host, base: URL, isFile: boolean) {
    this.host = host
    this.#base = base
    this.#isFile = isFile
  }

  /** The same place with nothing known of it. */
  reopened(): Site {
    return new Site(this.host, this.#base, this.#isFile)
  }

  /** The URL of a file or folder below; what stands behind `?` may be a signature, and goes with every one. */
  urlOf(path: string): URL {
    const url = new URL(this.#base)
    if (path !== '') url.pathname += path.split('/').map(encodeURIComponent).join('/')
    return url
  }

  file(path: string): RemoteFile {
    let file = this.#files.get(path)
    if (!file) {
      file = new RemoteFile(this.host, this.urlOf(path), () => this.#index?.sizeOf(path))
      this.#files.set(path, file)
    }
    return file
  }

  /** The listing, where there is one and it is asked for or already here. */
  async index(options: ListOptions, signal: AbortSignal): Promise<Index | undefined> {
    const wanted = this.host.options.index ?? 'auto'
    const { parseIndex, searching } = options
    if (this.#index || this.#isFile || !parseIndex || wanted === false || (wanted === 'auto' && !searching))
      return this.#index
    if (!this.#asked || this.#asked.isStopped) {
      this.#asked = new Shared((signal) => this.#ask(parseIndex, wanted === true, signal))
    }
    const asked = this.#asked
    try {
      return await asked.join(signal)
    } catch (error) {
      // A failure is nothing to remember.
      if (this.#asked === asked) this.#asked = undefined
      throw error
    }
  }

  async #ask(
    parse: NonNullable<ListOptions['parseIndex']>,
    isPromised: boolean,
    signal: AbortSignal,
  ): Promise<Index | undefined> {
    const file = this.file(INDEX)
    const text = await readAll(file, signal)
    if (text === undefined) {
      if (isPromised)
        throw failed('invalid_source', file.name, `is not there: write it with recask index, or leave out index: true`)
      return undefined
    }
    this.#index = new Index(parse(text))
    return this.#index
  }
}

/** A whole file; one request where it is shorter than a block. */
async function readAll(file: RemoteFile, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const start = await file.read([{ start: 0, end: file.host.block }], signal)
  if (!start) return undefined
  const [bytes = new Uint8Array()] = start.bytes
  const length = start.length ?? (await file.read([{ start: 0, end: 0 }], signal))?.length ?? bytes.length
  if (length > MOST_INDEX) throw failed('too_large', file.name, `has ${length} bytes, more than a listing has`)
  return length === bytes.length ? bytes : (await file.read([{ start: 0, end: length }], signal))?.bytes[0]
}
