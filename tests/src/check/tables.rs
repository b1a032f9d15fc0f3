//! Cases of column tables.

use recask_core::Error;
use recask_core::environment::Environment;
use recask_core::format::cstore::Layout;
use recask_core::table::{
    self, ColumnData, ColumnInput, SchemaColumn, Selection, Table, TableWriter, WriteOptions,
};

use super::{Checked, same, settle};
use crate::cases::{TableCase, TableColumn, TableContents, TableFile};
use crate::door::Door;
use crate::folder::{golden, sha256};

type PlaceOf<D> = <<D as Door>::Environment as Environment>::Place;

pub(super) fn read<D: Door>(door: &D, case: &TableCase<TableContents>) -> Checked {
    unless_changed(door, case, |place| {
        let table = Table::<D::Environment>::open(place.clone());
        let picked = table.and_then(|table| Ok((picked(&table, case)?, table)));
        settle(picked, &case.expect, |((found, selected), table), wanted| {
            same("rows", &table.len(), &wanted.rows)?;
            same("records", &table.file_records(), &wanted.records)?;
            let Some(columns) = &wanted.columns else { return Ok(()) };
            same("columns", &found, columns)?;
            one_by_one(&selected, columns)
        })
    })
}

fn picked<E: Environment>(
    table: &Table<E>,
    case: &TableCase<TableContents>,
) -> Result<(Vec<TableColumn>, Selection<E>), Error> {
    let mut selection = table.all();
    if let Some(columns) = &case.columns {
        selection = selection.select(columns)?;
    }
    if let Some(index) = &case.index {
        selection = selection.rows(index.0.clone())?;
    }
    let columns = selection.columns()?.iter().map(shown).collect();
    Ok((columns, selection))
}

pub(super) fn shown(column: &ColumnData) -> TableColumn {
    TableColumn {
        name: column.name().into(),
        dtype: column.dtype().to_string(),
        sha256: sha256(column.as_bytes()),
    }
}

/// Each column alone is what it is among all.
fn one_by_one<E: Environment>(selected: &Selection<E>, columns: &[TableColumn]) -> Checked {
    columns.iter().try_for_each(|wanted| {
        let column = selected.column(&wanted.name).map_err(|error| format!("{}: {error:?}", wanted.name))?;
        same("one column", &shown(&column), wanted)
    })
}

pub(super) fn update<D: Door>(door: &D, case: &TableCase<TableFile>) -> Checked {
    let change = |place: &PlaceOf<D>| TableWriter::<D::Environment>::update(place.clone())?.close();
    changed(door, case, change)
}

pub(super) fn compact<D: Door>(door: &D, case: &TableCase<TableFile>) -> Checked {
    changed(door, case, |place| table::compact::<D::Environment>(place.clone(), &()).map(drop))
}

pub(super) fn copy<D: Door>(door: &D, case: &TableCase<TableFile>) -> Checked {
    let layout = case.layout.as_deref().and_then(Layout::from_name).ok_or("the case has no layout")?;
    let options = WriteOptions { layout, statistics: case.statistics };
    unless_changed(door, case, |place| {
        let target = door.no_table();
        let written = Table::<D::Environment>::open(place.clone())
            .and_then(|table| write_again(&table, TableWriter::create_with(target.clone(), &options)?));
        settle(written, &case.expect, |(), wanted| is_file(door, &target, wanted))
    })
}

/// The records of a table, one after the other.
fn write_again<E: Environment>(table: &Table<E>, mut writer: TableWriter<E>) -> Result<(), Error> {
    for record in 0..table.file_records() {
        let rows = table.record_rows(record).unwrap_or_default();
        let columns = table.rows(rows)?.columns()?;
        let named = table.schema().columns().iter().map(SchemaColumn::exact_name).zip(&columns);
        let inputs: Vec<_> = named
            .map(|(name, column)| {
                let input = ColumnInput::new("", column.dtype().clone(), column.as_bytes());
                input.with_exact_name(name.clone())
            })
            .collect();
        writer.write(&inputs)?;
    }
    writer.close()
}

/// Does something to a copy and looks at the file.
fn changed<D: Door>(
    door: &D,
    case: &TableCase<TableFile>,
    change: impl Fn(&PlaceOf<D>) -> Result<(), Error>,
) -> Checked {
    let place = door.table(&golden(&case.table));
    let outcome = change(&place);
    if outcome.is_err() {
        is_golden(door, &place, case)?;
    }
    settle(outcome, &case.expect, |(), wanted| is_file(door, &place, wanted))
}

fn is_file<D: Door>(door: &D, place: &PlaceOf<D>, wanted: &TableFile) -> Checked {
    same("digest of the file", &sha256(&door.table_bytes(place)), &wanted.sha256)
}

/// Does something that must leave the table as it is.
fn unless_changed<D: Door, T>(
    door: &D,
    case: &TableCase<T>,
    check: impl FnOnce(&PlaceOf<D>) -> Checked,
) -> Checked {
    let place = door.table(&golden(&case.table));
    check(&place)?;
    is_golden(door, &place, case)
}

fn is_golden<D: Door, T>(door: &D, place: &PlaceOf<D>, case: &TableCase<T>) -> Checked {
    let golden = std::fs::read(golden(&case.table)).map_err(|error| error.to_string())?;
    if door.table_bytes(place) == golden { Ok(()) } else { Err("the table was changed".into()) }
}
