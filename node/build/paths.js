import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A path in the folder of the package. */
export const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

/** Reads a file of JSON there. */
export const json = (name) => JSON.parse(readFileSync(here(name), 'utf8'))
