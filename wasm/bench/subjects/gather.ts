/** Gathers of stores, beside plain copies and the decoders of others over the same records. */

import { type Case, type Codec, storeName } from '../cases.js'
import { Frames } from '../frames.js'
import type { GatherJob, Origin } from '../job.js'
import { measure, type Work } from '../measure.js'
import { type Decode, decoders } from '../peers/zstd.js'
import type { Line } from '../result.js'
import type { Surroundings } from '../surroundings.js'
import type { DenseStore } from '../../ts/dense.js'
import type { Source } from '../../ts/source/source.js'

const NAMES: Readonly<Record<Origin, string>> = { memory: '', opfs: '/opfs', http: '/http' }
const BATCHES = 8

export async function gather(job: GatherJob, around: Surroundings): Promise<Omit<Line, 'runtime'>[]> {
  const { of, codec, origin, threads, effort } = job
  const files = await filesOf(around, of, codec)
  const place = await placeOf(origin, around, storeName(of, codec), files)
  const batches = batchesOf(around, of)
  const works = of.kind === 'dense' ? await dense(around, place, of, batches) : await ragged(around, place, batches)
  const frames = new Frames(files, of.kind)
  const isBeside = origin === 'memory' && threads === 1
  const beside = isBeside ? await besides(around, codec, frames, batches, files.get('dict.zr')) : {}
  const measured = await measure({ ...works, ...beside }, bytesOf(frames, batches), effort)
  return measured.map((each) => ({ name: `gather/${of.name}/${codec}${NAMES[origin]}`, threads, ...each }))
}

async function filesOf(around: Surroundings, of: Case, codec: Codec): Promise<Map<string, Uint8Array>> {
  const names = ['store.zr', 'meta.zr', '0.loc', '0.chunk', ...(codec === 'zstd_dict' ? ['dict.zr'] : [])]
  const read = async (name: string) => [name, await around.file(`${storeName(of, codec)}/${name}`)] as const
  return new Map(await Promise.all(names.map(read)))
}

async function placeOf(origin: Origin, around: Surroundings, folder: string, files: Map<string, Uint8Array>): Promise<Source> {
  if (origin === 'memory') {
    return around.recask.fromMemory(files)
  }
  const place = origin === 'opfs' ? await around.inOpfs?.(folder, files) : around.overHttp?.(folder)
  if (!place) {
    throw new Error(`this runtime has no ${origin}`)
  }
  return place
}

/** A shuffled order, the same for everybody. */
function batchesOf({ recask }: Surroundings, { records, batch }: Case): BigUint64Array[] {
  const sampler = new recask.Sampler({ mode: 'cyclic', length: records, batch, seed: 42 })
  return Array.from({ length: BATCHES }, (_, step) => sampler.at(step))
}

function at<T>(batches: readonly T[], round: number): T {
  return batches[round % batches.length]!
}

type Works = Record<string, Work>
type Batches = readonly BigUint64Array[]

async function dense({ recask }: Surroundings, place: Source, of: Case, batches: Batches): Promise<Works> {
  const store: DenseStore = await recask.DenseStore.open(place)
  const target = new Uint8Array(of.batch * of.recordBytes)
  return {
    recask: async (round) => void (await store.gather(at(batches, round))),
    'recask into': (round) => store.gatherInto(at(batches, round), target),
  }
}

async function ragged({ recask }: Surroundings, place: Source, batches: Batches): Promise<Works> {
  const store = await recask.RaggedStore.open(place)
  return { recask: async (round) => void (await store.gather(at(batches, round))) }
}

/** The limit of raw stores, which is a copy, or what others do with the frames of the batch. */
async function besides(
  around: Surroundings,
  codec: Codec,
  frames: Frames,
  batches: Batches,
  dictionary: Uint8Array | undefined,
): Promise<Works> {
  const records = batches.map((batch) => Array.from(batch, Number))
  if (codec === 'raw') {
    return { copy: copying(frames, records, new Uint8Array(most(frames, records))) }
  }
  const all = await decoders(around, dictionary)
  return Object.fromEntries(
    Object.entries(all).map(([name, decode]): [string, Work] => {
      check(decode, frames, records[0]![0]!)
      return [name, decoding(decode, frames, records)]
    }),
  )
}

function copying(frames: Frames, records: readonly number[][], target: Uint8Array): Work {
  return (round) => {
    let end = 0
    for (const record of at(records, round)) {
      const bytes = frames.get(record)
      target.set(bytes, end)
      end += bytes.length
    }
  }
}

/** The records stay in the arrays that a decoder brings, which is to its advantage: they are no batch yet. */
function decoding(decode: Decode, frames: Frames, records: readonly number[][]): Work {
  return (round) => {
    for (const record of at(records, round)) {
      decode(frames.get(record))
    }
  }
}

/** A decoder that fails without a word would be the fastest. */
function check(decode: Decode, frames: Frames, record: number): void {
  const decoded = decode(frames.get(record))
  if (decoded.length !== frames.size(record)) {
    throw new Error(`record ${record} is decoded to ${decoded.length} bytes, not to ${frames.size(record)}`)
  }
}

function sizeOf(frames: Frames, records: Iterable<number | bigint>): number {
  let bytes = 0
  for (const record of records) {
    bytes += frames.size(Number(record))
  }
  return bytes
}

function most(frames: Frames, batches: readonly number[][]): number {
  return Math.max(...batches.map((records) => sizeOf(frames, records)))
}

function bytesOf(frames: Frames, batches: readonly BigUint64Array[]): number {
  return Math.round(batches.reduce((sum, records) => sum + sizeOf(frames, records), 0) / batches.length)
}
