import { nameOf } from './element.js'
import { invalid } from './errors.js'

/** Samples one after the other, and how long each is. */
export function packSamples(samples: readonly Uint8Array[]): { readonly bytes: Uint8Array; readonly sizes: Float64Array } {
  if (!Array.isArray(samples)) throw invalid(`samples are a list of Uint8Array, not ${nameOf(samples)}`)
  const sizes = Float64Array.from(samples, (sample) => {
    if (sample instanceof Uint8Array) return sample.length
    throw invalid(`a sample is a Uint8Array, not ${nameOf(sample)}`)
  })
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0))
  let end = 0
  for (const sample of samples) {
    bytes.set(sample, end)
    end += sample.length
  }
  return { bytes, sizes }
}
