/** The lines of a run as tables in Markdown. */

import type { Line, Runtime } from './result.js'

const TITLES: Readonly<Record<Exclude<Runtime, 'native'>, string>> = { node: 'Node.js', chromium: 'Chromium, in a worker' }

/** Ratios are of times: above 1, Recask is faster. */
export function tables(lines: readonly Line[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  return (['node', 'chromium'] as const)
    .filter((runtime) => lines.some((line) => line.runtime === runtime))
    .map((runtime) => {
      const all = new Lines(lines, runtime)
      const stores = names.filter((name) => name.startsWith('gather/')).flatMap((name) => storeRows(all, name))
      const rows = names.filter((name) => name.startsWith('table/')).flatMap((name) => tableRows(all, name))
      const texts = [`### ${TITLES[runtime]}`, markdown(STORES, stores), markdown(TABLES, rows)]
      return texts.filter((text) => text !== '').join('\n\n')
    })
    .join('\n\n')
}

const STORES = [
  'benchmark',
  'median',
  'MB/s',
  'of native, 1 thread',
  'of a copy',
  'against @bokuweb/zstd-wasm',
  'against fzstd',
  '2 threads',
  'of native, 2 threads',
]
const PARQUET = ['none', 'snappy', 'zstd']
const PEERS = ['hyparquet', 'parquet-wasm'].flatMap((peer) => PARQUET.map((compression) => ({ peer, compression })))
const TABLES = ['benchmark', 'median', 'MB/s', ...PEERS.map(({ peer, compression }) => `against ${peer}, ${compression}`), '2 threads']

class Lines {
  readonly #lines: readonly Line[]
  readonly #runtime: Runtime

  constructor(lines: readonly Line[], runtime: Runtime) {
    this.#lines = lines
    this.#runtime = runtime
  }

  find(name: string, subject: string, threads = 1, runtime = this.#runtime): Line | undefined {
    return this.#lines.find((line) => {
      return line.name === name && line.subject === subject && line.threads === threads && line.runtime === runtime
    })
  }
}

function storeRows(all: Lines, name: string): string[][] {
  // What is read from elsewhere is compared with the same program: it has the records in memory, too.
  const inMemory = name.replace(/\/(opfs|http)$/, '')
  return ['recask', 'recask into'].flatMap((subject) => {
    const one = all.find(name, subject)
    if (!one) {
      return []
    }
    const two = all.find(name, subject, 2)
    const against = (peer: string) => ratio(all.find(inMemory, peer), one)
    return [
      [
        subject === 'recask' ? name : `${name}, into`,
        ...speed(one),
        ratio(all.find(inMemory, 'recask', 1, 'native'), one),
        against('copy'),
        against('@bokuweb/zstd-wasm'),
        against('fzstd'),
        ratio(one, two),
        ratio(all.find(inMemory, 'recask', 2, 'native'), two),
      ],
    ]
  })
}

function tableRows(all: Lines, name: string): string[][] {
  const one = all.find(name, 'recask')
  if (!one) {
    return []
  }
  const against = PEERS.map(({ peer, compression }) => ratio(all.find(name, `${peer} ${compression}`), one))
  return [[name, ...speed(one), ...against, ratio(one, all.find(name, 'recask', 2))]]
}

function speed({ seconds, bytes }: Line): string[] {
  return [`${(seconds * 1000).toFixed(2)} ms`, (bytes / seconds / 1e6).toFixed(0)]
}

/** How many times as long the other took. */
function ratio(other: Line | undefined, mine: Line | undefined): string {
  return other && mine ? `${(other.seconds / mine.seconds).toFixed(2)} x` : '-'
}

function markdown(head: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) {
    return ''
  }
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
