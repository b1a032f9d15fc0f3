import { invalid } from '../../../wasm/ts/errors.js'

/** Calls that are under way; closing waits for them and refuses others. */
export class Running {
  readonly #calls = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  /** `what` is closed, in messages. */
  constructor(private readonly what: string) {}

  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(invalid(`the ${this.what} is closed`))
    const call = work()
    this.#calls.add(call)
    const forget = () => this.#calls.delete(call)
    call.then(forget, forget)
    return call
  }

  close(last: () => Promise<void>): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#calls).then(last)
    return this.#closing
  }
}
