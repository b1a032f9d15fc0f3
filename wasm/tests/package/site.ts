/** A static server: types by name, headers for isolation or a policy, and a list of what was fetched. */

import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
}

export const ISOLATED = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

export class Site {
  readonly fetched: string[] = []
  readonly #server: Server

  private constructor(folder: string, headers: Readonly<Record<string, string>>) {
    this.#server = createServer(async (request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      this.fetched.push(path)
      const file = join(folder, normalize(path.endsWith('/') ? `${path}index.html` : path))
      try {
        const bytes = await readFile(file)
        response.writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(bytes)
      } catch {
        response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such file.')
      }
    })
  }

  static async start(folder: string, headers: Readonly<Record<string, string>> = {}): Promise<Site> {
    const site = new Site(folder, headers)
    await new Promise<void>((resolve) => site.#server.listen(0, '127.0.0.1', resolve))
    return site
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** The WebAssembly modules that were fetched since the last call. */
  modules(): string[] {
    return [...new Set(this.fetched.splice(0).filter((path) => path.endsWith('.wasm')))]
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
