/** Medians of several programs that do the same, in turn. */

import type { Line } from './result.js'

/** One program: does the work of a round. */
export type Work = (round: number) => Promise<void> | void

export interface Effort {
  /** For each program, without its warm-up. */
  readonly seconds: number
  readonly rounds: number
}

export type Measured = Pick<Line, 'subject' | 'seconds' | 'bytes' | 'rounds'>

/** Rounds that do not count: compilers have to see the code first. */
const WARM_UP = 3
/** More rounds make no better median. */
const MOST = 500

/**
 * Every round has every program in it, one after the other over the same records, so that what else the machine does meets all of
 * them. A program that needs much longer than its time stops earlier than the others.
 */
export async function measure(works: Readonly<Record<string, Work>>, bytes: number, effort: Effort): Promise<Measured[]> {
  const racers = Object.entries(works).map(([subject, work]) => new Racer(subject, work))
  for (let round = 0; racers.some((racer) => !racer.isDone(effort)); round += 1) {
    for (const racer of racers.filter((each) => !each.isDone(effort))) {
      await racer.run(round)
    }
  }
  return racers.map((racer) => racer.result(bytes))
}

class Racer {
  readonly #subject: string
  readonly #work: Work
  readonly #times: number[] = []
  #warmUp = 0
  #spent = 0

  constructor(subject: string, work: Work) {
    this.#subject = subject
    this.#work = work
  }

  isDone({ seconds, rounds }: Effort): boolean {
    const count = this.#times.length
    return count >= MOST || (count >= rounds && this.#spent >= seconds) || (count >= 3 && this.#spent >= 4 * seconds)
  }

  async run(round: number): Promise<void> {
    const start = performance.now()
    await this.#work(round)
    const seconds = (performance.now() - start) / 1000
    if (this.#warmUp < WARM_UP) {
      this.#warmUp += 1
      return
    }
    this.#times.push(seconds)
    this.#spent += seconds
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
