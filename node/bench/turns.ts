/** Medians of several programs that do the same, in turn. */

import type { Effort, Line } from './job.js'

/** One program: does the work of a round. */
export type Work = (round: number) => Promise<void> | void

export type Measured = Pick<Line, 'subject' | 'seconds' | 'bytes' | 'rounds'>

/** What else the machine does meets all of them when each has its time in pieces. */
const TURNS = 5
/** Rounds at the beginning that do not count: compilers have to see the code. */
const WARM_UP = 3
/** More rounds make no better median. */
const MOST = 4000

/**
 * A turn is several rounds: as in the loop of a program that does nothing else, and as the command measures, they find in the caches
 * what the one before left there. The first of them finds what another program left, and does not count.
 */
export async function measure(works: Readonly<Record<string, Work>>, bytes: number, effort: Effort): Promise<Measured[]> {
  const racers = Object.entries(works).map(([subject, work]) => new Racer(subject, work))
  for (const racer of racers) await racer.warmUp(effort)
  while (racers.some((racer) => !racer.isDone(effort))) {
    for (const racer of racers.filter((each) => !each.isDone(effort))) await racer.turn(effort)
  }
  return racers.map((racer) => racer.result(bytes))
}

class Racer {
  readonly #subject: string
  readonly #work: Work
  readonly #times: number[] = []
  #round = 0
  #spent = 0

  constructor(subject: string, work: Work) {
    this.#subject = subject
    this.#work = work
  }

  /** A program that needs much longer than its time stops earlier than the others. */
  isDone({ seconds, rounds }: Effort): boolean {
    const count = this.#times.length
    return count >= MOST || (count >= rounds && this.#spent >= seconds) || (count >= 3 && this.#spent >= 4 * seconds)
  }

  async warmUp({ seconds }: Effort): Promise<void> {
    for (let round = 0, spent = 0; round < WARM_UP && (round === 0 || spent < seconds); round += 1) spent += await this.#run()
  }

  async turn(effort: Effort): Promise<void> {
    // What the program before has left is given back in a turn of the event loop, and calls that work at once have none.
    await new Promise((turned) => void setImmediate(turned))
    await this.#run()
    const end = this.#spent + effort.seconds / TURNS
    do {
      const seconds = await this.#run()
      this.#times.push(seconds)
      this.#spent += seconds
    } while (this.#spent < end && !this.isDone(effort))
  }

  async #run(): Promise<number> {
    const start = performance.now()
    const waiting = this.#work(this.#round)
    // What is done at once must not wait for the turn of a promise.
    if (waiting) await waiting
    this.#round += 1
    return (performance.now() - start) / 1000
  }

  result(bytes: number): Measured {
    return { subject: this.#subject, seconds: median(this.#times), bytes, rounds: this.#times.length }
  }
}

function median(times: readonly number[]): number {
  const sorted = [...times].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
