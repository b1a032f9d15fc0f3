/** Whoever has the same rows. */

import { type ColumnName, COLUMNS, FILTER, type Question } from '../cases.js'

export type Column = BigInt64Array | Float64Array | Float32Array | Int16Array

export interface TablePeer {
  readonly name: string
  /** The columns of an answer; `most` is how many rows it has at most. */
  ask(question: Question, most: number): readonly Column[] | Promise<readonly Column[]>
  close(): void | Promise<void>
}

export function columnsFor(names: readonly string[], rows: number): Column[] {
  return names.map((name) => new COLUMNS[name as ColumnName](rows))
}

/** The filter in JavaScript, over columns that were read as a whole. */
export function filtered(read: Readonly<Record<string, Column>>, wanted: readonly string[]): Column[] {
  const energy = read['energy'] as Float64Array
  const pt = read['pt'] as Float32Array
  const rows = new Uint32Array(energy.length)
  let count = 0
  for (let row = 0; row < energy.length; row += 1) {
    if (energy[row]! < FILTER.energyBelow && pt[row]! > FILTER.ptAbove) {
      rows[count] = row
      count += 1
    }
  }
  const columns = columnsFor(wanted, count)
  wanted.forEach((name, at) => take(read[name]!, rows, columns[at]!))
  return columns
}

/** Columns that a filter needs beside those that are wanted. */
export function needed({ columns, isFiltered }: Question): readonly string[] {
  return isFiltered ? [...new Set([...columns, 'energy', 'pt'])] : columns
}

function take(from: Column, rows: Uint32Array, to: Column): void {
  for (let at = 0; at < to.length; at += 1) to[at] = from[rows[at]!]!
}
