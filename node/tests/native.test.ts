/** Everything that waits, through the addon. */

import { dense } from './both/dense.js'
import { disposal } from './both/disposal.js'
import { files } from './both/files.js'
import { loaders } from './both/loaders.js'
import { ragged } from './both/ragged.js'
import { records } from './both/records.js'
import { tables } from './both/tables.js'
import { writable } from './both/writable.js'
import * as recask from 'recask'

for (const suite of [dense, ragged, records, writable, tables, loaders, files, disposal]) suite({ recask, isNative: true })
