import type { Inside } from '../../../wasm/tests/conformance/door.js'
import { addon } from '../../ts/addon.js'
import { at } from '../../ts/call.js'
import type { Selection, TableWriter } from '../../ts/index.js'
import { Store } from '../../ts/store.js'
import { Table } from '../../ts/table.js'

/** What the package shows to tests alone. */
export const inside: Inside = {
  identityHex(store) {
    const raw = Store.rawOf(store)
    if (!raw) throw new Error('this is not of the package')
    return raw.identityHex
  },
  recordRows(table, record) {
    const [start, stop] = at(() => Table.rawOf(table as Table).recordRows(record)) ?? []
    if (start === undefined || stop === undefined) throw new Error(`the table has no record ${record}`)
    return [start, stop]
  },
  writeSelection: (writer, rows) => (writer as TableWriter).writeSelection(rows as Selection),
  readState: (text) => at(() => addon().readState(text)),
}
