/** The lines of a run as tables in Markdown. */

import type { Line } from './job.js'

const WAYS = ['gather', 'gather, released', 'gatherInto', 'gatherInto, other memory', 'gatherSync', 'gatherSync, released', 'gatherIntoSync']
const PEERS = ['fs.readSync', 'fs.read', 'lmdb', 'better-sqlite3', 'apache-arrow']
const TABLE_WAYS = ['columns', 'columns, released', 'columnsSync', 'columnsSync, released']
const TABLE_PEERS = ['apache-arrow', 'apache-arrow in memory', 'hyparquet none', 'hyparquet snappy', 'hyparquet zstd', 'better-sqlite3']

/** Of Rust: its throughput. Ratios to peers are of times: above 1, Recask is faster. */
export function tables(lines: readonly Line[]): string {
  return [
    markdown(['benchmark', 'median', 'MB/s', 'of Rust', ...PEERS.map(against)], rowsOf(lines, 'gather/', WAYS, PEERS, true)),
    markdown(['benchmark', 'median', 'MB/s', ...TABLE_PEERS.map(against)], rowsOf(lines, 'table/', TABLE_WAYS, TABLE_PEERS, false)),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
}

function rowsOf(lines: readonly Line[], prefix: string, ways: readonly string[], peers: readonly string[], withRust: boolean): string[][] {
  const names = [...new Set(lines.map(({ name }) => name))].filter((name) => name.startsWith(prefix))
  return names.flatMap((name) => {
    const ofName = lines.filter((line) => line.name === name)
    const find = (subject: string) => ofName.find((line) => line.subject === subject && line.runtime === 'node')
    const rust = ofName.find(({ runtime }) => runtime === 'native')
    return ways.flatMap((way) => {
      const line = find(way)
      if (!line) return []
      const { seconds, bytes } = line
      const ofRust = withRust ? [rust ? (rust.seconds / seconds).toFixed(2) : '-'] : []
      const speed = [`${(seconds * 1000).toFixed(3)} ms`, (bytes / seconds / 1e6).toFixed(0)]
      return [[`${name.slice(prefix.length)}, ${way}`, ...speed, ...ofRust, ...peers.map((peer) => ratio(find(peer), line))]]
    })
  })
}

function against(peer: string): string {
  return `against ${peer}`
}

/** How many times as long the other took. */
function ratio(other: Line | undefined, mine: Line): string {
  return other ? `${(other.seconds / mine.seconds).toFixed(2)} x` : '-'
}

function markdown(head: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
