/** Python packages as services: a script of `tests/interop` of this repository, in its own process. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const SCRIPTS = fileURLToPath(new URL('../../../../../../tests/interop/', import.meta.url))

export interface Service {
  /** Asks, and fails the test when Python raises. */
  ask<Answer = unknown>(op: string, given?: object): Promise<Answer>
  stop(): Promise<void>
}

/** `variable` names the interpreter; `cargo xtask test --only "interop with Node.js"` sets it. */
export function start(script: string, variable: string): Service {
  const python = process.env[variable]
  if (python === undefined)
    throw new Error(`${variable} names no interpreter: use cargo xtask test --only "interop with Node.js"`)
  const child = spawn(python, [SCRIPTS + script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    async ask<Answer>(op: string, given: object = {}): Promise<Answer> {
      child.stdin.write(`${JSON.stringify({ op, ...given })}\n`)
      const { done, value } = await answers.next()
      assert.ok(!done, `${script} died while it was asked to ${op}`)
      const answer = JSON.parse(value) as { ok: Answer; error?: unknown }
      assert.ok('ok' in answer, `Python refused ${op}: ${JSON.stringify(answer.error)}`)
      return answer.ok
    },
    async stop() {
      child.stdin.end()
      // A loader whose start failed keeps its process.
      const late = setTimeout(() => child.kill(), 5000)
      await ended
      clearTimeout(late)
    },
  }
}
