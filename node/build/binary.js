// Puts an addon that was built beside the package, under the name of its platform.
//     node build/binary.js FOLDER [TRIPLE]     FOLDER is where cargo left the library; by default it is for this machine
//     node build/binary.js --name              only tells the name
import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { here, json } from './paths.js'

/** The names that cargo gives a library. */
const LIBRARIES = ['librecask_node.so', 'librecask_node.dylib', 'recask_node.dll']

const [folder, triple = platform().triple] = process.argv.slice(2)
const name = `recask.${triple}.node`
if (folder === '--name') console.log(name)
else place()

function place() {
  const library = LIBRARIES.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (!library) throw new Error(`there is no addon in ${folder}`)
  // A process that has the old one loaded keeps it.
  rmSync(here(name), { force: true })
  copyFileSync(library, here(name))
}

function platform() {
  const libc = process.platform === 'linux' ? (isGlibc() ? 'glibc' : 'musl') : undefined
  const found = json('platforms.json').find(
    ({ os, cpu, libc: of }) => os === process.platform && cpu === process.arch && of === libc,
  )
  if (!found) throw new Error(`platforms.json has no ${process.platform} on ${process.arch}`)
  return found
}

function isGlibc() {
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime !== undefined
}
