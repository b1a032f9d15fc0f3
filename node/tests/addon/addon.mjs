/** The addon of this checkout, and places for its stores. */

import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const triples = { linux: 'gnu', win32: 'msvc' }
const abi = triples[process.platform] ? `-${triples[process.platform]}` : ''
const built = fileURLToPath(new URL(`../../recask.${process.platform}-${process.arch}${abi}.node`, import.meta.url))

/** Where it is; `RECASK_NATIVE` is another. */
export const file = process.env.RECASK_NATIVE ?? built
export const addon = createRequire(import.meta.url)(file)

export const golden = fileURLToPath(new URL('../../../tests/golden/zrecord/', import.meta.url))

/** A folder that is gone when the test is over. */
export function folder(test) {
  const path = mkdtempSync(join(tmpdir(), 'recask-addon-'))
  test.after(() => rmSync(path, { recursive: true, force: true }))
  return (name) => join(path, name)
}

/** What `assert.throws` and `assert.rejects` are to find. */
export function code(expected) {
  return (error) => {
    const [, json] = /^recask:(\{.*\})$/.exec(error.message) ?? []
    if (json === undefined) throw new Error(`this is no error of Recask: ${error.message}`, { cause: error })
    const found = JSON.parse(json).code
    if (found !== expected) throw new Error(`the code is ${found}, not ${expected}: ${error.message}`)
    return true
  }
}

export function list(...numbers) {
  return Float64Array.from(numbers)
}

/** All records. */
export const ALL = [undefined, undefined, 1]

/** A writer with `records` records of `width` bytes; record `i` has the bytes `i + at`. */
export function filled(path, records, width, codec = 'raw') {
  const store = addon.createStoreSync(path, { kind: 'dense', dtype: 'uint8', itemShape: list(width), codec })
  store.appendDenseSync(values(0, records, width))
  return store
}

export function values(first, records, width) {
  const bytes = new Uint8Array(records * width)
  for (let record = 0; record < records; record++) {
    for (let at = 0; at < width; at++) bytes[record * width + at] = first + record + at
  }
  return bytes
}

/** Until the engine gave back what it collected. */
export async function collected(isDone) {
  for (let round = 0; round < 200 && !isDone(); round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return isDone()
}
