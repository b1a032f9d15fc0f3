/** Values as the bytes that a store has of them, and their digests. */

import type { TypedArray } from '../../ts/interface.js'

/** SHA-256 in lower-case hexadecimal digits. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** Lower-case hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of values, little-endian. Digests do not take shared memory, so that must not be what a result is. */
export function bytesOf(values: TypedArray): Uint8Array<ArrayBuffer> {
  if (!(values.buffer instanceof ArrayBuffer)) {
    throw new Error('a result does not own its memory')
  }
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
}

/**
 * The bytes as a store of type `dtype` has them. Single numbers come little-endian whatever the store has; structures and
 * texts come as stored.
 */
export function storedBytes(values: TypedArray, dtype: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(values)
  const [, kind, size] = /^>([a-zA-Z])(\d*)/.exec(dtype) ?? []
  if (kind === undefined || kind === 'U') {
    return bytes
  }
  const width = size === undefined || kind === 'M' || kind === 'm' ? 8 : Number(size) / (kind === 'c' ? 2 : 1)
  const swapped = new Uint8Array(bytes.length)
  for (let start = 0; start < bytes.length; start += width) {
    swapped.set(bytes.slice(start, start + width).reverse(), start)
  }
  return swapped
}

/** Several arrays of bytes as one. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function isEqual(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at])
}
