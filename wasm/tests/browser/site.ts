/** What the browser finds on the server: the package, the tests, the golden files, and a store of 6 GiB. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { goldenFiles, suite } from '../conformance/node/folders.js'
import { packed } from '../conformance/golden.js'
import { SUITES } from '../conformance/cases.js'
import type { Content } from '../server/content.js'
import { RangeServer } from '../server/server.js'
import { CHUNKS, chunkBytes, headers } from './large.js'

/** `wasm/target/tests`, where `tsc` puts the tests. */
const BUILT = fileURLToPath(new URL('../../', import.meta.url))
const PACKAGE = process.env['RECASK_WASM_PACKAGE'] ?? fileURLToPath(new URL('../../../../pkg/', import.meta.url))

const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Recask</title>
<link rel="icon" href="data:,">
<input type="file" webkitdirectory>
<script type="module" src="/built/tests/browser/page.js"></script>
`

export class Site {
  readonly #server: RangeServer

  private constructor(server: RangeServer) {
    this.#server = server
  }

  /** `isolated`: with the headers that threads need. */
  static async start(isolated: boolean): Promise<Site> {
    const server = await RangeServer.start({ isolated })
    const text = (content: string) => new TextEncoder().encode(content)
    server.put('/page.html', text(PAGE))
    await putFolder(server, '/built', BUILT)
    await putFolder(server, '/pkg', PACKAGE)
    await Promise.all(SUITES.map(async (name) => server.put(`/cases/${name}.json`, text(await suite(`${name}.json`)))))
    const golden = await goldenFiles()
    server.put('/golden.bin', packed(golden))
    for (const [path, content] of golden) {
      server.put(`/golden/${path}`, content)
      server.put(`/listed/${path}`, content)
    }
    for (const [folder, listing] of listings(golden)) {
      server.put(`/listed/${folder}/recask.json`, text(JSON.stringify(listing)))
    }
    putLarge(server)
    return new Site(server)
  }

  /** The whole address of a path. */
  address(path: string): string {
    return this.#server.origin + path
  }

  /** How many requests arrived for paths that begin so. */
  requests(prefix = '/'): number {
    return this.#server.log.filter(({ path }) => path.startsWith(prefix)).length
  }

  stop(): Promise<void> {
    return this.#server.close()
  }
}

async function putFolder(server: RangeServer, path: string, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name)
    server.put(`${path}/${file.slice(folder.length).replaceAll('\\', '/').replace(/^\/+/, '')}`, await readFile(file))
  }
}

/** What `recask index` would write into every golden folder, if it took damaged stores too. */
function listings(golden: readonly (readonly [path: string, content: Uint8Array])[]): Map<string, object> {
  const folders = new Map<string, [name: string, size: number][]>()
  for (const [path, { length }] of golden) {
    const slash = path.lastIndexOf('/')
    const [folder, name] = [path.slice(0, slash), path.slice(slash + 1)]
    folders.set(folder, [...(folders.get(folder) ?? []), [name, length]])
  }
  return new Map(Array.from(folders, ([folder, files]) => [folder, { format: 1, streams: streamsOf(files) }]))
}

const IN_A_STORE = /^(store\.zr|meta\.zr|dict\.zr|recask\.journal|\d+\.(loc|chunk))$/

function streamsOf(files: readonly (readonly [name: string, size: number])[]): object[] {
  const tables = files.filter(([name]) => name.endsWith('.cstore'))
  const store = files.filter(([name]) => IN_A_STORE.test(name))
  const streams = tables.map(([name, size]) => {
    return { name: name.slice(0, -'.cstore'.length), kind: 'table', path: name, files: { [name]: size } }
  })
  return store.length === 0 ? streams : [...streams, { name: 'data', kind: 'dense', path: '.', files: Object.fromEntries(store) }]
}

function putLarge(server: RangeServer): void {
  for (const [name, content] of Object.entries(headers())) {
    server.put(`/large/${name}`, content)
  }
  for (const [chunk, size] of CHUNKS.entries()) {
    const content: Content = { size, read: (start, end) => chunkBytes(chunk, start, end) }
    server.put(`/large/${chunk}.chunk`, content)
  }
}
