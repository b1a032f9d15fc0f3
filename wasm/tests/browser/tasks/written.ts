/** Writes stores and a table into the origin private file system, and hands their files over. */

import { recask } from '../package.js'
import { image, ITEM, rows, tokens } from '../samples.js'
import type { Downloaded } from '../steps/written.js'
import { filesBelow, fresh } from './opfs.js'

export async function writeForOthers(): Promise<Downloaded> {
  const { DenseStore, fromOpfs, init, RaggedStore, Table } = await recask()
  await init()
  const folder = await fresh('written')
  const place = (name: string) => fromOpfs(`written/${name}`)

  const images = await DenseStore.create(place('images'), { dtype: '|u1', itemShape: ITEM, codec: 'zstd' })
  const labels = await DenseStore.create(place('labels'), { dtype: '<f4' })
  for (let first = 0; first < 100; first += 25) {
    const numbers = Array.from({ length: 25 }, (_, at) => first + at)
    await images.append(Uint8Array.from(numbers.flatMap((number) => Array.from(image(number)))))
    await labels.append(Float32Array.from(numbers, (number) => number / 2))
  }
  // The last records take the places of those that go.
  await images.delete([3, 10])
  await labels.delete([3, 10])
  await images.compact()
  const keptImages = Array.from({ length: 98 }, (_, at) => at)
  keptImages[3] = 98
  keptImages[10] = 99
  await Promise.all([images.close(), labels.close()])

  const golden = await fetch('/golden/zrecord/stores/ragged_i32_tokens_dict/dict.zr')
  const dictionary = new Uint8Array(await golden.arrayBuffer())
  const words = await RaggedStore.create(place('tokens'), { dtype: '<i4', codec: 'zstd_dict', dictionary })
  await words.append(Array.from({ length: 60 }, (_, number) => tokens(number)))
  await words.close()
  const again = await RaggedStore.open(place('tokens'), { write: true })
  await again.append(Array.from({ length: 40 }, (_, at) => tokens(60 + at)))
  await again.close()

  const table = await Table.create(place('flights.cstore'))
  await table.write({ ...rows(0, 1000) })
  await table.commit()
  await table.write({ ...rows(1000, 500) })
  await table.close()
  const longer = await Table.append(place('flights.cstore'))
  await longer.write({ ...rows(1500, 7) })
  await longer.close()

  const files = await filesBelow(folder)
  const kept = { images: keptImages, tokens: Array.from({ length: 100 }, (_, at) => at), rows: 1507 }
  return { files: Object.fromEntries(Array.from(files, ([path, bytes]) => [path, base64(bytes)])), kept }
}

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return btoa(text)
}
