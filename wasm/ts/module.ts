import { fromFault, invalid, isFault, isNeeds, RecaskError } from './errors.js'
import type { RawModule } from './raw.js'

/** The module that runs. There is one for a page or worker: the JavaScript that wasm-bindgen makes knows no second. */
interface Running {
  readonly raw: RawModule
  readonly memoryLimit: number
}

let running: Running | undefined
/** Why no call may enter WebAssembly again. */
let stopped: RecaskError | undefined

export function setRunning(raw: RawModule, memoryLimit: number): void {
  raw.setMemoryLimit(memoryLimit)
  running = { raw, memoryLimit }
}

export function isRunning(): boolean {
  return running !== undefined
}

/** The most bytes that one call may hold. */
export function memoryLimit(): number {
  return running?.memoryLimit ?? 0
}

/**
 * Calls into WebAssembly, and turns what it throws into errors. A request for bytes is passed on as it is.
 *
 * A trap leaves the memory of the module in any state, so it is never entered again.
 */
export function enter<T>(call: (raw: RawModule) => T): T {
  if (stopped) throw stopped
  if (!running) throw invalid('Recask has not been started: await init() first')
  try {
    return call(running.raw)
  } catch (thrown) {
    if (isNeeds(thrown)) throw thrown
    if (isFault(thrown)) throw fromFault(thrown)
    if (thrown instanceof RecaskError) throw thrown
    throw isTrap(thrown) ? stop(thrown) : new RecaskError('internal', `unexpected failure: ${thrown}`, {}, { cause: thrown })
  }
}

/** Frees what lives in WebAssembly, where there still is something to be freed. */
export function free(...handles: readonly ({ free(): void } | undefined)[]): void {
  if (stopped) return
  for (const handle of handles) if (handle) enter(() => handle.free())
}

/** Also a stack overflow and a buffer that is not to be had: they leave the same way, past everything that Rust tidies up. */
function isTrap(thrown: unknown): thrown is Error {
  if (thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError) return true
  return thrown instanceof Error && thrown.message.startsWith('panicked')
}

function stop(trap: Error): RecaskError {
  const isMemory = /memory|allocation|array buffer/i.test(trap.message)
  const what = isMemory ? 'WebAssembly ran out of memory' : 'WebAssembly stopped'
  const message = `${what} (${trap.message}); it cannot be used any more: load the page anew, or start another worker`
  stopped = new RecaskError(isMemory ? 'limit' : 'internal', message, {}, { cause: trap })
  return stopped
}

/** For tests: as if nothing had been started. */
export function reset(): void {
  running = undefined
  stopped = undefined
}
