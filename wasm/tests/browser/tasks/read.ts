/** Reads a store twice over HTTP, from a server that may misbehave. */

import { bytesOf, sha256 } from '../../conformance/bytes.js'
import { recask } from '../package.js'

/** Digests of both times, or the error with its code and its message. */
export async function readTwice(url: string): Promise<{ digests: string[] } | { code: string; message: string }> {
  const { DenseStore, fromUrl, RecaskError } = await recask()
  try {
    // Nothing is kept, so the second time asks the server again.
    const store = await DenseStore.open(fromUrl(url, { cache: { bytes: 0 } }))
    const digests: string[] = []
    for (let time = 0; time < 2; time += 1) {
      digests.push(await sha256(bytesOf((await store.gather({})).data)))
    }
    await store.close()
    return { digests }
  } catch (error) {
    if (error instanceof RecaskError) {
      return { code: error.code, message: error.message }
    }
    throw error
  }
}
