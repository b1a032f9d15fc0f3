/** Every example of the README, run in order in one folder. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Installed, NODE, run } from './folder.js'

const DECODE = 'export const decodeImage = (bytes) => new Uint8Array(8 * 8 * 3).fill(bytes.length)\n'
const FLIGHTS = 'time,delay,distance\n2012-01-01,70.5,400\n2012-01-02,,300\n2012-01-03,80.0,900\n'

/** The bytes of a NumPy array of three numbers. */
function labels(): Buffer {
  const header = `${"{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }".padEnd(117)}\n`
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(header), Buffer.of(1, 2, 3)])
}

export async function readme(app: Installed): Promise<void> {
  const text = await readFile(join(NODE, 'README.md'), 'utf8')
  const examples = Array.from(text.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => code!)
  for (const [name, content] of Object.entries({ 'photos/a.jpg': 'a', 'photos/b.jpg': 'bb', 'photos/deep/c.jpg': 'ccc' })) {
    await app.write(`readme/${name}`, content)
  }
  await app.write('readme/examples/decode.js', DECODE)
  await app.write('readme/flights.csv', FLIGHTS)
  await app.write('readme/labels.npy', labels())
  for (const [at, code] of examples.entries()) await app.write(`readme/examples/${at}.js`, code)
  // Not every Node.js has `using`.
  const emitted = { allowJs: true, target: 'es2022', lib: ['esnext'], module: 'nodenext', rootDir: 'examples', outDir: 'built' }
  const compilerOptions = { ...emitted, types: ['node'], typeRoots: [join(NODE, 'node_modules/@types')] }
  await app.write('readme/tsconfig.json', JSON.stringify({ compilerOptions, include: ['examples'] }))
  await run(app.folder, process.execPath, [join(NODE, 'node_modules/typescript/bin/tsc'), '-p', 'readme'])
  for (const at of examples.keys()) await run(join(app.folder, 'readme'), process.execPath, [`built/${at}.js`])
  console.log(`README: ${examples.length} examples run`)
}
