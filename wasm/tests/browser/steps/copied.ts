/** What is copied from a server into the origin private file system, by a worker and by a page. */

import { deepStrictEqual } from 'node:assert'

import { goldenFiles } from '../../conformance/node/folders.js'
import type { Site } from '../site.js'
import { type Ask, PAGE } from '../steps.js'
import type { Copied, CopiedFrom } from '../tasks/copied.js'

const STORE = 'zrecord/stores/dense_u8_img_dict'
const TABLE = 'cstore/oneshot_1000.cstore'

export async function copied(ask: Ask, site: Site): Promise<undefined> {
  const golden = new Map(await goldenFiles())
  const names = ['0.chunk', '0.loc', 'dict.zr', 'meta.zr', 'store.zr']
  const images = names.reduce((sum, name) => sum + golden.get(`${STORE}/${name}`)!.length, 0)
  const wanted: Copied = {
    progress: { done: images, total: images },
    entries: [['images', images], ['tables', golden.get(TABLE)!.length]],
    files: [...names.map((name) => `images/${name}`), 'tables/flights.cstore'],
    isEqual: [true, true],
    refused: ['store_exists', ...Array<string>(4).fill('incomplete_store'), 'store_not_found'],
  }
  const from: CopiedFrom = { store: site.address(`/listed/${STORE}/`), table: site.address(`/golden/${TABLE}`) }
  for (const where of ['worker', PAGE]) {
    deepStrictEqual(await ask('copy and read', from, where), wanted, where)
  }
  return undefined
}
