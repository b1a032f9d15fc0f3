import { stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { RecaskError } from '../../../wasm/ts/errors.js'
import type { NativeDataset, NativeFound } from '../native.js'
import { folderAt } from './disk_folder.js'
import type { RecaskWasm } from './module.js'

/** Finds what is at a path, as the addon does. */
export async function datasetAt(recask: RecaskWasm, path: string, signal: AbortSignal | undefined): Promise<NativeDataset> {
  const status = await stat(path).catch(() => undefined)
  if (!status) throw new RecaskError('store_not_found', `there is nothing at ${path}`, { place: path })
  if (status.isFile()) return { kind: 'table', streams: [{ name: basename(path, extname(path)), path, kind: 'table' }] }
  const found = await recask.openAny(folderAt(path), signal && { signal })
  switch (found.kind) {
    case 'store':
      await found.store.close()
      return { kind: 'store', streams: [{ name: basename(path), path, kind: found.store.kind }] }
    case 'table':
      await found.table.close()
      return { kind: 'table', streams: [{ name: basename(path), path, kind: 'table' }] }
    case 'folder': {
      const streams = Object.entries(found.streams).map(([name, { kind }]): NativeFound => {
        return { name, path: join(path, kind === 'table' ? `${name}.cstore` : name), kind }
      })
      await Promise.all(Object.values(found.streams).map((stream) => stream.close()))
      return { kind: 'folder', streams }
    }
  }
}
