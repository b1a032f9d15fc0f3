/** Plain reads of the file of the store, at the places of its records. */

import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredRecords } from '../data/stored.js'
import type { Peer } from './peer.js'
import type { Decoder } from './zstd.js'

export function readingAtOnce(store: string, records: StoredRecords, decoder?: Decoder): Peer {
  const file = openSync(join(store, '0.chunk'), 'r')
  let frame = new Uint8Array(0)
  return {
    name: 'fs.readSync',
    fill(wanted, { bytes, offsets }) {
      let end = 0
      wanted.forEach((record, at) => {
        const { offset, stored, size } = records.entry(record)
        if (decoder) {
          if (frame.length < stored) frame = new Uint8Array(stored)
          readSync(file, frame, 0, stored, offset)
          bytes.set(decoder.decodeSync(frame.subarray(0, stored)), end)
        } else {
          readSync(file, bytes, end, stored, offset)
        }
        end += size
        offsets[at + 1] = end
      })
    },
    close: () => closeSync(file),
  }
}

/** All reads of a batch at a time, on the threads of Node.js, and so is decoding. */
export async function reading(store: string, records: StoredRecords, decoder?: Decoder): Promise<Peer> {
  const file = await open(join(store, '0.chunk'))
  return {
    name: 'fs.read',
    async fill(wanted, { bytes, offsets }) {
      let end = 0
      const reads = wanted.map(async (record, at) => {
        const { offset, stored, size } = records.entry(record)
        const start = end
        end += size
        offsets[at + 1] = end
        if (decoder) {
          const frame = new Uint8Array(stored)
          await file.read(frame, 0, stored, offset)
          bytes.set(await decoder.decode(frame), start)
        } else {
          await file.read(bytes, start, stored, offset)
        }
      })
      await Promise.all(reads)
    },
    close: () => file.close(),
  }
}
