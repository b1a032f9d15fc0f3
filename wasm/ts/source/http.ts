import { invalid } from '../errors.js'
import type { Need } from '../raw.js'
import { failed } from './http/failure.js'
import { Host } from './http/host.js'
import type { UrlOptions } from './http/options.js'
import { MOST } from './http/remote_file.js'
import { Site } from './http/site.js'
import type { SourceStats } from './http/statistics.js'
import { type Brought, byFile, type Coalescing, type Listing, type ListOptions, partsOf, type Source } from './source.js'

/**
 * A store, a table or a folder of them on any host that answers `Range` requests. Nothing is asked for before something is
 * opened; then only ranges are, several at a time, and what was read is kept in blocks.
 *
 * A file that changes on the host while it is open fails with `source_changed`; open it again then.
 *
 * ```js
 * const images = await DenseStore.open(fromUrl('https://example.org/digits/images/'))
 * ```
 */
export function fromUrl(url: string | URL, options: UrlOptions = {}): HttpSource {
  const base = parse(url)
  base.hash = ''
  const kind = options.kind ?? (base.pathname.endsWith('.cstore') ? 'file' : 'folder')
  if (kind === 'folder' && !base.pathname.endsWith('/')) base.pathname += '/'
  return new HttpSource(new Site(new Host(options), base, kind === 'file'), '', kind)
}

function parse(url: string | URL): URL {
  const page = (globalThis as { location?: Location }).location?.href
  let parsed: URL
  try {
    parsed = new URL(url, page)
  } catch {
    throw invalid(`'${url}' is no URL`)
  }
  if (!/^https?:$/.test(parsed.protocol)) throw invalid(`'${url}' is no URL that begins with https: or http:`)
  return parsed
}

/** A place below a URL. */
export class HttpSource implements Source {
  readonly kind: 'folder' | 'file'
  readonly coalescing: Coalescing
  readonly #site: Site
  readonly #path: string

  /** Made by {@link fromUrl}. */
  constructor(site: Site, path: string, kind: 'folder' | 'file') {
    this.#site = site
    this.#path = path
    this.kind = kind
    this.coalescing = { gap: site.host.block, max: MOST }
  }

  get name(): string {
    const { origin, pathname } = this.#site.urlOf(this.#path)
    return origin + pathname
  }

  async list(options: ListOptions = {}): Promise<Listing | undefined> {
    const index = await this.#site.index(options, this.#signal(options.signal))
    return this.kind === 'file' ? index?.listFile(this.#path) : index?.list(this.#path)
  }

  folder(name: string): HttpSource {
    return new HttpSource(this.#site, this.#below(name), 'folder')
  }

  file(name: string): HttpSource {
    return new HttpSource(this.#site, this.#below(name), 'file')
  }

  reopened(): HttpSource {
    return new HttpSource(this.#site.reopened(), this.#path, this.kind)
  }

  async read(requests: readonly Need[], signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Brought[]> {
    const brought = new Array<Brought>(requests.length)
    // Where one file fails, the others need not arrive.
    const stop = new AbortController()
    const all = AbortSignal.any([this.#signal(signal), stop.signal])
    const readFile = async ([name, positions]: [string, number[]]) => {
      const wanted = positions.map((position) => requests[position] as Need)
      const file = this.#site.file(this.kind === 'file' ? this.#path : this.#pathOf(name))
      const read = await file.read(wanted, all, onBytes)
      wanted.forEach(({ files, name, start }, at) => {
        const bytes = read?.bytes[at]
        const position = positions[at] as number
        if (!read || !bytes) brought[position] = { files, name, absent: true }
        else if (read.length === undefined) brought[position] = { files, name, start, bytes }
        else brought[position] = { files, name, start, bytes, length: read.length }
      })
    }
    try {
      await Promise.all(Array.from(byFile(requests), readFile))
    } catch (error) {
      stop.abort(error)
      throw error
    }
    return brought
  }

  /** What was asked for so far: of this place, and of all others that come from the same `fromUrl`. */
  stats(): SourceStats {
    const { statistics, cache } = this.#site.host
    return statistics.now(cache.bytes)
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}/${name}`
  }

  #below(name: string): string {
    if (this.kind === 'file') throw failed('invalid_argument', this.name, 'is a file; only a folder has something in it')
    return this.#pathOf(partsOf(name).join('/'))
  }

  #signal(signal: AbortSignal | undefined): AbortSignal {
    const signals = [this.#site.host.options.signal, signal].filter((one) => one !== undefined)
    return AbortSignal.any(signals)
  }
}
