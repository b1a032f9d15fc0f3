import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Paths in a folder, with slashes, and where the files are. */
export async function filesBelow(folder: string): Promise<[path: string, file: string][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [relative(folder, file).replaceAll(sep, '/'), file]
    })
}
