/** A decoder for those that have none: libzstd, in Rust as well. */

import { Decoder as Native } from '@toondepauw/node-zstd'

export class Decoder {
  readonly #native = new Native()

  decodeSync(frame: Uint8Array): Uint8Array {
    return this.#native.decodeSync(bufferOf(frame))
  }

  /** On another thread. */
  decode(frame: Uint8Array): Promise<Uint8Array> {
    return this.#native.decode(bufferOf(frame))
  }
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}
