//! `recask head`, `recask tail` and `recask show` of a table.

use recask::{Index, Selection};

use super::{Form, Printer, TablePlace, choice};
use crate::failure::{At as _, Failure};
use crate::output::Output;

/// Which end of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    First(u64),
    Last(u64),
}

/// The rows at one end.
pub(crate) fn end(
    place: &TablePlace,
    end: End,
    columns: Option<&[String]>,
    form: Form,
    out: &mut Output,
) -> Result<(), Failure> {
    let table = place.open()?;
    let rows = match end {
        End::First(rows) => table.head(rows),
        End::Last(rows) => table.tail(rows),
    };
    print(&[choice::columns(rows, columns, place.path())?], form, out)
}

/// Chosen rows. All are looked up before the first is printed.
pub(crate) fn chosen(
    place: &TablePlace,
    indices: &[Index<'static>],
    columns: Option<&[String]>,
    form: Form,
    out: &mut Output,
) -> Result<(), Failure> {
    let table = choice::columns(place.open()?.all(), columns, place.path())?;
    let rows = |index: &Index<'static>| table.clone().rows(index.clone()).at(place.path());
    print(&indices.iter().map(rows).collect::<Result<Vec<_>, _>>()?, form, out)
}

fn print(selections: &[Selection], form: Form, out: &mut Output) -> Result<(), Failure> {
    let mut printer = Printer::new(form, out);
    selections.iter().try_for_each(|selection| printer.print(selection))?;
    Ok(printer.finish()?)
}
