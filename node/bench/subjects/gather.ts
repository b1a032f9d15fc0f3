/** Gathers of stores, beside whoever else has the same records. */

import { join } from 'node:path'
import { DenseStore, RaggedStore, release, Sampler } from 'recask'
import { type Run, runName, storeName } from '../cases.js'
import { StoredRecords } from '../data/stored.js'
import type { GatherJob, Line } from '../job.js'
import { arrow } from '../peers/arrow.js'
import { reading, readingAtOnce } from '../peers/files.js'
import { lmdb } from '../peers/lmdb.js'
import type { Peer, Target } from '../peers/peer.js'
import { sqlite } from '../peers/sqlite.js'
import { Decoder } from '../peers/zstd.js'
import { measure, type Work } from '../turns.js'

const BATCHES = 16

export async function gather({ run, effort }: GatherJob, folder: string): Promise<Omit<Line, 'runtime' | 'threads'>[]> {
  const store = join(folder, storeName(run.of, run.codec))
  const records = await StoredRecords.places(store, run.of)
  const batches = batchesOf(run)
  const peers = await peersOf(run, store, records)
  const sizes = batches.map((batch) => batch.reduce((sum, record) => sum + records.entry(record).size, 0))
  const target = { bytes: new Uint8Array(Math.max(...sizes)), offsets: new Float64Array(run.batch + 1) }
  const { works, expected } = await recask(run, store, batches)
  for (const peer of peers) {
    await check(peer, batches[0]!, target, expected)
    works[peer.name] = (round) => peer.fill(batches[round % BATCHES]!, target)
  }
  const bytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / BATCHES)
  const measured = await measure(works, bytes, effort)
  for (const peer of peers) await peer.close()
  return measured.map((each) => ({ name: runName(run), ...each }))
}

/** A shuffled order, the same for everybody. */
function batchesOf({ of, batch }: Run): number[][] {
  const sampler = new Sampler({ mode: 'cyclic', length: of.records, batch, seed: 42 })
  return Array.from({ length: BATCHES }, (_, step) => Array.from(sampler.at(step), Number))
}

async function peersOf({ codec }: Run, store: string, records: StoredRecords): Promise<Peer[]> {
  const decoder = codec === 'raw' ? undefined : new Decoder()
  const all = [
    readingAtOnce(store, records, decoder),
    await reading(store, records, decoder),
    lmdb(`${store}.lmdb`, decoder),
    sqlite(`${store}.sqlite`, decoder),
  ]
  return decoder ? all : [...all, arrow(`${store}.arrow`)]
}

interface Subjects {
  readonly works: Record<string, Work>
  /** The bytes of the first batch. */
  readonly expected: Uint8Array
}

function recask(run: Run, place: string, batches: readonly number[][]): Promise<Subjects> {
  // As a sampler gives them.
  const indices = batches.map((batch) => BigUint64Array.from(batch, BigInt))
  const at = (round: number) => indices[round % BATCHES]!
  return run.of.kind === 'dense' ? dense(place, at) : ragged(place, at)
}

async function dense(place: string, at: (round: number) => BigUint64Array): Promise<Subjects> {
  const store = await DenseStore.open(place)
  const expected = Uint8Array.from(store.gatherSync(at(0)).data as Uint8Array)
  // Memory of Recask is written to directly; any other one from a copy, unless the call works at once.
  const lent = store.gatherSync(at(0)).data
  const own = new Uint8Array(expected.length)
  return {
    expected,
    works: {
      gather: async (round) => void (await store.gather(at(round))),
      'gather, released': async (round) => void release(await store.gather(at(round))),
      gatherSync: (round) => void store.gatherSync(at(round)),
      'gatherSync, released': (round) => void release(store.gatherSync(at(round))),
      gatherInto: (round) => store.gatherInto(at(round), lent),
      'gatherInto, other memory': (round) => store.gatherInto(at(round), own),
      gatherIntoSync: (round) => store.gatherIntoSync(at(round), own),
    },
  }
}

async function ragged(place: string, at: (round: number) => BigUint64Array): Promise<Subjects> {
  const store = await RaggedStore.open(place)
  const { buffer, byteOffset, byteLength } = store.gatherSync(at(0)).data
  return {
    expected: Uint8Array.from(new Uint8Array(buffer, byteOffset, byteLength)),
    works: {
      gather: async (round) => void (await store.gather(at(round))),
      'gather, released': async (round) => void release(await store.gather(at(round))),
      gatherSync: (round) => void store.gatherSync(at(round)),
      'gatherSync, released': (round) => void release(store.gatherSync(at(round))),
    },
  }
}

/** Whoever reads something else would be the fastest. */
async function check(peer: Peer, records: readonly number[], target: Target, expected: Uint8Array): Promise<void> {
  target.bytes.fill(0)
  await peer.fill(records, target)
  const size = target.offsets[records.length]!
  if (size !== expected.length || Buffer.compare(target.bytes.subarray(0, size), expected) !== 0) {
    throw new Error(`${peer.name} reads ${size} bytes that are not the ${expected.length} of the records`)
  }
}
