/** Chromium: a page whose worker does the job. */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { Browser } from '../../tests/browser/chromium.js'
import { RangeServer } from '../../tests/server/server.js'
import { ofFile } from '../../tests/server/content.js'
import type { Job } from '../job.js'
import type { Line } from '../result.js'
import { workerScript } from './bundle.js'
import { filesBelow } from './files_below.js'
import { PACKAGE } from './node_package.js'
import type { Answer } from './worker.js'

const PAGE = '<!doctype html><meta charset="utf-8"><title>Recask</title><link rel="icon" href="data:,">'

/** Pages of an isolated site, which threads need; a job of one thread is done on one just as well. */
export class Chromium {
  readonly #browser: Browser
  readonly #server: RangeServer

  private constructor(browser: Browser, server: RangeServer) {
    this.#browser = browser
    this.#server = server
  }

  static async start(data: string): Promise<Chromium> {
    const server = await RangeServer.start({ isolated: true })
    server.put('/page.html', new TextEncoder().encode(PAGE))
    server.put('/worker.js', new TextEncoder().encode(await workerScript()))
    for (const [path, file] of await filesBelow(PACKAGE)) {
      server.put(`/pkg/${path}`, await readFile(file))
    }
    for (const [path, file] of await filesBelow(data)) {
      server.put(`/data/${path}`, (await ofFile(file))!)
    }
    const { resolve } = createRequire(import.meta.url)
    server.put('/modules/parquet.wasm', await readFile(resolve('parquet-wasm/esm/parquet_wasm_bg.wasm')))
    server.put('/modules/zstd.wasm', await readFile(join(dirname(resolve('@bokuweb/zstd-wasm')), 'zstd.wasm')))
    return new Chromium(await Browser.start(), server)
  }

  async perform(job: Job): Promise<Line[]> {
    const page = await this.#browser.open(`${this.#server.origin}/page.html`)
    try {
      const answer = await page.evaluate((order): Promise<Answer> => {
        const worker = new Worker('/worker.js', { type: 'module' })
        return new Promise((resolve, reject) => {
          worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
          worker.onerror = ({ message }) => reject(new Error(`the worker failed: ${message}`))
          worker.postMessage(order)
        })
      }, job)
      if ('error' in answer) {
        throw new Error(answer.error)
      }
      return answer.lines.map((line) => ({ ...line, runtime: 'chromium' }))
    } finally {
      await page.close()
    }
  }

  async stop(): Promise<void> {
    await this.#browser.close()
    await this.#server.close()
  }
}
