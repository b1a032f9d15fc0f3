/** The package as Node.js gets it. */

import { fileURLToPath, pathToFileURL } from 'node:url'

import type { Recask } from '../surroundings.js'

export type { Recask } from '../surroundings.js'

/** `wasm`, from `wasm/bench/target/built/bench/runtimes`. */
const WASM = new URL('../../../../../', import.meta.url)

export const PACKAGE = process.env['RECASK_WASM_PACKAGE'] ?? fileURLToPath(new URL('pkg/', WASM))

export const BENCH = fileURLToPath(new URL('bench/', WASM))

export async function recask(): Promise<Recask> {
  return (await import(new URL('index.js', `${pathToFileURL(PACKAGE).href}/`).href)) as Recask
}
