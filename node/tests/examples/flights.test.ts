import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { tableFromIPC } from 'apache-arrow'
import { Table } from 'recask'
import { nowhere } from '../support/place.js'
import { printed, shipped } from './script.js'

describe('flights.js', () => {
  it('makes a table of Parquet, and exports the rows that it looks for', async () => {
    const dest = nowhere()
    const lines = await printed('flights.js', dest, shipped('flights-20k.parquet'))
    const table = await Table.open(join(dest, 'flights.cstore'))
    const { delay, distance } = await table.object()
    await table.close()
    const late = Array.from(delay!, Number).filter((minutes, row) => minutes > 60 && Number(distance![row]) < 500)
    assert.equal(late.length, 443)
    assert.deepEqual(
      [lines[0], ...lines.slice(3)],
      [
        `20000 flights in ${join(dest, 'flights.cstore')}`,
        '443 of them, 2.2 %, were short and more than an hour late',
        `443 rows in ${join(dest, 'late.csv')}`,
        `443 rows in ${join(dest, 'late.arrow')}`,
      ],
    )
    const csv = readFileSync(join(dest, 'late.csv'), 'utf8').trimEnd().split(/\r?\n/)
    assert.equal(csv[0], 'delay,distance,time')
    assert.deepEqual(
      csv.slice(1).map((line) => Number(line.split(',')[0])),
      late,
    )
    const arrow = tableFromIPC(readFileSync(join(dest, 'late.arrow')))
    assert.deepEqual(Array.from(arrow.getChild('delay')!, Number), late)
  })

  it('takes the three million flights of npm', async () => {
    const dest = nowhere()
    const lines = await printed('flights.js', dest)
    assert.equal(lines[0], `3000000 flights in ${join(dest, 'flights.cstore')}`)
    assert.equal(lines[3], '63673 of them, 2.1 %, were short and more than an hour late')
    const arrow = tableFromIPC(readFileSync(join(dest, 'late.arrow')))
    assert.equal(arrow.numRows, 63_673)
    const [first] = arrow.toArray() as { readonly origin: string; readonly destination: string; readonly delay: bigint }[]
    assert.deepEqual([first!.origin, first!.destination, first!.delay], ['JFK', 'BOS', 105n])
  })
})
