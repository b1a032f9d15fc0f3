/** A worker that writes and is killed at any moment leaves a store that opens, or none. */

import { deepStrictEqual, ok } from 'node:assert'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Site } from '../site.js'
import type { Ask, Setting } from '../steps.js'
import type { Found } from '../tasks/killed.js'

/** How long the writers live, in milliseconds. */
const LIVES = [0, 1, 2, 4, 6, 8, 12, 16, 32, 64, 128, 256]

const WHOLE = ['0.chunk', '0.loc', 'meta.zr', 'store.zr']

export async function killed(ask: Ask, _: Site, { end }: Setting): Promise<string> {
  const left: (number | undefined)[] = []
  for (const life of LIVES) {
    const path = `killed ${life}`
    await ask('begin writing', path, 'killed')
    // It never answers.
    ask('write on', path, 'killed').catch(() => {})
    await sleep(life)
    await end('killed')
    const { appends, names } = (await ask('write after', path, 'next')) as Found
    deepStrictEqual(names, WHOLE, path)
    left.push(appends)
    await ask('remove', path, 'next')
  }
  const most = Math.max(...left.map((appends) => appends ?? 0))
  ok(most > 0, 'no writer lived long enough to append')
  return `${LIVES.length} writers, of which ${left.filter((appends) => appends === undefined).length} had no store yet; the longest made ${most} appends`
}
