/** Runs the scripts of `node/examples` as users do. */

import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** From `node/target/tests/node/tests/examples`. */
const NODE = new URL('../../../../../', import.meta.url)
const EXAMPLES = new URL('examples/', NODE)

/** A package that the examples have installed. */
export const required = createRequire(EXAMPLES) as (name: string) => unknown

/** Data that is beside the command. */
export const shipped = (name: string) => fileURLToPath(new URL(`../native/cli/data/${name}`, NODE))

/** The lines that a script prints. */
export async function printed(script: string, ...args: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(new URL(script, EXAMPLES)), ...args])
  return stdout.trimEnd().split('\n')
}
