/** The package as a page gets it. */

import type { Modules } from '../conformance/inside.js'

type Recask = typeof import('../../ts/index.js')
type Glue = { default(): Promise<{ readonly memory: WebAssembly.Memory }> }

/** Where the server has `wasm/pkg`. */
const PACKAGE = new URL('/pkg/', location.href)

/** Workers know no import maps, so it is imported by its address. */
export function recask(): Promise<Recask> {
  return import(new URL('index.js', PACKAGE).href) as Promise<Recask>
}

/** What is inside of the package. */
export async function modules(): Promise<Modules> {
  const part = (name: string): Promise<unknown> => import(new URL(`${name}.js`, PACKAGE).href)
  const [module, store, selection] = await Promise.all(['module', 'store', 'selection'].map(part))
  return { module, store, selection } as Modules
}

/** The memory of the WebAssembly module that runs. */
export async function memory(threads: boolean): Promise<WebAssembly.Memory> {
  const glue = (await import(new URL(`${threads ? 'threads' : 'single'}/recask_wasm.js`, PACKAGE).href)) as Glue
  // Once it is started, the glue answers with what it has.
  return (await glue.default()).memory
}
