/** Whoever has the same records. */

import type { Decoder } from './zstd.js'

/** Memory for a batch: the values of the records one after the other, and where they begin. Used again in every round. */
export interface Target {
  readonly bytes: Uint8Array
  readonly offsets: Float64Array
}

export interface Peer {
  readonly name: string
  /** Reads records into the memory. */
  fill(records: readonly number[], target: Target): void | Promise<void>
  close(): void | Promise<void>
}

/** One that brings a record at a time. A view is enough, until the next one is asked for. */
export function oneByOne(name: string, get: (record: number) => Uint8Array, decoder: Decoder | undefined, close: () => void): Peer {
  return {
    name,
    fill(records, { bytes, offsets }) {
      let end = 0
      for (let at = 0; at < records.length; at += 1) {
        const stored = get(records[at]!)
        const record = decoder ? decoder.decodeSync(stored) : stored
        bytes.set(record, end)
        end += record.length
        offsets[at + 1] = end
      }
    },
    close,
  }
}
