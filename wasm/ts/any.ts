import { DenseStore } from './dense.js'
import { invalid, RecaskError } from './errors.js'
import { listed } from './files.js'
import { init } from './init.js'
import type { Dataset, Options } from './interface.js'
import { placeOf } from './place.js'
import { RaggedStore } from './ragged.js'
import type { Listing, Source } from './source/source.js'
import { openHere } from './store.js'
import { Table } from './table.js'

export interface AnyOptions extends Options {
  /**
   * The stores and tables in a folder, for hosts that list none: `['images', 'labels', 'flights.cstore']`. A table is the file of
   * this name; its stream goes by the name without the ending.
   */
  readonly streams?: readonly string[] | undefined
}

type Stream = DenseStore | RaggedStore | Table
const TABLE = '.cstore'

/**
 * Finds what is at a place and opens it for reading: a store, a table, or a folder of them, down to the last folder in it. A
 * folder over HTTP has to have a listing, the file `recask.json` that `recask index` writes; or else `streams` are named.
 *
 * ```js
 * const found = await openAny(fromUrl('https://example.org/digits/'))
 * if (found.kind === 'folder') console.log(Object.keys(found.streams))
 * ```
 */
export async function openAny(source: Source, options: AnyOptions = {}): Promise<Dataset> {
  await init()
  const place = placeOf(source)
  if (options.streams) return folderOf(place, options.streams.map((name) => named(place, name)), options)
  if (place.kind === 'file') return { kind: 'table', table: await Table.at([place], options) }
  const listing = await listed(place, options, true)
  if (!listing) return unlisted(place, options)
  if (isStore(listing)) return { kind: 'store', store: await storeAt(place, options) }
  const found = await walk(place, '', listing, options)
  if (found.length > 0) return folderOf(place, found, options)
  throw new RecaskError('store_not_found', `there is neither a store nor a table in ${place.name}`, { place: place.name })
}

/** A stream that was found, or named. */
interface Found {
  readonly name: string
  readonly place: Source
}

function named(folder: Source, name: string): Found {
  if (!name.endsWith(TABLE)) return { name, place: folder.folder(name) }
  return { name: name.slice(0, -TABLE.length), place: folder.file(name) }
}

async function unlisted(place: Source, options: Options): Promise<Dataset> {
  try {
    return { kind: 'store', store: await storeAt(place, options) }
  } catch (error) {
    if (!(error instanceof RecaskError) || error.code !== 'store_not_found') throw error
    const message =
      `there is no store at ${place.name}, and no listing of a folder: write recask.json with recask index, or name the streams`
    throw new RecaskError(error.code, message, { place: place.name }, { cause: error })
  }
}

function isStore({ files }: Listing): boolean {
  return files.has('store.zr') || files.has('meta.zr')
}

async function walk(folder: Source, path: string, { files, folders }: Listing, options: Options): Promise<Found[]> {
  const found: Found[] = []
  for (const file of files.keys()) {
    if (file.endsWith(TABLE)) found.push({ ...named(folder, file), name: path + file.slice(0, -TABLE.length) })
  }
  for (const name of folders) {
    const place = folder.folder(name)
    const listing = await listed(place, options, true)
    if (!listing) continue
    if (isStore(listing)) found.push({ name: path + name, place })
    else found.push(...(await walk(place, `${path}${name}/`, listing, options)))
  }
  return found
}

/** Opens all of them, or none. */
async function folderOf(folder: Source, found: readonly Found[], options: Options): Promise<Dataset> {
  const names = new Set(found.map(({ name }) => name))
  if (names.size < found.length) throw invalid(`two streams of ${folder.name} have the same name`)
  const opened = await Promise.allSettled(found.map(({ place }) => streamAt(place, options)))
  const failed = opened.find((one) => one.status === 'rejected')
  if (failed) {
    await Promise.all(opened.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)))
    throw failed.reason
  }
  const streams = opened.flatMap((one, at) => (one.status === 'fulfilled' ? [[found[at]!.name, one.value] as const] : []))
  return { kind: 'folder', streams: Object.fromEntries(streams) }
}

function streamAt(place: Source, options: Options): Promise<Stream> {
  return place.kind === 'file' ? Table.at([place], options) : storeAt(place, options)
}

async function storeAt(place: Source, options: Options): Promise<DenseStore | RaggedStore> {
  const handle = await openHere(place, options)
  return handle.ask((raw) => raw.kind) === 'dense' ? DenseStore.of(handle) : RaggedStore.of(handle)
}
