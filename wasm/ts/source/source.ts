/** Where files are read from: a folder over HTTP, in a file system, or in memory; or one file, which is a table. */

import type { PreparedDirectory } from '../directory/prepared.js'
import { invalid } from '../errors.js'
import type { Need, RawModule } from '../raw.js'

/** What is directly in a folder. */
export interface Listing {
  /** Sizes in bytes by name. A source that is one file calls it `table.cstore`, as the core does. */
  readonly files: ReadonlyMap<string, number>
  readonly folders: readonly string[]
}

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  /** Parses `recask.json`. Without it there is no listing over HTTP. */
  readonly parseIndex?: RawModule['parseIndex'] | undefined
  /** The caller does not know what is here, so a listing is worth a request of its own. */
  readonly searching?: boolean | undefined
}

/** What was brought for a {@link Need}. */
export type Brought =
  | {
      readonly files: number
      readonly name: string
      readonly start: number
      /** Fewer than were asked for where the file ends. Not to be changed: they may belong to a cache, or to the caller. */
      readonly bytes: Uint8Array
      /** Of the file, where the source knows it. */
      readonly length?: number
    }
  | { readonly files: number; readonly name: string; readonly absent: true }

/** Which reads are worth being one, for `setCoalescing`: at most `gap` bytes apart, and `max` bytes as one. */
export interface Coalescing {
  readonly gap: number
  readonly max: number
}

/**
 * One folder, or one file. What it learned of its files stays true for it: where one of them changes, reading fails with
 * `source_changed`, and `reopened` gives the place as it is then.
 */
export interface Source {
  readonly kind: 'folder' | 'file'
  /** For messages. */
  readonly name: string
  readonly coalescing: Coalescing
  /** All files are in memory, and reading gives views of them: to ask for more than is needed costs nothing. */
  readonly isAtHand?: boolean
  /** All that is here; `undefined` where the source cannot tell. Nothing where the folder does not exist. */
  list(options?: ListOptions): Promise<Listing | undefined>
  /** A folder in this one; the name may have several parts, with `/` between them. */
  folder(name: string): Source
  /** A file in this folder as a source of its own. */
  file(name: string): Source
  /** The same place with nothing known of its files. Limits, cache and statistics stay shared. */
  reopened(): Source
  /**
   * Reads ranges, several at a time; the answers are in the order of the requests. A source that is one file reads it whatever
   * the requests call it. Where `start` is `end`, only the length is asked for.
   */
  read(requests: readonly Need[], signal?: AbortSignal, onBytes?: (bytes: number) => void): Promise<Brought[]>
  /** Whoever read has done so, for now or for ever: nothing stays open for the next read. */
  letGo?(): void
  /** Opens the folder for writing, where this kind of source can be written. */
  directory?(options?: { readonly create?: boolean; readonly signal?: AbortSignal }): Promise<PreparedDirectory>
}

/** The parts of a name in a folder. Refuses what could lead out of it. */
export function partsOf(name: string): string[] {
  const parts = name.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw invalid(`'${name}' is no name in a folder; give its parts with '/' between them`)
  }
  return parts
}

/** Requests by the file that they are for, as positions in the list. */
export function byFile(requests: readonly Need[]): Map<string, number[]> {
  const files = new Map<string, number[]>()
  requests.forEach(({ name }, position) => {
    const positions = files.get(name)
    if (positions) positions.push(position)
    else files.set(name, [position])
  })
  return files
}
