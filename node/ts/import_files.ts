import { readFile, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { glob } from 'tinyglobby'
import { dtypeOf, elementOf, nameOf } from '../../wasm/ts/element.js'
import { invalid, RecaskError } from '../../wasm/ts/errors.js'
import { counted } from '../../wasm/ts/indices.js'
import type { CreateOptions, LongOptions, RaggedRecord, TypedArray } from '../../wasm/ts/interface.js'
import { DenseStore } from './dense.js'
import { optionsOf, signalOf } from './given.js'
import { listing } from './listing.js'
import { ordered } from './ordered.js'
import { pathOf, type Place } from './place.js'
import { RaggedStore } from './ragged.js'

/** What a file becomes; nothing where it is left out. Dense stores take the values of one record. */
export type Decoded = TypedArray | RaggedRecord | undefined | null

/** Makes values of the bytes of a file. */
export type Decode = (bytes: Uint8Array, path: string) => Decoded | PromiseLike<Decoded>

export interface ImportFilesOptions extends LongOptions, Partial<CreateOptions> {
  /** Where patterns and paths start; the working directory by default. */
  readonly cwd?: Place | undefined
  /** Without it the record of a file is its bytes. */
  readonly decode?: Decode | undefined
  /** `ragged` by default: every record has its own shape. A dense store takes the shape of its first record. */
  readonly kind?: 'dense' | 'ragged' | undefined
  /** Of a dense store; makes the store dense. */
  readonly itemShape?: readonly number[] | undefined
  /** Also writes a table with the `name` and `size` of every file: the store is then `files` in the folder, the table `names.cstore`. */
  readonly names?: boolean | undefined
  /** Files that are read and decoded at a time. */
  readonly concurrency?: number | undefined
}

/** What became of the files. */
export interface ImportedFiles {
  /** The store. */
  readonly path: string
  /** The table of names and sizes, where one was asked for. */
  readonly names?: string
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly records: number
  /** Files that `decode` left out. */
  readonly skipped: number
}

/** What is held before it is appended. */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_RECORDS = 4096

/**
 * Makes a store of files, one record for each, in the order of their names. `files` is a pattern such as `images/*.jpg`,
 * several patterns, or an iterable of paths, which keeps its order. What Recask cannot parse itself is parsed by `decode`, which may
 * wait; files are read and decoded ahead. Where anything fails, what was made is removed.
 *
 * ```js
 * await importFiles('scans/*.png', 'scans', { decode: (bytes) => PNG.sync.read(Buffer.from(bytes)).data, itemShape: [64, 64, 4] })
 * ```
 */
export async function importFiles(
  files: string | readonly string[] | Iterable<Place>,
  dest: Place,
  options: ImportFilesOptions = {},
): Promise<ImportedFiles> {
  const { onProgress, decode, names = false, concurrency = Math.max(4, availableParallelism()) } = optionsOf(options)
  const signal = signalOf(options)
  counted(concurrency, 'concurrency', 1)
  if (decode !== undefined && typeof decode !== 'function') throw invalid(`decode is a function, not ${nameOf(decode)}`)
  const folder = pathOf(dest)
  const root = options.cwd === undefined ? process.cwd() : pathOf(options.cwd)
  const paths = await pathsOf(files, root, signal)
  const target = new Target(names ? join(folder, 'files') : folder, options)
  const [found, sizes]: [string[], number[]] = [[], []]
  let [done, skipped] = [0, 0]
  try {
    const one = async (path: string) => {
      signal?.throwIfAborted()
      const bytes = await readFile(resolve(root, path))
      return {
        path,
        size: bytes.length,
        record: await decoded(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length), path, decode),
      }
    }
    for await (const { path, size, record } of ordered(paths, concurrency, one)) {
      signal?.throwIfAborted()
      if (record == null) skipped += 1
      else {
        await target.add(record, path)
        found.push(path)
        sizes.push(size)
      }
      done += 1
      onProgress?.({ done, total: paths.length })
    }
    const made = await target.finish()
    const table = names ? join(folder, 'names.cstore') : undefined
    if (table !== undefined) await listing(table, found, sizes)
    return { ...made, skipped, ...(table !== undefined && { names: table }) }
  } catch (error) {
    await target.undo()
    if (names && target.wasMade) await rm(join(folder, 'names.cstore'), { force: true })
    throw explained(error)
  }
}

async function pathsOf(files: string | Iterable<Place>, cwd: string, signal: AbortSignal | undefined): Promise<string[]> {
  if (typeof files !== 'string' && typeof files?.[Symbol.iterator] !== 'function') {
    throw invalid(`files are a pattern or an iterable of paths, not ${nameOf(files)}`)
  }
  const given = typeof files === 'string' ? [files] : Array.from(files)
  const patterns = given.every((one) => typeof one === 'string') && given.some(isPattern)
  const paths = patterns
    ? (
        await glob(given as string[], { cwd, onlyFiles: true, dot: false, expandDirectories: false, ...(signal && { signal }) })
      ).sort(byName)
    : given.map(pathOf)
  if (paths.length === 0) throw new RecaskError('missing_file', `no file matches ${given.join(', ')} in ${cwd}`, { place: cwd })
  return paths
}

function isPattern(text: unknown): boolean {
  return /[*?[\]{}!()]/.test(String(text))
}

function byName(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

async function decoded(bytes: Uint8Array, path: string, decode: Decode | undefined): Promise<Decoded> {
  if (!decode) return bytes
  try {
    return await decode(bytes, path)
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new RecaskError('transform_failed', `${path} cannot be decoded: ${said}`, { file: path }, { cause: error })
  }
}

/** What the file system says of a file that is to be read. */
function explained(error: unknown): unknown {
  const { code, message, path } = error as NodeJS.ErrnoException
  if (error instanceof RecaskError || typeof code !== 'string' || path === undefined) return error
  const known: Record<string, string> = { ENOENT: 'missing_file', EACCES: 'permission_denied', EPERM: 'permission_denied' }
  return new RecaskError(known[code] ?? 'io', message, { file: path }, { cause: error })
}

/** The store that is made, once the first record says of what. */
class Target {
  readonly #path: string
  readonly #options: ImportFilesOptions
  #store: DenseStore | RaggedStore | undefined
  #waiting: RaggedRecord[] = []
  #bytes = 0

  constructor(path: string, options: ImportFilesOptions) {
    this.#path = path
    this.#options = options
  }

  get wasMade(): boolean {
    return this.#store !== undefined
  }

  async add(record: TypedArray | RaggedRecord, path: string): Promise<void> {
    const wanted = recordOf(record, path)
    this.#store ??= await this.#create(wanted)
    const { itemShape } = this.#store as Partial<DenseStore>
    if (itemShape) refuseOtherShape(wanted, record, itemShape, path)
    this.#waiting.push(wanted)
    this.#bytes += wanted.data.byteLength
    if (this.#bytes >= MOST_BYTES || this.#waiting.length >= MOST_RECORDS) await this.#append()
  }

  async finish(): Promise<Omit<ImportedFiles, 'skipped'>> {
    if (!this.#store && this.#options.dtype === undefined) {
      throw new RecaskError('invalid_argument', 'decode left out all files, so nothing says what the records are: give dtype')
    }
    this.#store ??= await this.#create({ data: new Uint8Array(), shape: [] })
    await this.#append()
    const { kind, dtype, length: records } = this.#store
    await this.#store.close()
    return { path: this.#path, kind, dtype, records }
  }

  async undo(): Promise<void> {
    if (!this.#store) return
    await this.#store.close().catch(() => {})
    await rm(this.#path, { recursive: true, force: true })
  }

  async #create({ data, shape }: RaggedRecord): Promise<DenseStore | RaggedStore> {
    const { kind, itemShape, codec, level, dictionary } = this.#options
    const dtype = this.#options.dtype ?? dtypeOf(data)
    if (dtype === undefined) throw invalid(`decode gives arrays of numbers, not ${nameOf(data)}`)
    const options = { dtype, codec, level, dictionary }
    if (kind === 'ragged' || (kind === undefined && itemShape === undefined)) return RaggedStore.create(this.#path, options)
    return DenseStore.create(this.#path, { ...options, itemShape: itemShape ?? shape })
  }

  async #append(): Promise<void> {
    const records = this.#waiting
    if (records.length === 0) return
    this.#waiting = []
    this.#bytes = 0
    const store = this.#store!
    if (store.kind === 'ragged') await store.append(records)
    else await store.append(oneAfterTheOther(records))
  }
}

function recordOf(record: unknown, path: string): RaggedRecord {
  if (ArrayBuffer.isView(record)) return { data: record as TypedArray, shape: [(record as TypedArray).length] }
  const { data, shape } = record as Partial<RaggedRecord>
  if (ArrayBuffer.isView(data) && Array.isArray(shape)) return { data, shape }
  throw new RecaskError(
    'invalid_argument',
    `decode gives an array of numbers, or { data, shape }, not ${nameOf(record)} for ${path}`,
    { file: path },
  )
}

/** Of a bare array only the number of values counts, which the store looks at. */
function refuseOtherShape({ data, shape }: RaggedRecord, given: unknown, itemShape: readonly number[], path: string): void {
  const count = itemShape.reduce((all, extent) => all * extent, 1)
  const isSame = ArrayBuffer.isView(given) ? data.length === count || count === 0 : String(shape) === String(itemShape)
  if (isSame) return
  throw new RecaskError('shape_mismatch', `${path} has the shape [${shape}], the records of the store [${itemShape}]`, {
    file: path,
  })
}

function oneAfterTheOther(records: readonly RaggedRecord[]): TypedArray {
  const [first] = records
  const [dtype, size] = [dtypeOf(first!.data), records.reduce((sum, { data }) => sum + data.length, 0)]
  const all = new (elementOf(dtype ?? '').array)(new ArrayBuffer(size * first!.data.BYTES_PER_ELEMENT), 0, size)
  let end = 0
  for (const { data } of records) {
    if (dtypeOf(data) !== dtype) {
      throw new RecaskError('dtype_mismatch', `decode gives ${nameOf(first!.data)} for one file, and ${nameOf(data)} for another`)
    }
    all.set(data as Uint8Array & Float32Array & BigInt64Array & BigUint64Array, end)
    end += data.length
  }
  return all
}
