import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { type Column, columnsFor, filtered, needed, type TablePeer } from './table_peer.js'

export async function hyparquet(path: string, compression: string): Promise<TablePeer> {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  return {
    name: `hyparquet ${compression}`,
    async ask(question, all) {
      const names = needed(question)
      const { start: rowStart, stop: rowEnd } = question.rows ?? { start: 0, stop: all }
      const columns = columnsFor(names, rowEnd - rowStart)
      const read = Object.fromEntries(names.map((name, at) => [name, columns[at]!]))
      const onChunk = ({ columnName, columnData, rowStart: first, rowEnd: last }: Piece) => {
        // Whole pages, of which a part may be wanted.
        const [from, to] = [Math.max(first, rowStart), Math.min(last, rowEnd)]
        const part = from === first && to === last ? columnData : columnData.slice(from - first, to - first)
        const column = read[columnName] as { set(values: Column, at: number): void } | undefined
        column?.set(part, from - rowStart)
      }
      await parquetRead({ file, metadata, columns: [...names], rowStart, rowEnd, compressors, onChunk: onChunk as never })
      return question.isFiltered ? filtered(read, question.columns) : columns
    },
    close() {},
  }
}

interface Piece {
  readonly columnName: string
  readonly columnData: Column
  readonly rowStart: number
  readonly rowEnd: number
}
