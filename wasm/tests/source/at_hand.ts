import assert from 'node:assert/strict'
import { after } from 'node:test'

import type { UrlOptions } from '../../ts/source/http/options.js'
import { fromUrl, type HttpSource } from '../../ts/source/http.js'
import type { Brought } from '../../ts/source/source.js'
import type { Need } from '../../ts/raw.js'
import { RangeServer, type ServerOptions } from '../server/server.js'

/** A server that ends with the file of tests. */
export async function server(options: ServerOptions = {}): Promise<RangeServer> {
  const started = await RangeServer.start(options)
  after(() => started.close())
  return started
}

/** A clock that does not wait, and remembers for how long it should have. */
export function impatient(): { waits: number[]; clock: NonNullable<UrlOptions['clock']> } {
  const waits: number[] = []
  const sleep = async (milliseconds: number, signal: AbortSignal) => {
    signal.throwIfAborted()
    waits.push(milliseconds)
  }
  return { waits, clock: { now: () => Date.parse('2024-06-01T00:00:00Z'), random: () => 0.5, sleep } }
}

/** A folder of a server that is read without waiting. */
export function folderAt(address: string, options: UrlOptions = {}): HttpSource {
  return fromUrl(address, { clock: impatient().clock, ...options })
}

export function need(name: string, start: number, end: number, files = 1): Need {
  return { files, name, start, end }
}

/** The bytes that were brought; fails where the file is absent. */
export function bytesOf(brought: Brought | undefined): Uint8Array {
  assert.ok(brought && 'bytes' in brought, `nothing was brought: ${JSON.stringify(brought)}`)
  return brought.bytes
}

export function lengthOf(brought: Brought | undefined): number | undefined {
  assert.ok(brought && 'bytes' in brought, `nothing was brought: ${JSON.stringify(brought)}`)
  return brought.length
}

/** Bytes that tell where they are from. */
export function pattern(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff)
}

export function failure(code: string, ...words: RegExp[]): (error: unknown) => true {
  return (error) => {
    assert.equal((error as { name: string }).name, 'RecaskError', String((error as Error).stack))
    assert.equal((error as { code: string }).code, code, String(error))
    for (const word of words) assert.match((error as Error).message, word)
    return true
  }
}

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    assert.ok(tries < 500, 'it did not happen')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
