import { init } from './init.js'
import { enter } from './module.js'
import { packSamples } from './samples.js'

/** How large a dictionary may become: 32 KiB, 128 KiB or 1 MiB. */
export type Tier = 'fast' | 'balanced' | 'max'

/**
 * Trains a dictionary for `zstd_dict` from samples, of which there should be some hundred. Takes a while, without a pause.
 *
 * ```js
 * const dictionary = await trainDict(texts.map((text) => new TextEncoder().encode(text)))
 * const store = await RaggedStore.create(place, { dtype: 'u1', codec: 'zstd_dict', dictionary })
 * ```
 */
export async function trainDict(samples: readonly Uint8Array[], options: { readonly tier?: Tier } = {}): Promise<Uint8Array> {
  await init()
  const { bytes, sizes } = packSamples(samples)
  return enter((raw) => raw.trainDictionary(bytes, sizes, options.tier ?? 'balanced'))
}
