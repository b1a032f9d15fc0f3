import { RecaskError } from '../../../wasm/ts/errors.js'
import type { LongOptions } from '../../../wasm/ts/interface.js'
import type { NativeStop, Watch } from '../native.js'

export class Stop implements NativeStop {
  readonly #controller = new AbortController()

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  stop(): void {
    this.#controller.abort(new RecaskError('interrupted', 'the work was interrupted'))
  }
}

/** What stops and watches a call, as the package for browsers takes it. */
export function optionsOf([stop, tell]: Watch): LongOptions {
  return {
    ...(stop instanceof Stop && { signal: stop.signal }),
    ...(tell && { onProgress: ({ done, total }) => tell(done, total) }),
  }
}
