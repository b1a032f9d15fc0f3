/** Names of the files of a store, and what an empty one means. */

/**
 * Nobody else has this file open while a store is written. It is made before any other file is opened ahead, and goes when
 * no empty one is left: where it lies without a writer, that one was killed.
 */
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

const DRAFT_END = '.draft'
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

/** Whether files of this name have something in them as soon as they are files. `name` as the core calls it. */
export function isNeverEmpty(name: string): boolean {
  return NEVER_EMPTY.has(name)
}

/**
 * The file whose presence says that an empty file is none, but was opened ahead or was about to be removed by a writer that
 * works or was killed. Without it an empty file is a damaged one. `undefined`: files of this name may be empty. Names as in the
 * folder; readers have to leave such files out, too.
 */
export function witnessOf(name: string): string | undefined {
  return isOfStore(name) && !isNeverEmpty(name) ? undefined : lockOf(name)
}

/** The file that a writer of this file has open and nobody else, if there is a writer. */
export function lockOf(name: string): string {
  return isOfStore(name) ? LOCK : draftOf(name)
}

export function isLock(name: string): boolean {
  return name === LOCK || name.endsWith(DRAFT_END)
}

/** What will replace a table is called so. A writer of the table has it open all the time. */
export function draftOf(table: string): string {
  return table + DRAFT_END
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
