import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { BlockCache } from '../../ts/source/http/blocks.js'

/** The same in the plainest way: a list, the one that was used last at its end. */
class Model {
  #list: { file: string; block: number; bytes: Uint8Array }[] = []

  constructor(readonly limit: number) {}

  get(file: string, block: number): Uint8Array | undefined {
    const found = this.#list.find((one) => one.file === file && one.block === block)
    if (found) this.#list = [...this.#list.filter((one) => one !== found), found]
    return found?.bytes
  }

  put(file: string, block: number, bytes: Uint8Array): void {
    this.#list = this.#list.filter((one) => one.file !== file || one.block !== block)
    if (bytes.length > this.limit) return
    this.#list.push({ file, block, bytes })
    while (this.bytes > this.limit) this.#list.shift()
  }

  drop(file: string): void {
    this.#list = this.#list.filter((one) => one.file !== file)
  }

  get bytes(): number {
    return this.#list.reduce((sum, { bytes }) => sum + bytes.length, 0)
  }
}

const place = { file: fc.constantFrom('a', 'ab', 'b'), block: fc.nat(5) }
const command = fc.oneof(
  fc.record({ kind: fc.constant('get' as const), ...place }),
  fc.record({ kind: fc.constant('put' as const), ...place, size: fc.nat(60) }),
  fc.record({ kind: fc.constant('drop' as const), file: place.file }),
)

test('the cache of blocks does what a plain list does, and keeps to its limit', () => {
  fc.assert(
    fc.property(fc.nat(150), fc.array(command, { maxLength: 60 }), (limit, commands) => {
      const cache = new BlockCache(limit)
      const model = new Model(limit)
      for (const one of commands) {
        if (one.kind === 'get') assert.equal(cache.get(one.file, one.block), model.get(one.file, one.block))
        else if (one.kind === 'drop') (cache.drop(one.file), model.drop(one.file))
        else {
          const bytes = new Uint8Array(one.size)
          cache.put(one.file, one.block, bytes)
          model.put(one.file, one.block, bytes)
        }
        assert.equal(cache.bytes, model.bytes)
        assert.ok(cache.bytes <= limit)
      }
    }),
    { numRuns: 500 },
  )
})
