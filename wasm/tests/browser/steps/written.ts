/** What the browser wrote into its origin private file system, read by the native command, loaderx and colstore. */

import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { hex } from '../../conformance/bytes.js'
import { TESTS } from '../../conformance/node/folders.js'
import { Peer } from '../peer.js'
import { image, ITEM, type Kept, rows, tokens } from '../samples.js'
import type { Ask } from '../steps.js'

/** Files by path, as digits of base 64. */
export interface Downloaded {
  readonly files: Readonly<Record<string, string>>
  readonly kept: Kept
}

export async function writtenForOthers(ask: Ask): Promise<undefined> {
  const { files, kept } = (await ask('write for others', null)) as Downloaded
  const folder = await mkdtemp(join(tmpdir(), 'recask-written-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), Buffer.from(content, 'base64'))
    }
    await byCommand(folder, kept)
    await byLoaderx(folder, kept)
    await byColstore(folder, kept)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const STORES = ['images', 'tokens', 'labels']

async function byCommand(folder: string, kept: Kept): Promise<void> {
  for (const name of [...STORES, 'flights.cstore']) {
    const verified = JSON.parse(await recask('verify', join(folder, name), '--json')) as { ok: boolean; found: number }
    ok(verified.ok, `recask verify finds ${verified.found} faults in ${name}`)
  }
  const counted = STORES.map(async (name) => {
    return (JSON.parse(await recask('stats', join(folder, name), '--json')) as { records: number }).records
  })
  deepStrictEqual(await Promise.all(counted), [kept.images.length, kept.tokens.length, kept.images.length])
  const lines = (await recask('show', join(folder, 'tokens'), ':', '--json')).trimEnd().split('\n')
  const shown = lines.map((line) => (JSON.parse(line) as { data: number[] }).data)
  deepStrictEqual(shown, kept.tokens.map((number) => Array.from(tokens(number))))
}

async function recask(...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(needed('RECASK_COMMAND'), words, { maxBuffer: 2 ** 28 })
  return stdout
}

async function byLoaderx(folder: string, kept: Kept): Promise<void> {
  const peer = new Peer(needed('RECASK_PEER_PYTHON'), join(TESTS, 'interop', 'peer.py'))
  const read = async (name: string, kind: string) => {
    await peer.ask('open', { path: join(folder, name), kind })
    const records = await peer.ask('read')
    await peer.ask('close')
    return records
  }
  const images = kept.images.map((number) => [ITEM, hex(image(number))])
  deepStrictEqual(await read('images', 'dense'), images)
  const labels = kept.images.map((number) => [[], hex(new Uint8Array(Float32Array.of(number / 2).buffer))])
  deepStrictEqual(await read('labels', 'dense'), labels)
  const words = kept.tokens.map((number) => [[tokens(number).length], hex(new Uint8Array(tokens(number).buffer))])
  deepStrictEqual(await read('tokens', 'ragged'), words)
  await peer.end()
}

async function byColstore(folder: string, kept: Kept): Promise<void> {
  const peer = new Peer(needed('RECASK_COLSTORE_030_PYTHON'), join(TESTS, 'interop', 'colstore_peer.py'))
  strictEqual(await peer.ask('open', { path: join(folder, 'flights.cstore') }), kept.rows)
  const { time, delay, carrier } = rows(0, kept.rows)
  const wanted = [
    ['time', '<i8', hex(new Uint8Array(time.buffer))],
    ['delay', '<f8', hex(new Uint8Array(delay.buffer))],
    ['carrier', '|u1', hex(carrier)],
  ]
  deepStrictEqual(await peer.ask('read'), wanted)
  await peer.ask('close')
  await peer.end()
}

function needed(variable: string): string {
  const value = process.env[variable]
  if (value === undefined) {
    throw new Error(`${variable} is not set: cargo xtask sets it`)
  }
  return value
}
