/** The script of the test page: does tasks itself or has workers do them, and knows the files that were picked. */

import type { Answer, Order } from './protocol.js'
import { perform } from './tasks.js'

/** What the test program finds on `window`. */
export interface TestPage {
  /** Does a task on the main thread. */
  here(task: string, argument: unknown): Promise<unknown>
  /** Does a task in the worker of this name, which is started where there is none. */
  inWorker(worker: string, task: string, argument: unknown): Promise<unknown>
  /** Ends a worker, whatever it does. */
  end(worker: string): void
}

const workers = new Map<string, Worker>()

/** How long a worker may take until its script runs, in milliseconds, and how many are tried. */
const START = 30_000
const TRIES = 3

const testPage: TestPage = {
  async here(task, argument) {
    return value(await perform({ task, argument, files: picked() }))
  },
  async inWorker(name, task, argument) {
    const worker = workers.get(name) ?? (await started(name))
    workers.set(name, worker)
    return value(await ask(worker, { task, argument, files: picked() }))
  },
  end(name) {
    workers.get(name)?.terminate()
    workers.delete(name)
  },
}

Object.assign(globalThis, { testPage })

/**
 * A worker whose script runs. On a busy machine Chromium now and then loses one before: no thread is there then, and no error is
 * told.
 */
async function started(name: string): Promise<Worker> {
  for (let tries = 1; ; tries += 1) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name })
    const isThere = new Promise<boolean>((resolve) => {
      worker.onmessage = () => resolve(true)
      setTimeout(() => resolve(false), START)
    })
    if (await isThere) {
      return worker
    }
    worker.terminate()
    if (tries === TRIES) {
      throw new Error(`no script of ${TRIES} workers ran within ${START / 1000} s`)
    }
    console.log(`worker ${name} did not start; starting another`)
  }
}

function ask(worker: Worker, order: Order): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
    worker.onerror = ({ message, filename, lineno }) => reject(new Error(`the worker failed: ${message} (${filename}:${lineno})`))
    worker.onmessageerror = () => reject(new Error('the answer of the worker cannot be read'))
    worker.postMessage(order)
  })
}

function picked(): File[] {
  const input = document.querySelector<HTMLInputElement>('input[type=file]')
  return Array.from(input?.files ?? [])
}

function value(answer: Answer): unknown {
  if ('error' in answer) {
    throw new Error(answer.error)
  }
  return answer.value
}
