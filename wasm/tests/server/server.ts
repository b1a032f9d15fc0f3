/** A server for ranges of files that misbehaves on request. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join, normalize } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

import { type Content, ofBytes, ofFile } from './content.js'
import { type Faults, parseFaults } from './faults.js'

export interface ServerOptions {
  /** A folder of the disk; what is put is found first. */
  readonly root?: string
  /**
   * What pages of other origins may do: nothing; read, without the headers that they are not shown by themselves; or read, see
   * those, and send `If-Range`.
   */
  readonly cors?: 'none' | 'plain' | 'exposed'
  /** Sends what makes a page isolated, which threads need. */
  readonly isolated?: boolean
  readonly port?: number
}

/** One request that arrived. */
export interface Logged {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly range: string | undefined
  readonly ifRange: string | undefined
  readonly authorization: string | undefined
  status: number
  /** Whether the client hung up before it had everything. */
  isCut: boolean
}

export class RangeServer {
  readonly log: Logged[] = []
  /** The most requests that were answered at the same time. */
  most = 0
  readonly #options: ServerOptions
  readonly #server: Server
  readonly #contents = new Map<string, Content>()
  readonly #faults = new Map<string, Faults>()
  readonly #counts = new Map<string, number>()
  readonly #sockets = new Set<Socket>()
  #open = 0

  private constructor(options: ServerOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error))
    })
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(options: ServerOptions = {}): Promise<RangeServer> {
    const server = new RangeServer(options)
    await new Promise<void>((resolve) => server.#server.listen(options.port ?? 0, '127.0.0.1', resolve))
    return server
  }

  /** Without a slash at the end. */
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Serves something at a path, which begins with a slash. What was counted there is forgotten. */
  put(path: string, content: Uint8Array | Content, faults?: Faults): void {
    this.#contents.set(path, content instanceof Uint8Array ? ofBytes(content) : content)
    this.#counts.delete(path)
    if (faults) this.#faults.set(path, faults)
  }

  remove(path: string): void {
    this.#contents.delete(path)
  }

  setFaults(path: string, faults: Faults): void {
    this.#faults.set(path, faults)
    this.#counts.delete(path)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin)
    const path = decodeURIComponent(url.pathname)
    const logged: Logged = {
      method: request.method ?? '',
      path,
      query: url.search,
      range: request.headers.range,
      ifRange: request.headers['if-range'] as string | undefined,
      authorization: request.headers.authorization,
      status: 0,
      isCut: false,
    }
    this.log.push(logged)
    this.#open += 1
    this.most = Math.max(this.most, this.#open)
    response.on('close', () => {
      this.#open -= 1
      logged.status = response.headersSent ? response.statusCode : 0
      logged.isCut = !response.writableFinished
    })
    this.#allow(response)
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end()
      return
    }
    const count = this.#counts.get(path) ?? 0
    this.#counts.set(path, count + 1)
    const faults = { ...this.#faults.get(path), ...parseFaults(url.searchParams.get('fault')) }
    if (await this.#refuse(faults, count, url, response)) return
    const content = await this.#contentAt(path)
    if (!content || count >= (faults['gone-after'] ?? Infinity)) {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such file.')
      return
    }
    await new Reply(changed(content, faults, count), path, faults, count).send(logged, response)
  }

  /** Answers without the file. */
  async #refuse(faults: Faults, count: number, url: URL, response: ServerResponse): Promise<boolean> {
    if (faults.delay) await wait(faults.delay)
    if (faults.hang) return true
    if (count < (faults.reset ?? 0)) {
      response.socket?.destroy()
      return true
    }
    if (faults.status && count < (faults.times ?? Infinity)) {
      const retry = faults['retry-after']
      response.writeHead(faults.status, retry === undefined ? {} : { 'Retry-After': retry }).end()
      return true
    }
    if (faults.redirect && !url.searchParams.has('moved')) {
      url.searchParams.set('moved', String(count))
      response.writeHead(302, { Location: url.pathname + url.search }).end()
      return true
    }
    const expires = faults['redirect-expires']
    if (expires !== undefined && count - Number(url.searchParams.get('moved')) > expires) {
      response.writeHead(403).end()
      return true
    }
    return false
  }

  #allow(response: ServerResponse): void {
    const { cors = 'exposed', isolated = false } = this.#options
    response.setHeader('Accept-Ranges', 'bytes')
    if (cors !== 'none') response.setHeader('Access-Control-Allow-Origin', '*')
    if (cors === 'exposed') {
      response.setHeader('Access-Control-Expose-Headers', 'Content-Range, ETag, Date, Content-Encoding, Retry-After')
      response.setHeader('Access-Control-Allow-Headers', 'Range, If-Range, Authorization')
    }
    if (isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp')
      response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    }
  }

  async #contentAt(path: string): Promise<Content | undefined> {
    const put = this.#contents.get(path)
    const { root } = this.#options
    if (put || root === undefined) return put
    return ofFile(join(root, normalize(path)))
  }
}

/** The file as it is after so many requests. */
function changed(content: Content, faults: Faults, count: number): Content {
  if (count >= (faults['change-after'] ?? Infinity)) {
    const read = async (start: number, end: number) => (await content.read(start, end)).map((byte) => byte ^ 0xff)
    return { size: content.size, read }
  }
  if (count >= (faults['grow-after'] ?? Infinity)) {
    const read = async (start: number, end: number) => {
      const bytes = new Uint8Array(end - start)
      bytes.set(await content.read(start, Math.min(end, content.size)))
      return bytes
    }
    return { size: content.size + 1, read }
  }
  return content
}

/** One answer with bytes of a file. */
class Reply {
  readonly #content: Content
  readonly #path: string
  readonly #faults: Faults
  readonly #count: number

  constructor(content: Content, path: string, faults: Faults, count: number) {
    this.#content = content
    this.#path = path
    this.#faults = faults
    this.#count = count
  }

  async send(asked: Logged, response: ServerResponse): Promise<void> {
    const faults = this.#faults
    const { size } = this.#content
    const validators = this.#validators()
    for (const [name, value] of Object.entries(validators)) response.setHeader(name, value)
    response.setHeader('Content-Type', typeOf(this.#path))
    const isSame = asked.ifRange === undefined || Object.values(validators).includes(asked.ifRange)
    const range = faults['ignore-range'] || !isSame ? undefined : /^bytes=(\d+)-(\d+)$/.exec(asked.range ?? '')
    if (!range) return this.#body(200, 0, size, response)
    const start = Number(range[1])
    const end = Math.min(Number(range[2]) + 1, size, start + (faults.most ?? Infinity))
    if (start >= size) {
      if (!faults['no-content-range']) response.setHeader('Content-Range', `bytes */${size}`)
      response.writeHead(416).end()
      return
    }
    const shown = faults['wrong-content-range'] ? start + 1 : start
    const total = faults['no-total'] ? '*' : size
    if (!faults['no-content-range']) response.setHeader('Content-Range', `bytes ${shown}-${end - 1}/${total}`)
    return this.#body(206, start, end, response)
  }

  /** Sends pieces, so that a file of gigabytes does not have to be in memory. */
  async #body(status: number, start: number, end: number, response: ServerResponse): Promise<void> {
    const faults = this.#faults
    const count = this.#count
    const length = end - start
    if (faults.gzip) {
      response.writeHead(status, { 'Content-Encoding': 'gzip' }).end(gzipSync(await this.#content.read(start, end)))
      return
    }
    const longer = faults.longer ?? 0
    const isChopped = count < (faults.chop ?? 0)
    const isTruncated = count < (faults.truncate ?? 0)
    if (!faults['no-content-length'] && !isChopped) response.setHeader('Content-Length', length + longer)
    response.writeHead(status)
    const stop = isChopped || isTruncated ? start + Math.floor(length / 2) : end
    const pause = faults.slow === undefined ? undefined : start + Math.floor(length / 2)
    const step = 256 * 1024
    for (let at = start; at < stop && !response.destroyed;) {
      const to = Math.min(at + step, stop, pause !== undefined && at < pause ? pause : stop)
      await written(response, await this.#content.read(at, to))
      at = to
      if (at === pause) await wait(faults.slow)
    }
    if (isTruncated) {
      // What was written has to leave first.
      await wait(20)
      response.socket?.destroy()
      return
    }
    response.end(new Uint8Array(longer))
  }

  #validators(): Record<string, string> {
    const faults = this.#faults
    const state = this.#count >= (faults['change-after'] ?? Infinity) ? 'new' : 'old'
    const digest = createHash('sha256').update(`${this.#path} ${this.#content.size} ${state}`).digest('hex').slice(0, 16)
    const validators: Record<string, string> = {}
    if (!faults['no-etag']) validators['ETag'] = faults['weak-etag'] ? `W/"${digest}"` : `"${digest}"`
    const time = state === 'old' ? '2024-01-01T00:00:00Z' : '2024-01-02T00:00:00Z'
    if (!faults['no-modified']) validators['Last-Modified'] = new Date(time).toUTCString()
    return validators
  }
}

async function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  // The bytes may be of a buffer that is used again.
  if (response.destroyed || response.write(Buffer.from(bytes))) return
  await new Promise<void>((resolve) => {
    const goOn = () => {
      response.off('drain', goOn).off('close', goOn)
      resolve()
    }
    response.on('drain', goOn).on('close', goOn)
  })
}

function typeOf(path: string): string {
  const types: Record<string, string> = {
    html: 'text/html',
    js: 'text/javascript',
    json: 'application/json',
    css: 'text/css',
    wasm: 'application/wasm',
  }
  return types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
}

/** A server that still waits keeps no process alive. */
function wait(milliseconds: number | undefined): Promise<void> {
  return sleep(milliseconds, undefined, { ref: false })
}
