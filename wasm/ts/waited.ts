/** Waits for work, unless a signal says that nobody needs it any more. The work goes on. */
export function waited<T>(work: Promise<T>, signals: readonly (AbortSignal | undefined)[]): Promise<T> {
  const given = signals.filter((signal) => signal !== undefined)
  return new Promise((resolve, reject) => {
    const leave = () => {
      for (const signal of given) signal.removeEventListener('abort', abort)
    }
    const abort = () => {
      leave()
      reject(given.find(({ aborted }) => aborted)?.reason)
    }
    // First: whatever is given as signals, somebody is told of the work.
    const told = work.then(resolve, reject)
    for (const signal of given) signal.addEventListener('abort', abort)
    told.finally(leave)
    if (given.some(({ aborted }) => aborted)) abort()
  })
}
