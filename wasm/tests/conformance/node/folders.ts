/** The cases and the golden files as they lie in a checkout. */

import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `tests` of the checkout, from `wasm/target/tests/tests/conformance/node`. */
export const TESTS = fileURLToPath(new URL('../../../../../../tests/', import.meta.url))
export const GOLDEN = join(TESTS, 'golden')

/** What is as large as all others together, and that no case asks for. */
const UNUSED = ['real', 'sampler']

export function suite(file: string): Promise<string> {
  return readFile(join(TESTS, 'conformance', file), 'utf8')
}

/** All golden stores and tables by their paths. */
export async function goldenFiles(): Promise<[path: string, content: Uint8Array][]> {
  const entries = await readdir(GOLDEN, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const names = paths.map((path) => path.slice(GOLDEN.length + 1).split(sep).join('/'))
  const wanted = names.filter((name) => !UNUSED.includes(name.split('/')[0] ?? '') && !name.endsWith('.json')).sort()
  return Promise.all(wanted.map(async (name) => [name, await readFile(join(GOLDEN, name))] as [string, Uint8Array]))
}
