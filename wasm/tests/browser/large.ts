/** A store of 6 GiB that is nowhere: its headers are made here, and its chunks are computed where they are read. */

export const RECORD_BYTES = 256 * 1024
export const RECORDS = 24_576
/** A chunk ends below 4 GiB: a record that would fill it to the brim goes into the next one. */
const PER_CHUNK = 2 ** 32 / RECORD_BYTES - 1

/** The files that are not chunks. */
export function headers(): Record<'store.zr' | 'meta.zr' | '0.loc', Uint8Array<ArrayBuffer>> {
  return { 'store.zr': store(), 'meta.zr': meta(), '0.loc': table() }
}

/** How long each chunk is. */
export const CHUNKS = [PER_CHUNK * RECORD_BYTES, (RECORDS - PER_CHUNK) * RECORD_BYTES]

/** Where a record lies. */
export function placeOf(record: number): { chunk: number; offset: number } {
  const chunk = Math.floor(record / PER_CHUNK)
  return { chunk, offset: (record % PER_CHUNK) * RECORD_BYTES }
}

/** Bytes of a chunk: every record begins with its number, and the rest are zeros. */
export function chunkBytes(chunk: number, start: number, end: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(end - start)
  const first = Math.floor(start / RECORD_BYTES)
  for (let at = first; at * RECORD_BYTES < end; at += 1) {
    mark(chunk * PER_CHUNK + at).forEach((byte, within) => {
      const target = at * RECORD_BYTES + within - start
      if (target >= 0 && target < bytes.length) {
        bytes[target] = byte
      }
    })
  }
  return bytes
}

/** What a record begins with. */
export function mark(record: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(record) | (0xa5n << 56n), true)
  return bytes
}

/** Where a batch of these records differs from what they hold. */
export function differences(records: readonly number[], data: Uint8Array): string[] {
  return records.flatMap((record, position) => {
    const found = data.subarray(position * RECORD_BYTES, (position + 1) * RECORD_BYTES)
    const wanted = mark(record)
    const isRight = found.every((byte, at) => byte === (wanted[at] ?? 0)) && found.length === RECORD_BYTES
    return isRight ? [] : [`record ${record} begins with ${Array.from(found.subarray(0, 8))}`]
  })
}

function store(): Uint8Array<ArrayBuffer> {
  // MessagePack of {"dtype": "|u1", "item_shape": [262144]}.
  const identity = [0x82, 0xa5, ...text('dtype'), 0xa3, ...text('|u1'), 0xaa, ...text('item_shape'), 0x91, 0xce, 0, 4, 0, 0]
  const bytes = new Uint8Array(32 + identity.length)
  bytes.set([...text('LXST'), 1, 1])
  const view = new DataView(bytes.buffer)
  view.setBigUint64(8, BigInt(RECORD_BYTES), true)
  view.setBigUint64(16, BigInt(identity.length), true)
  bytes.set(identity, 32)
  return bytes
}

function meta(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32)
  bytes.set([...text('ZREC'), 4, 0])
  const view = new DataView(bytes.buffer)
  view.setUint32(6, CHUNKS.length - 1, true)
  view.setUint32(10, CHUNKS.at(-1)!, true)
  view.setBigUint64(14, BigInt(RECORDS), true)
  return bytes
}

function table(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16 * RECORDS)
  const view = new DataView(bytes.buffer)
  for (let record = 0; record < RECORDS; record += 1) {
    const { chunk, offset } = placeOf(record)
    ;[offset, RECORD_BYTES, RECORD_BYTES, chunk].forEach((field, at) => view.setUint32(16 * record + 4 * at, field, true))
  }
  return bytes
}

function text(letters: string): number[] {
  return Array.from(letters, (letter) => letter.charCodeAt(0))
}
