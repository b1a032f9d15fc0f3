/** Decoders of zstd that npm has. */

import * as bokuweb from '@bokuweb/zstd-wasm'
import * as fzstd from 'fzstd'

import type { Surroundings } from '../surroundings.js'

/** Decodes a frame. */
export type Decode = (frame: Uint8Array) => Uint8Array

export async function decoders({ zstdModule }: Surroundings, dictionary?: Uint8Array): Promise<Record<string, Decode>> {
  // The declarations are those of Node.js, where it takes no address.
  await (bokuweb.init as (address?: string) => Promise<void>)(zstdModule)
  if (dictionary) {
    // fzstd knows no dictionaries.
    const context = bokuweb.createDCtx()
    return { '@bokuweb/zstd-wasm': (frame) => bokuweb.decompressUsingDict(context, frame, dictionary) }
  }
  return {
    '@bokuweb/zstd-wasm': (frame) => bokuweb.decompress(frame),
    // It takes an array for the result, but compares it with a number, for which all of it becomes a text: 20 ms for 256 KiB.
    fzstd: (frame) => fzstd.decompress(frame),
  }
}
