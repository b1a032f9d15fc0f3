/** The golden stores and tables of the repository. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { TypedArray } from 'recask-wasm'

export const GOLDEN = new URL('../../../../../tests/golden/', import.meta.url)

export interface GoldenStore {
  readonly name: string
  readonly path: string
  readonly kind: 'dense' | 'ragged'
  readonly dtype: string
  readonly codec: string
  readonly records: number
  readonly item_shape?: readonly number[]
  readonly shapes?: readonly (readonly number[])[]
  readonly sha256_all: string
  readonly stats: { records: number; live_bytes: number; chunk_bytes: number; reclaimable: number }
}

export const stores = (JSON.parse(readFileSync(new URL('zrecord/manifest.json', GOLDEN), 'utf8')) as { stores: GoldenStore[] }).stores

/** The files of a store under their names. */
export function filesOf(store: string): Map<string, Uint8Array> {
  const folder = new URL(`zrecord/stores/${store}/`, GOLDEN)
  return new Map(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]))
}

/** One file under its name. */
export function tableFile(name: string): Map<string, Uint8Array> {
  return new Map([[name, new Uint8Array(readFileSync(new URL(`cstore/${name}`, GOLDEN)))]])
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The bytes of values as a store of this type has them: the package gives numbers in little-endian order. */
export function storedBytes(data: TypedArray, dtype: string): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
  const [, kind, size] = /^>([a-z])(\d+)/.exec(dtype) ?? []
  if (kind === undefined) return bytes
  for (let at = 0; at < bytes.length; at += Number(size)) bytes.subarray(at, at + Number(size)).reverse()
  return bytes
}
