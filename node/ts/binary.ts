import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { RecaskError } from '../../wasm/ts/errors.js'
import type { Addon } from './native.js'
import { triple } from './platform.js'

/** The addon, or why there is none. */
export type Found = { readonly addon: Addon; readonly file: string } | { readonly reason: string }

type Require = (id: string) => unknown

/** Says which addon is to be taken; nothing else is tried then. */
const CHOSEN = 'RECASK_NATIVE'

/** Looks for the addon: where `RECASK_NATIVE` says, beside the package as a checkout has it, in the package of the platform. */
export function findAddon(environment: NodeJS.ProcessEnv = process.env, load: Require = createRequire(import.meta.url)): Found {
  if (environment['RECASK_FORCE_WASM'] === '1') return { reason: 'RECASK_FORCE_WASM=1 asks for WebAssembly' }
  const chosen = environment[CHOSEN]
  if (chosen) return chosenAddon(chosen, load)
  const here = triple()
  const beside = fileURLToPath(new URL(`../recask.${here}.node`, import.meta.url))
  if (existsSync(beside)) return addonOf(beside, beside, load)
  return addonOf(`@recask/${here}`, `@recask/${here}`, load)
}

/** Who chose a file does not want another. */
function chosenAddon(file: string, load: Require): Found {
  const found = addonOf(file, file, load)
  if ('addon' in found) return found
  throw new RecaskError('unsupported', `${CHOSEN} is ${file}, but ${found.reason}`)
}

function addonOf(id: string, name: string, load: Require): Found {
  try {
    return { addon: load(id) as Addon, file: name }
  } catch (error) {
    return { reason: reasonOf(error, name) }
  }
}

function reasonOf(error: unknown, name: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'MODULE_NOT_FOUND') return `${name} does not load: ${message}`
  return (
    `there is no ${name} here: npm leaves it out with --no-optional or --omit=optional, when a lock file was made on ` +
    'another platform, and where Recask is not built for this one'
  )
}
