/** What decides whether threads may run. */
export interface Surroundings {
  /** Web Workers can be started from here. */
  readonly workers: boolean
  /** The page was served with the headers that isolate it; others have no memory that workers share. */
  readonly isolated: boolean
  /** Waiting is allowed: in a worker, not on the main thread of a page. */
  readonly blocking: boolean
  readonly processors: number
}

/** How many threads work, and why. */
export interface Choice {
  readonly threads: number
  readonly reason: string
}

/** More threads than this cost memory and gain little. */
const MOST_THREADS = 16

export function lookAround(): Surroundings {
  const scope = globalThis as { DedicatedWorkerGlobalScope?: abstract new () => object; crossOriginIsolated?: boolean }
  const worker = scope.DedicatedWorkerGlobalScope
  return {
    workers: typeof Worker === 'function',
    isolated: scope.crossOriginIsolated === true,
    blocking: worker !== undefined && globalThis instanceof worker,
    processors: globalThis.navigator?.hardwareConcurrency ?? 1,
  }
}

/** `wanted` is a number of threads, `false` for none, or `'auto'` for one on each processor. */
export function chooseThreads(wanted: 'auto' | false | number, around: Surroundings): Choice {
  const single = (reason: string) => ({ threads: 1, reason })
  if (wanted === false || wanted === 1) return single('one thread was asked for')
  if (!around.workers) return single('this runtime has no Web Workers')
  if (!around.isolated) {
    return single(
      'the page is not isolated: serve it with Cross-Origin-Opener-Policy: same-origin and ' +
        'Cross-Origin-Embedder-Policy: require-corp',
    )
  }
  if (!around.blocking) return single('the main thread of a page may not wait: use Recask in a dedicated worker')
  if (wanted === 'auto' && around.processors < 2) return single('there is one processor')
  const threads = wanted === 'auto' ? Math.min(around.processors, MOST_THREADS) : wanted
  return { threads, reason: `the page is isolated, this is a worker, and there are ${around.processors} processors` }
}
