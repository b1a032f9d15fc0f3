/** Apache Arrow: a file is in memory as a whole. */

import { readFileSync, writeFileSync } from 'node:fs'
import {
  Field,
  FixedSizeBinary,
  Int32,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  type Vector,
} from 'apache-arrow'
import type { StoredRecords } from '../data/stored.js'
import { oneByOne, type Peer } from './peer.js'

export function writeArrow(path: string, records: StoredRecords): void {
  const column = records.kind === 'dense' ? bytesOf(records) : listsOf(records)
  const schema = new Schema([new Field('record', column.type)])
  const children = [column]
  const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: records.length, children }))
  writeFileSync(path, tableToIPC(new Table(schema, batch), 'file'))
}

function bytesOf(records: StoredRecords) {
  const width = records.get(0).length
  const data = new Uint8Array(width * records.length)
  for (let record = 0; record < records.length; record += 1) data.set(records.get(record), record * width)
  return makeData({ type: new FixedSizeBinary(width), length: records.length, data })
}

function listsOf(records: StoredRecords) {
  const valueOffsets = new Int32Array(records.length + 1)
  const parts: Uint8Array[] = []
  for (let record = 0; record < records.length; record += 1) {
    const part = records.get(record)
    parts.push(part)
    valueOffsets[record + 1] = valueOffsets[record]! + part.length / 4
  }
  const bytes = new Uint8Array(Buffer.concat(parts))
  const child = makeData({ type: new Int32(), length: bytes.length / 4, data: new Int32Array(bytes.buffer) })
  return makeData({ type: new List(new Field('item', child.type)), length: records.length, valueOffsets, child })
}

export function arrow(path: string): Peer {
  const table = tableFromIPC(readFileSync(path))
  const column = table.getChild('record') as Vector
  const get = (record: number) => {
    const value = column.get(record) as Uint8Array | Vector<Int32>
    if (value instanceof Uint8Array) return value
    const { buffer, byteOffset, byteLength } = value.toArray()
    return new Uint8Array(buffer, byteOffset, byteLength)
  }
  return oneByOne('apache-arrow', get, undefined, () => {})
}
