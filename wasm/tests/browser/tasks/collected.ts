/** Writes and reads stores in the file system of the origin while garbage is collected all the time. */

import { recask } from '../package.js'

const STORES = 150
const LANES = 6
/** In milliseconds. */
const PERIOD = 10

/** How many stores were written and read back. */
export async function collectGarbage(): Promise<number> {
  const { gc } = globalThis as { gc?: () => void }
  if (gc === undefined) {
    throw new Error('Chromium was not started with --js-flags=--expose-gc')
  }
  const timer = setInterval(gc, PERIOD)
  let done = 0
  const numbers = Array.from({ length: STORES }, (_, number) => number).values()
  const lane = async () => {
    for (const number of numbers) {
      if (await writeAndRead(`collected ${number}`, number)) {
        done += 1
      }
    }
  }
  try {
    await Promise.all(Array.from({ length: LANES }, lane))
  } finally {
    clearInterval(timer)
  }
  return done
}

async function writeAndRead(path: string, number: number): Promise<boolean> {
  const { DenseStore, fromOpfs, listOpfs, removeOpfs } = await recask()
  const store = await DenseStore.create(fromOpfs(path), { dtype: 'int32' })
  await store.append(Int32Array.of(number, 2, 3))
  await store.close()
  const read = await DenseStore.open(fromOpfs(path))
  const { data } = await read.gather(0)
  await read.close()
  const entries = await listOpfs(path)
  await removeOpfs(path)
  return data[0] === number && entries.length > 0
}
