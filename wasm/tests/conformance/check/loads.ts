/** Cases of loaders: the batches of single steps. */

import type { Batch, DenseStore, LoaderOptions, Mode, RaggedStore, Selection, Table } from '../../../ts/interface.js'
import { sha256, storedBytes } from '../bytes.js'
import type { LoadBatch, LoadCase, LoadStream, LostRecord, Run, StreamValues } from '../cases.js'
import { indexOf } from '../cases.js'
import type { Door } from '../door.js'
import { compared, digits, same, settle, Skipped } from '../settle.js'
import { openAs } from './reads.js'
import { column, shown } from './tables.js'

type Stream = DenseStore | RaggedStore | Table | Selection
export type Streams = Readonly<Record<string, Stream>>

/** Behind it there is no step. */
const LAST = 2n ** 64n - 1n

export async function loaded<Place>(door: Door<Place>, test: LoadCase): Promise<void> {
  if (door.endsBeforeLast !== undefined && test.steps.some((step) => BigInt(step) === LAST)) {
    throw new Skipped(door.endsBeforeLast)
  }
  await withStreams(door, test.streams, (open) =>
    settle(
      async () => {
        const streams = await open()
        return test.on_loss === undefined ? seeking(door, streams, test) : stepByStep(door, streams, test)
      },
      test.expect,
      (found, wanted) => {
        same('batches', found.batches, wanted.batches.map((batch) => batch && ordered(batch)))
        same('losses', sorted(found.losses), sorted(wanted.losses ?? []))
      },
    ),
  )
}

interface Found {
  readonly batches: (Seen | undefined | null)[]
  readonly losses: LostRecord[]
}

/** One loader that is built once, and seeks where a step does not follow the one before. */
async function seeking<Place>(door: Door<Place>, streams: Streams, test: LoadCase): Promise<Found> {
  const [first = 0] = test.steps
  const loader = new door.recask.Loader(streams, { ...orderOf(test), step: BigInt(first) })
  try {
    const batches: Seen[] = []
    let next = BigInt(first)
    for (const step of test.steps.map(BigInt)) {
      if (step !== next) {
        await loader.seek(step)
      }
      const batch = await loader.next()
      same('step', batch?.step, step)
      batches.push(await seen(batch!, streams))
      next = step + 1n
    }
    return { batches, losses: [] }
  } finally {
    await loader.close()
  }
}

/** A loader for each step, that ends behind it: where a step is left out, the next one would come. */
async function stepByStep<Place>(door: Door<Place>, streams: Streams, test: LoadCase): Promise<Found> {
  const found: Found = { batches: [], losses: [] }
  for (const step of test.steps.map(BigInt)) {
    const onLost: LoaderOptions['onLost'] = (loss) => {
      found.losses.push({ step: loss.step.toString(), stream: loss.stream, record: loss.record!, code: loss.code })
    }
    const options = { ...orderOf(test), onLoss: test.on_loss, onLost, step, end: step + 1n }
    const loader = new door.recask.Loader(streams, options)
    try {
      const batch = await loader.next()
      found.batches.push(batch === undefined ? null : await seen(batch, streams))
    } finally {
      await loader.close()
    }
  }
  return found
}

export function orderOf({ mode, batch, seed, rank = 0, world = 1 }: Run): LoaderOptions {
  return { mode: mode as Mode, batch, seed: BigInt(seed), rank, world }
}

/** Gives something the streams of a case to open, and closes them afterwards. */
export async function withStreams<Place>(
  door: Door<Place>,
  streams: readonly LoadStream[],
  work: (open: () => Promise<Streams>) => Promise<void>,
): Promise<void> {
  if (new Set(streams.map(({ name }) => name)).size < streams.length) {
    throw new Skipped('an object has one property of a name')
  }
  const opened: { close(): Promise<void> }[] = []
  try {
    await work(async () => {
      const entries: [string, Stream][] = []
      for (const stream of streams) {
        entries.push([stream.name, await open(door, stream, opened)])
      }
      return Object.fromEntries(entries)
    })
  } finally {
    await Promise.all(opened.map((each) => each.close()))
  }
}

async function open<Place>(
  door: Door<Place>,
  stream: LoadStream,
  opened: { close(): Promise<void> }[],
): Promise<Stream> {
  if ('store' in stream) {
    const store = await openAs(door, await door.original(stream.store), stream.kind, {})
    opened.push(store)
    return store
  }
  const table = await door.recask.Table.open(await door.originalTable(stream.table))
  opened.push(table)
  const columns = stream.columns === undefined ? table : table.select(stream.columns)
  return stream.index === undefined ? columns : columns.rows(indexOf(stream.index))
}

/** A batch as cases describe it. */
interface Seen {
  readonly indices: readonly string[]
  readonly streams: readonly StreamValues[]
}

async function seen({ indices, streams }: Batch, sources: Streams): Promise<Seen> {
  const values = Object.entries(streams).map(async ([name, batch]): Promise<StreamValues> => {
    const source = sources[name]!
    const dtype = 'dtype' in source ? source.dtype : ''
    switch (batch.kind) {
      case 'dense':
        return { name, sha256: await sha256(storedBytes(batch.data, dtype)), shape: batch.shape }
      case 'ragged': {
        const shapes = Array.from({ length: batch.length }, (_, at) => batch.record(at).shape)
        return { name, sha256: await sha256(storedBytes(batch.data, dtype)), offsets: [...batch.offsets], shapes }
      }
      case 'table':
        return { name, rows: batch.length, columns: await Promise.all(batch.columns.map(shown)) }
    }
  })
  return { indices: digits(indices), streams: await Promise.all(values) }
}

/** What is expected, with its fields in the order of {@link seen}. */
function ordered({ indices, streams }: LoadBatch): Seen {
  const values = streams.map((values): StreamValues => {
    const { name } = values
    if ('columns' in values) {
      return { name, rows: values.rows, columns: values.columns.map(column) }
    }
    const { sha256: digest } = values
    return 'offsets' in values
      ? { name, sha256: digest, offsets: values.offsets, shapes: values.shapes }
      : { name, sha256: digest, shape: values.shape }
  })
  return { indices: digits(indices), streams: values }
}

function sorted(losses: readonly LostRecord[]): LostRecord[] {
  return losses
    .map(({ step, stream, record, code }) => ({ step: step.toString(), stream, record, code }))
    .sort(
      (left, right) =>
        Number(BigInt(left.step) - BigInt(right.step)) ||
        compared(left.stream, right.stream) ||
        left.record - right.record,
    )
}
