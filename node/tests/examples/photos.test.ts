import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { RaggedStore, Table } from 'recask'
import { nowhere } from '../support/place.js'
import { printed, required } from './script.js'

interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}
const { encode, decode } = required('jpeg-js') as {
  encode(picture: Picture, quality: number): { readonly data: Buffer }
  decode(bytes: Uint8Array): Picture
}

function jpeg(width: number, height: number): Buffer {
  const data = Uint8Array.from({ length: width * height * 4 }, (_, at) => (at * 7) % 256)
  return encode({ width, height, data }, 80).data
}

/** As cameras write it: with a segment before the frame that has what looks like markers in it. */
function withApplicationData(bytes: Buffer): Buffer {
  const segment = Buffer.from([0xff, 0xe1, 0, 12, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 0])
  return Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)])
}

describe('photos.js', () => {
  it('stores the bytes of JPEGs beside their names and sizes, and leaves out what is none', async () => {
    const [folder, dest] = [nowhere(), nowhere()]
    mkdirSync(join(folder, 'below'), { recursive: true })
    const files: [string, Buffer][] = [
      ['a.jpg', jpeg(40, 30)],
      ['b.JPEG', withApplicationData(jpeg(9, 300))],
      ['below/c.jpg', jpeg(17, 16)],
    ]
    const others: [string, Buffer][] = [
      ['empty.jpg', Buffer.alloc(0)],
      ['cut.jpg', files[0]![1].subarray(0, 20)],
      ['text.jpg', Buffer.from('this is no picture')],
      ['notes.txt', Buffer.from('and this is not called one')],
    ]
    for (const [name, bytes] of [...files, ...others]) writeFileSync(join(folder, name), bytes)
    const total = files.reduce((sum, [, bytes]) => sum + bytes.length, 0)
    assert.deepEqual(await printed('photos.js', folder, dest), [
      `3 photos of ${total} bytes in ${dest}, 3 left out`,
      `a.jpg: 40 x 30, ${files[0]![1].length} bytes`,
      `b.JPEG: 9 x 300, ${files[1]![1].length} bytes`,
      `below/c.jpg: 17 x 16, ${files[2]![1].length} bytes`,
      'files: ragged, 3',
      'names: table, 3',
      'sizes: table, 3',
    ])
    const store = await RaggedStore.open(join(dest, 'files'))
    const batch = await store.gather({})
    files.forEach(([, bytes], at) => assert.deepEqual(Buffer.from(batch.record(at).data as Uint8Array), bytes))
    const sizes = await Table.open(join(dest, 'sizes.cstore'))
    const decoded = files.map(([, bytes]) => decode(bytes)).map(({ width, height }) => ({ width, height }))
    assert.deepEqual(await sizes.toRows(), decoded)
    await Promise.all([store.close(), sizes.close()])
  })
})
