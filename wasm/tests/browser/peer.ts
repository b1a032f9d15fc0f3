/** A Python package in a process of its own, as `tests/interop/README.md` describes: a line of JSON each way. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export class Peer {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(python: string, script: string) {
    this.#process = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#lines = createInterface({ input: this.#process.stdout! })[Symbol.asyncIterator]()
  }

  /** Asks, and fails where the package raises. */
  async ask(op: string, request: object = {}): Promise<unknown> {
    this.#process.stdin!.write(`${JSON.stringify({ op, ...request })}\n`)
    const { value, done } = await this.#lines.next()
    if (done === true) {
      throw new Error('the peer has ended')
    }
    const answer = JSON.parse(value as string) as { ok?: unknown; error?: { message: string } }
    if (answer.error !== undefined) {
      throw new Error(`${op}: ${answer.error.message}`)
    }
    return answer.ok
  }

  async end(): Promise<void> {
    this.#process.stdin!.end()
    await once(this.#process, 'exit')
  }
}
