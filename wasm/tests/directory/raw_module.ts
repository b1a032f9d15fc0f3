/** The WebAssembly module itself, as `cargo xtask build --only single` leaves it, without the package around it. */

import { readFile } from 'node:fs/promises'

import type { RawModule } from '../../ts/raw.js'

/** From `target/tests/tests/directory`. */
const FOLDER = new URL('../../../../pkg/single/', import.meta.url)

export async function rawModule(): Promise<RawModule> {
  const glue = (await import(new URL('recask_wasm.js', FOLDER).href)) as RawModule & {
    initSync(options: { module: BufferSource }): void
  }
  glue.initSync({ module: await readFile(new URL('recask_wasm_bg.wasm', FOLDER)) })
  return glue
}
