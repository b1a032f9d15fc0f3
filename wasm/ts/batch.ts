import { columnOf } from './columns.js'
import { elementOf, valuesOf } from './element.js'
import { RecaskError } from './errors.js'
import type * as Interface from './interface.js'
import type { Batch, ColumnData, DenseBatch } from './interface.js'
import { RaggedBatch } from './packed.js'
import type { RawBatch, RawStreamBatch } from './raw.js'

/** Rows of a table. */
export class TableBatch implements Interface.TableBatch {
  readonly kind = 'table'

  /** @internal */
  constructor(
    readonly columns: readonly ColumnData[],
    readonly length: number,
  ) {}

  /** Throws where there is no column of this name. */
  column(name: string): ColumnData {
    const column = this.columns.find((one) => one.name === name)
    if (column) return column
    throw new RecaskError('column_not_found', `the batch has no column '${name}'`)
  }
}

export function batchOf(step: bigint, { indices, streams }: RawBatch): Batch {
  return { step, indices, streams: Object.fromEntries(streams.map((stream) => [stream.name, streamOf(stream)])) }
}

function streamOf(stream: RawStreamBatch): DenseBatch | RaggedBatch | TableBatch {
  if (stream.kind === 'table') return new TableBatch(stream.columns.map(columnOf), stream.length)
  const element = elementOf(stream.dtype)
  if (stream.kind === 'ragged') return new RaggedBatch(stream, element)
  return { kind: 'dense', data: valuesOf(stream.bytes, element), shape: Array.from(stream.shape), dtype: element.dtype }
}
