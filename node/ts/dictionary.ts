import type { LongOptions } from '../../wasm/ts/interface.js'
import { packSamples } from '../../wasm/ts/samples.js'
import { addon } from './addon.js'
import { at, watched } from './call.js'
import { optionsOf } from './given.js'

/** How large a dictionary may become: 32 KiB, 128 KiB or 1 MiB. */
export type Tier = 'fast' | 'balanced' | 'max'

/**
 * Trains a dictionary for `zstd_dict` from samples, of which there should be some hundred.
 *
 * ```js
 * const dictionary = await trainDict(texts.map((text) => new TextEncoder().encode(text)))
 * const store = await RaggedStore.create('texts', { dtype: 'uint8', codec: 'zstd_dict', dictionary })
 * ```
 */
export async function trainDict(
  samples: readonly Uint8Array[],
  options: LongOptions & { readonly tier?: Tier } = {},
): Promise<Uint8Array> {
  const { bytes, sizes } = packSamples(samples)
  const { tier = 'balanced' } = optionsOf(options)
  return watched(options, (...watch) => addon().trainDictionary(bytes, sizes, tier, ...watch))
}

export function trainDictSync(samples: readonly Uint8Array[], options: { readonly tier?: Tier } = {}): Uint8Array {
  const { bytes, sizes } = packSamples(samples)
  return at(() => addon().trainDictionarySync(bytes, sizes, optionsOf(options).tier ?? 'balanced'))
}
