/** Servers that misbehave, on another origin than the page: what the browser makes of them is not what Node.js does. */

import { deepStrictEqual, match, strictEqual } from 'node:assert'

import { GOLDEN } from '../../conformance/node/folders.js'
import { RangeServer, type ServerOptions } from '../../server/server.js'
import type { Site } from '../site.js'
import type { Ask } from '../steps.js'

const STORE = '/zrecord/stores/dense_u8_img_zstd/'

/** How it misbehaves, and what reading then comes to: the values, or a code and what the message says. */
const CASES: readonly (readonly [cors: ServerOptions['cors'], faults: string, code?: string, words?: RegExp])[] = [
  ['exposed', ''],
  ['exposed', 'truncate:1'],
  ['exposed', 'chop:1'],
  ['exposed', 'reset:1'],
  ['exposed', 'status:503,times:1'],
  ['exposed', 'redirect'],
  ['exposed', 'ignore-range'],
  ['exposed', 'most:1000'],
  ['exposed', 'no-total'],
  // The browser decodes what is no range of a whole any more, and fails without saying why.
  ['exposed', 'gzip', 'io', /Content-Encoding/],
  ['exposed', 'wrong-content-range', 'io', /Content-Range/],
  ['exposed', 'change-after:1', 'source_changed', /open its place again/],
  ['exposed', 'status:403', 'permission_denied', /403/],
  // Headers that the page is not shown: ranges are read all the same, by their lengths.
  ['plain', ''],
  ['plain', 'redirect'],
  ['none', '', 'io', /CORS/],
]

export async function misbehaving(ask: Ask, site: Site): Promise<string> {
  const wanted = (await ask('read twice', site.address(`/golden${STORE}`))) as { digests: string[] }
  deepStrictEqual(wanted.digests[0], wanted.digests[1])
  for (const [cors, faults, code, words] of CASES) {
    const server = await RangeServer.start({ root: GOLDEN, ...(cors !== undefined && { cors }), isolated: false })
    const found = (await ask('read twice', `${server.origin}${STORE}?fault=${faults}`)) as typeof wanted & Refused
    await server.close()
    const what = `${cors}, ${faults === '' ? 'no fault' : faults}`
    if (code === undefined) {
      deepStrictEqual(found, wanted, what)
    } else {
      strictEqual(found.code, code, `${what}: ${JSON.stringify(found)}`)
      match(found.message, words!, what)
    }
  }
  return `${CASES.length} servers`
}

interface Refused {
  readonly code: string
  readonly message: string
}
