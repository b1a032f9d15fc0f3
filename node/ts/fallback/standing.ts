import type { Loader } from '../../../wasm/ts/interface.js'

/**
 * Where a run stands, told only when it is asked: the text of a state has samples of all streams, which are read for it. They
 * are the same at every step.
 */
export class RunStanding {
  readonly #loader: Loader
  #text: Promise<string> | undefined
  #next: bigint
  /** Steps above `next` that a run before has delivered. */
  #done: readonly bigint[]

  constructor(loader: Loader, step: bigint | undefined, state: string | undefined) {
    const { step: resumed = 0, done = [] } = (state === undefined ? {} : JSON.parse(state)) as { step?: string; done?: string[] }
    this.#loader = loader
    this.#next = step ?? BigInt(resumed)
    this.#done = done.map(BigInt)
  }

  passed(step: bigint): void {
    const done = new Set(this.#done)
    let next = step + 1n
    while (done.has(next)) next += 1n
    this.#next = next
    this.#done = this.#done.filter((other) => other > next)
  }

  sought(step: bigint): void {
    this.#next = step
    this.#done = []
  }

  /** The state as it is now, whenever it is asked for. */
  get now(): () => Promise<string> {
    const [next, done] = [this.#next, this.#done]
    return async () => {
      this.#text ??= this.#loader.state()
      return moved(await this.#text, next, done)
    }
  }
}

/** The same state at another step. */
function moved(text: string, step: bigint, done: readonly bigint[]): string {
  const list = done.map((other) => `"${other}"`).join(', ')
  return text.replace(/"step": "\d+", "done": \[[^\]]*\]/, `"step": "${step}", "done": [${list}]`)
}
