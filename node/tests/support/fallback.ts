/** The package beside recask-wasm and without an addon, as it is installed where there is none. */

import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { nowhere } from './place.js'
import type { Recask } from './recask.js'

const NODE = fileURLToPath(new URL('../../../../../', import.meta.url))

/** Where the package is now. */
export function withoutAddon(): string {
  const modules = join(nowhere('app'), 'node_modules')
  const folder = join(modules, 'recask')
  mkdirSync(folder, { recursive: true })
  for (const part of ['dist', 'package.json']) cpSync(join(NODE, part), join(folder, part), { recursive: true })
  const wasm = join(NODE, '../wasm/pkg')
  if (!existsSync(join(wasm, 'single/recask_wasm_bg.wasm')))
    throw new Error('build it first: cargo xtask build --only single package')
  symlinkSync(wasm, join(modules, 'recask-wasm'))
  const glob = dirname(createRequire(import.meta.url).resolve('tinyglobby/package.json'))
  symlinkSync(glob, join(modules, 'tinyglobby'))
  return folder
}

export function load(folder: string): Promise<Recask> {
  return import(pathToFileURL(join(folder, 'dist/index.js')).href) as Promise<Recask>
}
