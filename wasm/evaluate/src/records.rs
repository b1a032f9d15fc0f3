//! What was found of every record, as a table.

use std::path::Path;

use recask::core::table::{ColumnInput, RecordWriter};
use recask::{DType, Element, Native, Result, TableWriter};

use crate::classification::Options;
use crate::scores::{Judgement, Meaning};
use crate::summation::{Sum, real};

/// Which columns the table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Of a classification by the numbers of classes.
    Classes,
    /// Of a classification by scores that only order classes.
    Ranks,
    /// Of a classification by scores.
    Probabilities,
    /// Of a regression with one value in a record.
    Value,
    /// Of a regression with several.
    Values,
}

/// The file that the table becomes, if one is wanted. Dropped before [`RecordFile::close`], it is removed.
pub(crate) struct RecordFile(Option<TableWriter>);

/// Rows on their way into the file: one record of the table, so that it reads fast, in pieces.
pub(crate) struct RecordTable<'f> {
    record: Option<RecordWriter<'f, Native>>,
    columns: Vec<Column>,
}

enum Column {
    Bool(&'static str, Vec<bool>),
    Whole(&'static str, Vec<u64>),
    Real(&'static str, Vec<f64>),
}

/// One value of a row.
#[derive(Clone, Copy)]
enum Cell {
    Bool(bool),
    Whole(u64),
    Real(f64),
}

impl RecordFile {
    pub(crate) fn create(path: Option<&Path>) -> Result<Self> {
        Ok(RecordFile(path.map(TableWriter::create).transpose()?))
    }

    /// Begins the table, which will have so many rows.
    pub(crate) fn begin(&mut self, contents: Contents, rows: u64) -> Result<RecordTable<'_>> {
        let columns = contents.columns();
        let schema: Vec<_> = columns.iter().map(|column| (column.name(), column.dtype())).collect();
        let record = self.0.as_mut().map(|writer| writer.record(schema, rows)).transpose()?;
        Ok(RecordTable { record, columns })
    }

    /// Publishes the table.
    pub(crate) fn close(self) -> Result<()> {
        self.0.map_or(Ok(()), TableWriter::close)
    }
}

impl Contents {
    pub(crate) fn of_scores(options: &Options) -> Self {
        if options.scores == Meaning::Ranking { Contents::Ranks } else { Contents::Probabilities }
    }

    fn columns(self) -> Vec<Column> {
        let whole = |name| Column::Whole(name, Vec::new());
        let real = |name| Column::Real(name, Vec::new());
        let mut columns = vec![whole("record")];
        match self {
            Contents::Classes | Contents::Ranks | Contents::Probabilities => {
                columns.extend([whole("label"), whole("prediction"), Column::Bool("correct", Vec::new())]);
            }
            Contents::Value => columns.extend(["label", "prediction", "error"].map(real)),
            Contents::Values => {
                let names = ["mean_error", "mean_absolute_error", "mean_squared_error", "max_error"];
                columns.extend(names.map(real));
            }
        }
        if let Contents::Ranks | Contents::Probabilities = self {
            columns.push(whole("label_rank"));
        }
        if self == Contents::Probabilities {
            columns.extend(["confidence", "label_probability", "loss", "brier"].map(real));
        }
        columns
    }
}

impl RecordTable<'_> {
    /// A record of a classification by the numbers of classes.
    pub(crate) fn class(&mut self, record: u64, label: u64, prediction: u64) {
        self.push(
            [record, label, prediction].map(Cell::Whole).into_iter().chain([Cell::Bool(label == prediction)]),
        );
    }

    /// A record of a classification by scores.
    pub(crate) fn judgement(&mut self, record: u64, label: u64, judgement: &Judgement) {
        let correct = judgement.prediction == label;
        let probable = judgement.probable.into_iter().flat_map(|probable| {
            [probable.confidence, probable.of_label, probable.loss, probable.brier].map(Cell::Real)
        });
        let first = [record, label, judgement.prediction].map(Cell::Whole);
        let middle = [Cell::Bool(correct), Cell::Whole(judgement.before_label)];
        self.push(first.into_iter().chain(middle).chain(probable));
    }

    /// A record of a regression.
    pub(crate) fn values(&mut self, record: u64, labels: &[f64], predictions: &[f64]) {
        if let ([label], [prediction]) = (labels, predictions) {
            let values = [*label, *prediction, prediction - label].map(Cell::Real);
            return self.push([Cell::Whole(record)].into_iter().chain(values));
        }
        let [mut error, mut absolute, mut squared] = [Sum::default(); 3];
        let mut largest = 0.0f64;
        for (label, prediction) in labels.iter().zip(predictions) {
            let difference = prediction - label;
            error.add(difference);
            absolute.add(libm::fabs(difference));
            squared.add_product(difference, difference);
            largest = largest.max(libm::fabs(difference));
        }
        let [error, absolute, squared] =
            [error, absolute, squared].map(|sum| sum.total() / real(labels.len() as u64));
        let values = [error, absolute, squared, largest].map(Cell::Real);
        self.push([Cell::Whole(record)].into_iter().chain(values));
    }

    /// Writes the rows so far.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let Some(record) = &mut self.record else { return Ok(()) };
        let inputs: Vec<_> = self.columns.iter().map(Column::input).collect();
        record.write(&inputs)?;
        self.columns.iter_mut().for_each(Column::clear);
        Ok(())
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<()> {
        self.record.map_or(Ok(()), RecordWriter::finish)
    }

    fn push(&mut self, row: impl Iterator<Item = Cell>) {
        if self.record.is_some() {
            self.columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        }
    }
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Column::Bool(name, _) | Column::Whole(name, _) | Column::Real(name, _) => name,
        }
    }

    fn dtype(&self) -> DType {
        match self {
            Column::Bool(..) => bool::DTYPE,
            Column::Whole(..) => u64::DTYPE,
            Column::Real(..) => f64::DTYPE,
        }
    }

    fn input(&self) -> ColumnInput<'_> {
        match self {
            Column::Bool(name, values) => ColumnInput::of(*name, values),
            Column::Whole(name, values) => ColumnInput::of(*name, values),
            Column::Real(name, values) => ColumnInput::of(*name, values),
        }
    }

    fn push(&mut self, cell: Cell) {
        match (self, cell) {
            (Column::Bool(_, values), Cell::Bool(value)) => values.push(value),
            (Column::Whole(_, values), Cell::Whole(value)) => values.push(value),
            (Column::Real(_, values), Cell::Real(value)) => values.push(value),
            // Rows are made above, in the order of the columns.
            _ => {}
        }
    }

    fn clear(&mut self) {
        match self {
            Column::Bool(_, values) => values.clear(),
            Column::Whole(_, values) => values.clear(),
            Column::Real(_, values) => values.clear(),
        }
    }
}
