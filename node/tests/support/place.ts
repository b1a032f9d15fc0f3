/** Folders for tests, removed when the process ends. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made = mkdtempSync(join(tmpdir(), 'recask-node-'))
process.on('exit', () => rmSync(made, { recursive: true, force: true }))
let count = 0

/** A path where nothing is, in a folder that is there. */
export function nowhere(name = 'data'): string {
  count += 1
  return join(mkdtempSync(join(made, `${count}-`)), name)
}
