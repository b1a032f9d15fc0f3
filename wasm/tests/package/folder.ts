/** The package as npm packs it, installed where nothing else is. */

import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const WASM = fileURLToPath(new URL('../../../../', import.meta.url))

/** What every package has to contain. */
const WANTED = [
  'package.json',
  'README.md',
  'LICENSE',
  'index.js',
  'index.d.ts',
  'single/recask_wasm.js',
  'single/recask_wasm_bg.wasm',
  'threads/recask_wasm.js',
  'threads/recask_wasm_bg.wasm',
]

/** Runs a program; what it wrote is part of the error. */
export async function run(folder: string, program: string, ...args: string[]): Promise<string> {
  try {
    return (await execute(program, args, { cwd: folder, maxBuffer: 1 << 26 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

/** A program among the development packages, as a script for Node.js. */
export function tool(path: string): string {
  return join(WASM, 'node_modules', path)
}

/** A new folder with the package installed and the sources of the app. */
export async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'recask-package-'))
  const packed = JSON.parse(await run(folder, 'npm', 'pack', join(WASM, 'pkg'), '--json')) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ]
  const [{ filename, files, size, unpackedSize }] = packed
  const names = new Set(files.map(({ path }) => path))
  const missing = WANTED.filter((name) => !names.has(name))
  const foreign = [...names].filter((name) => /\.ts$/.test(name) && !name.endsWith('.d.ts'))
  if (missing.length + foreign.length > 0) throw new Error(`the package lacks ${missing} and should not have ${foreign}`)
  console.log(`npm pack: ${names.size} files, ${size} bytes packed, ${unpackedSize} unpacked`)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`)
  const others = (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.') && name !== 'recask-wasm')
  if (others.length > 0) throw new Error(`the package brought others: ${others}`)
  await mkdir(join(folder, 'app'))
  await cp(join(WASM, 'tests/package/app'), join(folder, 'app'), { recursive: true })
  return folder
}
