/** What holds for all stores, tables, samplers and loaders, where WebAssembly stands in for the addon. */

import { loaderProperties } from './both/loader_properties.js'
import { samplerProperties } from './both/sampler_properties.js'
import { storeProperties } from './both/store_properties.js'
import { tableProperties } from './both/table_properties.js'
import { load, withoutAddon } from './support/fallback.js'

process.env['RECASK_FORCE_WASM'] = '1'
const recask = await load(withoutAddon())

for (const suite of [storeProperties, tableProperties, samplerProperties, loaderProperties]) suite({ recask, isNative: false })
