/** Names of the files of a store, and what an empty one means. */

/** Nobody else has this file open while a store is written. */
export const LOCK = 'recask.lock'
export const JOURNAL = 'recask.journal'
export const DICTIONARY = 'dict.zr'
/** The one file of a table, whatever its real name, and the one that will replace it. */
export const TABLE = 'table.cstore'
export const DRAFT = 'table.cstore.draft'

/** In a folder while files are copied there. */
export const INCOMPLETE = 'recask.incomplete'

/** What a new store begins with. */
export const CREATION: readonly string[] = [JOURNAL, 'meta.zr', '0.chunk', 'store.zr']

const NEVER_EMPTY = new Set(['store.zr', 'meta.zr', DICTIONARY, JOURNAL, TABLE, DRAFT])
const NUMBERED = /^(0|[1-9][0-9]{0,9})\.(chunk|loc)$/

/** Whether a store has files of this name. */
export function isOfStore(name: string): boolean {
  const number = NUMBERED.exec(name)?.[1]
  if (number !== undefined) {
    return Number(number) < 2 ** 32
  }
  return name === LOCK || (NEVER_EMPTY.has(name) && name !== TABLE && name !== DRAFT)
}

/** Whether a file holds payload or a part of the record table. */
export function isNumbered(name: string): boolean {
  return NUMBERED.test(name)
}

/**
 * Whether a file counts as absent, because files of its kind are never empty: it was opened ahead or was about to be
 * removed when its writer ended. `name` as the core calls it. Readers have to leave such files out, too.
 */
export function isLeftover(name: string, size: number): boolean {
  return size === 0 && NEVER_EMPTY.has(name)
}

/** What a writer of a store with these files is going to want. */
export function ahead(used: Iterable<string>): string[] {
  const names = new Set(used)
  if (!names.has('meta.zr')) {
    return []
  }
  const next = { chunk: 0, loc: 0 }
  for (const name of names) {
    const [, number, kind] = NUMBERED.exec(name) ?? []
    if (number !== undefined && (kind === 'chunk' || kind === 'loc')) {
      next[kind] = Math.max(next[kind], Number(number) + 1)
    }
  }
  return [JOURNAL, `${next.chunk}.chunk`, `${next.loc}.loc`]
}
