//! `recask stats` of a table.

use std::io;

use recask::Selection;
use recask::core::table::Missing;
use serde::Serialize;
use serde_json::Value;

use super::figure::Figure;
use super::{Choice, Form, TablePlace, cell};
use crate::failure::{At as _, Failure};
use crate::grid::{Align, Grid};
use crate::interrupt;
use crate::output::{Output, count};

/// What is said about one column, figures in the form of the answer.
#[derive(Debug, Serialize)]
struct Column<T> {
    name: String,
    dtype: String,
    count: u64,
    missing: u64,
    distinct: u64,
    /// Whether `distinct` is no estimate.
    distinct_exact: bool,
    min: T,
    max: T,
    mean: T,
    std: T,
}

#[derive(Serialize)]
struct Report {
    path: String,
    kind: &'static str,
    rows: u64,
    columns: Vec<Column<Value>>,
}

const TITLES: [&str; 9] = ["column", "dtype", "count", "missing", "distinct", "min", "max", "mean", "std"];
/// Titles from here on are of numbers.
const NUMBERS: usize = 2;

pub(crate) fn run(
    place: &TablePlace,
    choice: &Choice,
    filter: Option<&str>,
    form: Form,
    out: &mut Output,
) -> Result<(), Failure> {
    let rows = choice.of(&place.open()?, filter, place.path())?.selection;
    let names: Vec<String> = rows.columns_selected().map(|column| column.name().to_owned()).collect();
    let mut columns = Vec::new();
    for name in &names {
        interrupt::check()?;
        columns.push(column(&rows, name).at(place.path())?);
    }
    match form {
        Form::Json => {
            let columns = columns.iter().map(|column| column.map(Figure::json)).collect();
            let path = place.path().display().to_string();
            out.json(&Report { path, kind: "table", rows: rows.len(), columns })?;
        }
        Form::Csv => write_csv(&columns, out)?,
        Form::People => {
            let align = |i| if i < NUMBERS { Align::Left } else { Align::Right };
            let titles = TITLES.iter().enumerate().map(|(i, title)| ((*title).to_owned(), align(i)));
            let rows: Vec<_> = columns.iter().map(Column::for_people).collect();
            Grid::new(titles).write(&rows, out)?;
        }
    }
    Ok(())
}

fn write_csv(columns: &[Column<Figure>], out: &mut Output) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    for column in columns {
        csv.serialize(column.map(|figure| figure.text(Form::Csv)))?;
    }
    csv.flush()
}

fn column(rows: &Selection, name: &str) -> recask::Result<Column<Figure>> {
    let summary = rows.summary(name, Missing::Skip)?;
    let distinct = rows.distinct(name)?;
    let column = rows.table().schema().column(name)?;
    let dtype = column.dtype();
    Ok(Column {
        name: name.to_owned(),
        dtype: column.stored_dtype().to_string(),
        count: summary.count,
        missing: summary.missing,
        distinct: distinct.count,
        distinct_exact: distinct.is_exact,
        min: Figure::extreme(summary.minimum, summary.minimum_text, dtype),
        max: Figure::extreme(summary.maximum, summary.maximum_text, dtype),
        mean: Figure::mean(summary.mean, dtype),
        std: Figure::spread(summary.deviation, dtype),
    })
}

impl<T> Column<T> {
    fn map<U>(&self, form: impl Fn(&T) -> U) -> Column<U> {
        Column {
            name: self.name.clone(),
            dtype: self.dtype.clone(),
            count: self.count,
            missing: self.missing,
            distinct: self.distinct,
            distinct_exact: self.distinct_exact,
            min: form(&self.min),
            max: form(&self.max),
            mean: form(&self.mean),
            std: form(&self.std),
        }
    }
}

impl Column<Figure> {
    /// In the order of the titles; `~` says that a number is an estimate.
    fn for_people(&self) -> Vec<String> {
        let shown = self.map(|figure| figure.text(Form::People));
        let about = if self.distinct_exact { "" } else { "~" };
        vec![
            cell::name(&self.name),
            shown.dtype,
            count(self.count),
            count(self.missing),
            format!("{about}{}", count(self.distinct)),
            shown.min,
            shown.max,
            shown.mean,
            shown.std,
        ]
    }
}
