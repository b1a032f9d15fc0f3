/** What is to happen when a signal is aborted. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `stop` when the signal is aborted, until what this gives is called. However many wait for a signal, it has one listener:
 * Node.js warns of more than ten.
 */
export function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (!signal) return () => {}
  const all = waiting.get(signal) ?? listening(signal)
  // Two may give the same function.
  const one = () => stop()
  all.add(one)
  return () => {
    all.delete(one)
  }
}

function listening(signal: AbortSignal): Set<() => void> {
  const all = new Set<() => void>()
  signal.addEventListener('abort', () => all.forEach((stop) => stop()), { once: true })
  waiting.set(signal, all)
  return all
}
