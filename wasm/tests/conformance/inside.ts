/** What the package for browsers shows to tests alone. */

import type { Selection } from '../../ts/interface.js'
import type { RawStore, RawTable } from '../../ts/raw.js'
import type { Inside } from './door.js'

/** Modules of the package that are not exported. */
export interface Modules {
  readonly module: typeof import('../../ts/module.js')
  readonly store: typeof import('../../ts/store.js')
  readonly selection: typeof import('../../ts/selection.js')
}

export function insideOf({ module, store, selection }: Modules): Inside {
  return {
    identityHex: (opened) => rawOf<RawStore>(store.Store.handleOf(opened)).identityHex,
    recordRows(table, record) {
      const raw = rawOf<RawTable>(selection.Selection.handleOf(table))
      const [start, stop] = module.enter(() => raw.recordRows(record)) ?? []
      if (start === undefined || stop === undefined) {
        throw new Error(`the table has no record ${record}`)
      }
      return [start, stop]
    },
    writeSelection: (writer, rows) => (writer as Writing).writeSelection(rows),
    readState: (text) => module.enter((raw) => raw.readState(text)),
  }
}

type Writing = { writeSelection(rows: Selection): Promise<void> } & Parameters<Inside['writeSelection']>[0]

function rawOf<Raw>(handle: { readonly raw: unknown } | undefined): Raw {
  if (handle === undefined) {
    throw new Error('this is not of the package')
  }
  return handle.raw as Raw
}
