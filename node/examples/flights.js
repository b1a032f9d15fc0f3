// Flights of a Parquet file become a table; the late ones are looked for, and exported for spreadsheets and for Arrow.
//
//     node flights.js DEST [FLIGHTS.parquet]
//
// The file has columns `delay` and `distance`. Without one it takes the three million flights of the npm package `vega-datasets`.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importParquet, Table } from 'recask'

const OF_PACKAGE = new URL('node_modules/vega-datasets/data/flights-3m.parquet', import.meta.url)
const [dest = 'flights', source = fileURLToPath(OF_PACKAGE)] = process.argv.slice(2)
await mkdir(dest, { recursive: true })
const place = join(dest, 'flights.cstore')
const rows = await importParquet(source, place, { mode: 'replace', layout: '0.5', statistics: true })
console.log(`${rows} flights in ${place}`)

const flights = await Table.open(place)
for (const { name, minimum, maximum, mean } of await flights.select(['delay', 'distance']).summaries()) {
  console.log(`${name}: ${minimum} to ${maximum}, mean ${mean.toFixed(1)}`)
}

const late = flights.filter('delay > ? AND distance < ?', [60, 500])
const count = await late.count()
console.log(`${count} of them, ${((100 * count) / rows).toFixed(1)} %, were short and more than an hour late`)
for (const name of ['late.csv', 'late.arrow']) {
  console.log(`${await late.export(join(dest, name), { replace: true })} rows in ${join(dest, name)}`)
}
await flights.close()
