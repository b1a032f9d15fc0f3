/** Work that several callers wait for. It is stopped when none of them waits any more. */
export class Shared<T> {
  readonly #stop = new AbortController()
  readonly #result: Promise<T>
  #waiting = 0

  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.#result = work(this.#stop.signal)
    // Those who wait are told; nobody waits for stopped work.
    this.#result.catch(() => {})
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  join(signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    this.#waiting += 1
    // One of its own: Node.js warns of many listeners on one signal.
    const own = signal && AbortSignal.any([signal])
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal?.reason)
        this.#waiting -= 1
        if (this.#waiting === 0) this.#stop.abort(signal?.reason)
      }
      own?.addEventListener('abort', leave, { once: true })
      const stay = () => own?.removeEventListener('abort', leave)
      this.#result.then(resolve, reject).then(stay)
    })
  }
}
