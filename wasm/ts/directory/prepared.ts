/** Directories that open files ahead, and how a call of the core is driven over one. */

import { isNeeds } from '../errors.js'
import type { Options } from '../interface.js'
import type { Directory } from '../raw.js'
import { PREPARE } from './problem.js'

/**
 * A directory whose calls are synchronous, and what has to happen between them. Whoever has it has the files alone. To be
 * driven by {@link change} and {@link finish} only.
 */
export interface PreparedDirectory extends Directory {
  /** For messages. */
  readonly name: string
  /** Whether the last call asked for files that are not open yet. */
  wanted(): boolean
  /** Opens what was asked for. What cannot be opened is the answer to the call that asks again. */
  prepare(): Promise<void>
  /** Removes and renames as the last call wanted, and opens ahead what the next ones are going to want. */
  settle(): Promise<void>
  /** Makes everything durable and gives all files back; removes what was prepared and not used. Twice is once. */
  close(): Promise<void>
}

/** When the last call over a directory is over. */
const turns = new WeakMap<PreparedDirectory, Promise<unknown>>()

/**
 * Makes a call of the core over a directory, again where files had to be opened first, and resolves once names are as the
 * call left them. Calls over the same directory take turns. A signal stops it before the call, not once the call has
 * changed something.
 */
export function change<T>(directory: PreparedDirectory, call: () => T, { signal }: Options = {}): Promise<T> {
  return inTurn(directory, () => repeated(directory, call, signal))
}

/** Makes the last call, the one that closes, and closes the directory whatever came of it. */
export function finish(directory: PreparedDirectory, call: () => void): Promise<void> {
  return inTurn(directory, async () => {
    try {
      await repeated(directory, call, undefined)
    } catch (error) {
      await quietly(directory.close())
      throw error
    }
    await directory.close()
  })
}

function inTurn<T>(directory: PreparedDirectory, work: () => Promise<T>): Promise<T> {
  const done = (turns.get(directory) ?? Promise.resolve()).then(work)
  turns.set(directory, quietly(done))
  return done
}

async function repeated<T>(directory: PreparedDirectory, call: () => T, signal: AbortSignal | undefined): Promise<T> {
  for (;;) {
    try {
      signal?.throwIfAborted()
      const result = call()
      await directory.settle()
      return result
    } catch (error) {
      if (!asksForFiles(error) || !directory.wanted()) {
        // What a failed call removed has to go, too; why it failed matters more than why that did.
        await quietly(directory.settle())
        throw error
      }
    }
    await directory.prepare()
  }
}

/** Needs without ranges, or what the directory itself threw. */
function asksForFiles(error: unknown): boolean {
  return isNeeds(error) || error === PREPARE
}

function quietly(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  )
}
