/** The packages as npm packs them, installed where nothing else is. */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
export const NODE = fileURLToPath(new URL('../../../../../', import.meta.url))

/** What the package has to contain, and all that it may. */
const CONTENT = [
  'LICENSE',
  'README.md',
  'bin/recask.cjs',
  'dist/LICENSES.txt',
  'dist/index.cjs',
  'dist/index.js',
  'package.json',
  'types/index.d.cts',
  'types/index.d.ts',
]

/** Runs a program; what it wrote is part of the error. */
export async function run(
  folder: string,
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  try {
    const { RECASK_NATIVE: _, ...inherited } = process.env
    const options = { cwd: folder, maxBuffer: 1 << 26, env: { ...inherited, ...environment } }
    return (await execute(program, args, options)).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
  readonly size: number
  readonly unpackedSize: number
}

/** A new folder with the package of one platform, or with recask-wasm instead. */
export class Installed {
  private constructor(readonly folder: string) {}

  static async with(...packages: readonly string[]): Promise<Installed> {
    const folder = await mkdtemp(join(tmpdir(), 'recask-package-'))
    const files: string[] = []
    for (const path of packages) files.push(`./${(await pack(folder, path)).filename}`)
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
    // Nothing is asked of a registry: the packages of other platforms are left out, as npm leaves them out there.
    await run(folder, 'npm', ['install', '--offline', '--no-audit', '--no-fund', ...files])
    return new Installed(folder)
  }

  async write(name: string, text: string | Uint8Array): Promise<string> {
    const path = join(this.folder, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
    return path
  }

  /** Runs a script, and gives what it printed as JSON. */
  async script(name: string, text: string, environment?: NodeJS.ProcessEnv): Promise<unknown> {
    return JSON.parse(await run(this.folder, process.execPath, [await this.write(name, text)], environment))
  }
}

async function pack(folder: string, path: string): Promise<Packed> {
  const [packed] = JSON.parse(await run(folder, 'npm', ['pack', path, '--json'])) as [Packed]
  const { filename, files, size, unpackedSize } = packed
  console.log(`${filename}: ${files.length} files, ${size} bytes packed, ${unpackedSize} unpacked`)
  if (path.endsWith('/recask')) {
    const found = files.map((file) => file.path).sort()
    if (String(found) !== String([...CONTENT].sort())) throw new Error(`the package has ${found}, and not ${CONTENT}`)
  }
  return packed
}
