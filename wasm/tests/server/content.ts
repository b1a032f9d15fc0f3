import { open, stat } from 'node:fs/promises'

/** What a server has at a path. */
export interface Content {
  readonly size: number
  read(start: number, end: number): Promise<Uint8Array> | Uint8Array
}

export function ofBytes(bytes: Uint8Array): Content {
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) }
}

/** A file of any size whose bytes follow from where they are. Eight bytes hold their own position. */
export function ofPositions(size: number): Content {
  const read = (start: number, end: number) => {
    const first = Math.floor(start / 8) * 8
    const halves = new Uint32Array(Math.ceil((end - first) / 8) * 2)
    for (let at = 0; at < halves.length; at += 2) {
      const position = first + at * 4
      halves[at] = position
      halves[at + 1] = position / 2 ** 32
    }
    return new Uint8Array(halves.buffer).subarray(start - first, end - first)
  }
  return { size, read }
}

/** Zeros but for some pieces, by where they start. */
export function sparse(size: number, pieces: ReadonlyMap<number, Uint8Array>): Content {
  const read = (start: number, end: number) => {
    const bytes = new Uint8Array(end - start)
    for (const [at, piece] of pieces) {
      const from = Math.max(at, start)
      const to = Math.min(at + piece.length, end)
      if (from < to) bytes.set(piece.subarray(from - at, to - at), from - start)
    }
    return bytes
  }
  return { size, read }
}

/** A file on the disk; `undefined` where there is none. */
export async function ofFile(path: string): Promise<Content | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  const read = async (start: number, end: number) => {
    const file = await open(path)
    try {
      const bytes = new Uint8Array(end - start)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
      return bytes.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }
  return { size: found.size, read }
}
