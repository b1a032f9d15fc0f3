import { Writable } from 'node:stream'
import { counted } from '../../wasm/ts/indices.js'
import { optionsOf } from './given.js'
import type { WritableOptions } from './interface.js'

/** What a stream writes to. */
export interface Sink<Given, Packed> {
  /** Throws where one of them cannot be appended. */
  pack(records: readonly Given[]): Packed
  append(packed: Packed): Promise<void>
  sync(): Promise<void>
}

const HIGH_WATER_MARK = 256

/** While an append runs, records wait in the stream; all of them become the next one. */
export function appending<Given, Packed>(options: WritableOptions, sink: Sink<Given, Packed>): Writable {
  const { highWaterMark = HIGH_WATER_MARK, batch = Infinity } = optionsOf(options)
  counted(highWaterMark, 'highWaterMark')
  if (batch !== Infinity) counted(batch, 'batch', 1)
  const append = async (records: readonly Given[]) => {
    for (let first = 0; first < records.length; first += batch) await appendSound(records.slice(first, first + batch), sink)
  }
  return new Writable({
    objectMode: true,
    highWaterMark,
    write: (record: Given, _, done) => settle(append([record]), done),
    writev: (chunks, done) => settle(append(chunks.map(({ chunk }) => chunk as Given)), done),
    final: (done) => settle(sink.sync(), done),
  })
}

/** What comes before a record that cannot be appended was accepted. */
async function appendSound<Given, Packed>(records: readonly Given[], sink: Sink<Given, Packed>): Promise<void> {
  let packed: Packed
  try {
    packed = sink.pack(records)
  } catch (error) {
    const sound = records.slice(
      0,
      records.findIndex((record) => !isSound(record, sink)),
    )
    if (sound.length > 0) await sink.append(sink.pack(sound))
    throw error
  }
  await sink.append(packed)
}

function isSound<Given, Packed>(record: Given, sink: Sink<Given, Packed>): boolean {
  try {
    sink.pack([record])
    return true
  } catch {
    return false
  }
}

function settle(work: Promise<void>, done: (error?: Error | null) => void): void {
  work.then(
    () => done(),
    (error: Error) => done(error),
  )
}
