import { type Build, type Capabilities, type Glue, type InitOptions, starter } from './start.js'
import { lookAround } from './surroundings.js'
import type { ModuleSource } from './compile.js'

// Bundlers find the files of both builds by these very lines; the browser fetches only those of the build that is chosen.
const single: Build = {
  glue: () => import('./single/recask_wasm.js') as Promise<Glue>,
  address: new URL('./single/recask_wasm_bg.wasm', import.meta.url),
}
const threaded: Build = {
  glue: () => import('./threads/recask_wasm.js') as Promise<Glue>,
  address: new URL('./threads/recask_wasm_bg.wasm', import.meta.url),
}
const started = starter(single, threaded, lookAround)

/**
 * Starts the WebAssembly module, once: further calls wait for the first. Everything that returns a promise starts it by itself;
 * only a `Sampler` and {@link capabilities} need `await init()` before. Threads run where the page is isolated and this is a
 * dedicated worker; {@link capabilities} says whether, and why not. Only the module that is chosen is downloaded.
 *
 * Takes where the module is, for pages that move it, or {@link InitOptions}. A call with other options than the first is an
 * error; after a failure it may be called again.
 *
 * ```js
 * await init({ threads: 4, memory: 256 * 1024 * 1024 })
 * ```
 */
export function init(given?: ModuleSource | Promise<Response> | InitOptions): Promise<void> {
  return started.init(given)
}

/** What runs here: the number of threads and the reason for it, the library for zstd, the limit of memory. Needs {@link init}. */
export function capabilities(): Capabilities {
  return started.capabilities()
}
