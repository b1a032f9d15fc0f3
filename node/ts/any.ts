import type { LongOptions, Options, Verification } from '../../wasm/ts/interface.js'
import { addon } from './addon.js'
import { at, watched } from './call.js'
import { DenseStore } from './dense.js'
import type { FolderVerification } from './interface.js'
import type { NativeDataset, NativeFound } from './native.js'
import { pathOf, type Place } from './place.js'
import { RaggedStore } from './ragged.js'
import { Table } from './table.js'

type Stream = DenseStore | RaggedStore | Table

/** What is at a place. */
export type Dataset =
  | { readonly kind: 'store'; readonly store: DenseStore | RaggedStore }
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'folder'; readonly streams: Readonly<Record<string, Stream>> }

/**
 * Finds what is at a place and opens it for reading: a store, a table, or a folder of them, down to the last folder in it.
 *
 * ```js
 * const found = await openAny('datasets/digits')
 * if (found.kind === 'folder') console.log(Object.keys(found.streams))
 * ```
 */
export async function openAny(place: Place, options: Options = {}): Promise<Dataset> {
  const path = pathOf(place)
  const found = await watched(options, (...watch) => addon().findDataset(path, ...watch))
  const opened = await Promise.allSettled(found.streams.map((stream) => open(stream, options)))
  const failed = opened.find((one) => one.status === 'rejected')
  const streams = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  if (!failed) return datasetOf(found, streams)
  await Promise.all(streams.map((stream) => stream.close()))
  throw failed.reason
}

export function openAnySync(place: Place): Dataset {
  const path = pathOf(place)
  const found = at(() => addon().findDatasetSync(path))
  const streams: Stream[] = []
  try {
    for (const stream of found.streams) streams.push(openSync(stream))
    return datasetOf(found, streams)
  } catch (error) {
    for (const stream of streams) stream.closeSync()
    throw error
  }
}

/**
 * Checks a store, a table, or all of them in a folder: every entry of their tables, every record. Faults of the data are part of
 * the answer; what cannot be opened is an error.
 */
export async function verify(place: Place, options: LongOptions = {}): Promise<FolderVerification> {
  const dataset = await openAny(place, options)
  const streams = Object.entries(streamsOf(dataset))
  try {
    const found: [string, Verification][] = []
    for (const [name, stream] of streams) found.push([name, await stream.verify(options)])
    return reportOf(dataset, found)
  } finally {
    await Promise.all(streams.map(([, stream]) => stream.close()))
  }
}

export function verifySync(place: Place): FolderVerification {
  const dataset = openAnySync(place)
  const streams = Object.entries(streamsOf(dataset))
  try {
    return reportOf(
      dataset,
      streams.map(([name, stream]) => [name, stream.verifySync()]),
    )
  } finally {
    for (const [, stream] of streams) stream.closeSync()
  }
}

function open({ kind, path }: NativeFound, options: Options): Promise<Stream> {
  switch (kind) {
    case 'dense':
      return DenseStore.open(path, options)
    case 'ragged':
      return RaggedStore.open(path, options)
    case 'table':
      return Table.open(path, options)
  }
}

function openSync({ kind, path }: NativeFound): Stream {
  switch (kind) {
    case 'dense':
      return DenseStore.openSync(path)
    case 'ragged':
      return RaggedStore.openSync(path)
    case 'table':
      return Table.openSync(path)
  }
}

function datasetOf({ kind, streams: found }: NativeDataset, streams: readonly Stream[]): Dataset {
  const [first] = streams
  if (kind === 'table') return { kind, table: first as Table }
  if (kind === 'store') return { kind, store: first as DenseStore | RaggedStore }
  return { kind, streams: Object.fromEntries(streams.map((stream, at) => [found[at]!.name, stream])) }
}

function streamsOf(dataset: Dataset): Readonly<Record<string, Stream>> {
  switch (dataset.kind) {
    case 'store':
      return { '': dataset.store }
    case 'table':
      return { '': dataset.table }
    case 'folder':
      return dataset.streams
  }
}

function reportOf({ kind }: Dataset, found: readonly (readonly [name: string, report: Verification])[]): FolderVerification {
  const reports = found.map(([, report]) => report)
  if (kind !== 'folder') return reports[0]!
  const sum = (count: (report: Verification) => number) => reports.reduce((all, report) => all + count(report), 0)
  return {
    ok: reports.every(({ ok }) => ok),
    records: sum(({ records }) => records),
    found: sum(({ found: faults }) => faults),
    faults: found.flatMap(([name, { faults }]) =>
      faults.map((fault) => ({ ...fault, ...(fault.file && { file: `${name}/${fault.file}` }) })),
    ),
    streams: Object.fromEntries(found),
  }
}
