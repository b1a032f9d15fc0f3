/** Cases of column tables. */

import type { ColumnData, Selection } from '../../../ts/interface.js'
import { bytesOf, isEqual, sha256 } from '../bytes.js'
import type { TableCase, TableColumn, TableContents, TableFile } from '../cases.js'
import { indexOf } from '../cases.js'
import type { Door } from '../door.js'
import { Difference, same, settle, Skipped, tried } from '../settle.js'

export async function tableRead<Place>(door: Door<Place>, test: TableCase<'table_read', TableContents>): Promise<void> {
  await unlessChanged(door, test, (place) =>
    settle(
      async () => {
        const table = await door.recask.Table.open(place)
        try {
          const selection = picked(table, test)
          const columns = await Promise.all((await selection.columns()).map(shown))
          const alone = await oneByOne(selection, columns)
          return { rows: table.length, records: table.fileRecords, columns, alone }
        } finally {
          await table.close()
        }
      },
      test.expect,
      ({ rows, records, columns, alone }, wanted) => {
        same('rows', rows, wanted.rows)
        same('records', records, wanted.records)
        if (wanted.columns !== undefined) {
          same('columns', columns, wanted.columns.map(column))
          same('columns alone', alone, wanted.columns.map(column))
        }
      },
    ),
  )
}

function picked(table: Selection, test: TableCase<'table_read', TableContents>): Selection {
  const selection = test.columns === undefined ? table : table.select(test.columns)
  return test.index === undefined ? selection : selection.rows(indexOf(test.index))
}

/** Each column on its own. Names may repeat where they were not valid: then the first one is meant. */
async function oneByOne(selection: Selection, columns: readonly TableColumn[]): Promise<TableColumn[]> {
  const alone: TableColumn[] = []
  for (const { name } of columns) {
    alone.push(await shown(await selection.column(name)))
  }
  return alone
}

export async function shown({ name, dtype, data }: ColumnData): Promise<TableColumn> {
  return { name, dtype, sha256: await sha256(bytesOf(data)) }
}

export function column({ name, dtype, sha256: digest }: TableColumn): TableColumn {
  return { name, dtype, sha256: digest }
}

export function tableUpdated<Place>(door: Door<Place>, test: TableCase<'table_update', TableFile>): Promise<void> {
  return changed(door, test, async (place) => {
    const writer = await door.recask.Table.append(place)
    await writer.close()
  })
}

export function tableCompacted<Place>(door: Door<Place>, test: TableCase<'table_compact', TableFile>): Promise<void> {
  return changed(door, test, (place) => door.recask.Table.compact(place))
}

export async function tableCopied<Place>(door: Door<Place>, test: TableCase<'table_copy', TableFile>): Promise<void> {
  mustWrite(door)
  await unlessChanged(door, test, async (place) => {
    const target = await door.noTable()
    await settle(
      () => writeAgain(door, place, target, test),
      test.expect,
      (_, wanted) => isFile(door, target, wanted),
    )
  })
}

/** The records of a table, one after the other. */
async function writeAgain<Place>(
  door: Door<Place>,
  place: Place,
  target: Place,
  { layout, statistics }: TableCase<'table_copy', TableFile>,
): Promise<void> {
  const { recask, inside } = door
  const table = await recask.Table.open(place)
  const writer = await recask.Table.create(target, { layout, statistics })
  for (let record = 0; record < table.fileRecords; record += 1) {
    const [start, stop] = inside.recordRows(table, record)
    await inside.writeSelection(writer, table.rows({ start, stop }))
  }
  await writer.close()
  await table.close()
}

/** Does something to a copy and looks at the file. */
async function changed<Place>(
  door: Door<Place>,
  test: TableCase<string, TableFile>,
  change: (place: Place) => Promise<void>,
): Promise<void> {
  mustWrite(door)
  const place = await door.table(test.table)
  const outcome = await tried(() => change(place))
  if ('error' in outcome) {
    await isGolden(door, place, test)
  }
  await settle(
    () => {
      if ('error' in outcome) {
        throw outcome.error
      }
    },
    test.expect,
    (_, wanted) => isFile(door, place, wanted),
  )
}

function mustWrite<Place>(door: Door<Place>): void {
  if (door.readOnly !== undefined) {
    throw new Skipped(door.readOnly)
  }
}

async function isFile<Place>(door: Door<Place>, place: Place, wanted: TableFile): Promise<void> {
  same('digest of the file', await sha256((await door.tableBytes(place)).slice()), wanted.sha256)
}

/** Does something that must leave the table as it is. */
async function unlessChanged<Place, T>(
  door: Door<Place>,
  test: TableCase<string, T>,
  check: (place: Place) => Promise<void>,
): Promise<void> {
  const place = await door.originalTable(test.table)
  await check(place)
  if (door.readOnly === undefined) {
    await isGolden(door, place, test)
  }
}

async function isGolden<Place, T>(door: Door<Place>, place: Place, test: TableCase<string, T>): Promise<void> {
  if (!isEqual(await door.tableBytes(place), await door.goldenTable(test.table))) {
    throw new Difference('the table was changed')
  }
}
