import { setImmediate } from 'node:timers/promises'
import type { LongOptions } from '../../wasm/ts/interface.js'
import { onAbort } from './abort.js'
import { addon } from './addon.js'
import { signalOf } from './given.js'
import { isInterrupted, located, translated } from './faults.js'
import type { NativeStop, Tell, Watch } from './native.js'

/** Makes a call of the addon that works at once. */
export function at<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw translated(error)
  }
}

/** Makes a call of the addon that works on other threads. */
export async function off<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw translated(error)
  }
}

/** Makes such a call with what stops and watches it. It rejects with the reason of the signal, or what `onProgress` threw. */
export async function watched<T>(options: LongOptions, call: (...watch: Watch) => Promise<T>): Promise<T> {
  const [signal, { onProgress }] = [signalOf(options), options]
  if (!signal && !onProgress) return off(() => call())
  signal?.throwIfAborted()
  const stop: NativeStop = new (addon().NativeStop)()
  const abort = () => stop.stop()
  const forget = onAbort(signal, abort)
  const told = telling(onProgress, abort)
  try {
    const result = await off(() => call(stop, told.tell))
    // The last report comes in the same turn as the result.
    if (onProgress) await setImmediate()
    return result
  } catch (error) {
    if (told.failure) throw told.failure.error
    if (isInterrupted(error)) signal?.throwIfAborted()
    throw error
  } finally {
    told.isOver = true
    forget()
  }
}

/** Calls about one place, which their errors say. */
export class Calls {
  constructor(readonly place: string) {}

  at<T>(call: () => T): T {
    try {
      return at(call)
    } catch (error) {
      throw located(error, this.place)
    }
  }

  off<T>(call: () => Promise<T>): Promise<T> {
    return this.watched({}, call)
  }

  async watched<T>(options: LongOptions, call: (...watch: Watch) => Promise<T>): Promise<T> {
    try {
      return await watched(options, call)
    } catch (error) {
      throw located(error, this.place)
    }
  }
}

interface Told {
  readonly tell: Tell | null
  failure?: { readonly error: unknown }
  /** What is on its way still when the call is over comes too late. */
  isOver: boolean
}

function telling(onProgress: LongOptions['onProgress'], abort: () => void): Told {
  const told: Told = {
    tell: onProgress
      ? (done, total) => {
          if (told.isOver || told.failure) return
          try {
            onProgress({ done, total })
          } catch (error) {
            told.failure = { error }
            abort()
          }
        }
      : null,
    isOver: false,
  }
  return told
}
