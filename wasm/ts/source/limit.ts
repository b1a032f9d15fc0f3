/** At most so many pieces of work at a time; the others wait in the order in which they came. */
export class Limit {
  #free: number
  #waiting: Waiting[] = []
  /** Of those, how many were let in already. */
  #passed = 0

  constructor(most: number) {
    this.#free = most
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#enter(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    // One of its own: Node.js warns of many listeners on one signal.
    const own = signal && AbortSignal.any([signal])
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        enter: () => {
          own?.removeEventListener('abort', giveUp)
          resolve()
        },
      }
      const giveUp = () => {
        waiting.enter = undefined
        reject(signal?.reason)
      }
      this.#waiting.push(waiting)
      own?.addEventListener('abort', giveUp, { once: true })
    })
  }

  #leave(): void {
    while (this.#passed < this.#waiting.length) {
      const enter = this.#waiting[this.#passed]?.enter
      this.#passed += 1
      // A queue of thousands must not be moved for each of them.
      if (this.#passed * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#passed)
        this.#passed = 0
      }
      if (enter) {
        enter()
        return
      }
    }
    this.#free += 1
  }
}

interface Waiting {
  /** Absent: it was given up. */
  enter: (() => void) | undefined
}
