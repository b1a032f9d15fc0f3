import { attempt, type AttemptOptions, TooMuch } from './attempt.js'
import { RecaskError } from './errors.js'
import type { LongOptions } from './interface.js'
import { memoryLimit } from './module.js'
import { pause } from './pause.js'

const FIRST = 1024
/** What is read for one portion. */
const BYTES = 16 * 1024 * 1024
/** How long the page may stand still for one portion. */
const MILLISECONDS = 40

/** Does `count` things from `from` on, at once and again if bytes are missing; whether everything is done. */
export type Portion = (from: number, count: number) => boolean

/**
 * Does long work in portions that are small in time and memory, so that it can be stopped, tells how far it is, and neither
 * blocks the page nor holds more than a portion. Calls `work` once more where `total` is 0.
 */
export async function inPortions(total: number, work: Portion, options: LongOptions & AttemptOptions = {}): Promise<void> {
  const { onProgress, ...reading } = options
  let [done, size, isDone] = [0, FIRST, false]
  while (!isDone) {
    const count = Math.min(size, Math.max(total - done, 0))
    let spent = 0
    const timed = () => {
      const start = performance.now()
      const end = work(done, count)
      spent = performance.now() - start
      return end
    }
    try {
      isDone = await attempt(timed, { ...reading, most: count > 1 ? Math.min(BYTES, memoryLimit()) : memoryLimit() })
    } catch (error) {
      if (count < 2 || !isTooMuch(error)) throw error
      size = Math.ceil(count / 4)
      continue
    }
    done += count
    onProgress?.({ done, total })
    if (spent > MILLISECONDS) size = Math.max(1, size >> 1)
    else if (spent < MILLISECONDS / 4) size *= 2
    if (!isDone) await pause()
  }
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooMuch || (error instanceof RecaskError && error.code === 'limit')
}
