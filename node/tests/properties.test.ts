/** What holds for all stores, tables, samplers and loaders, through the addon. */

import { loaderProperties } from './both/loader_properties.js'
import { samplerProperties } from './both/sampler_properties.js'
import { storeProperties } from './both/store_properties.js'
import { tableProperties } from './both/table_properties.js'
import * as recask from 'recask'

for (const suite of [storeProperties, tableProperties, samplerProperties, loaderProperties]) suite({ recask, isNative: true })
