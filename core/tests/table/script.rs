//! Sequences of everything that writes a table, and what a reader may find at any moment.

use recask_core::dtype::DType;
use recask_core::environment::Environment;
use recask_core::table::{ColumnInput, Table, TableWriter, WriteOptions, compact, recode};
use recask_core::{Code, Result};

#[path = "../engine/random.rs"]
#[allow(dead_code, reason = "each test uses a part of it")]
mod random;

pub(crate) use random::Random;

use super::writing::{NEWER, OLDER, WITH_STATISTICS};

/// Whether many more seeds are to be tried.
pub(crate) fn slow() -> bool {
    std::env::var_os("RECASK_SLOW").is_some()
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Creates the table, or updates it where it is there.
    Open(WriteOptions),
    Recreate(WriteOptions),
    Write {
        rows: u64,
    },
    /// One record, in pieces of so many rows.
    Pieces {
        rows: u64,
        piece: u64,
    },
    /// A record of which only a part is written.
    Unfinished,
    Commit,
    Close,
    Drop,
    Compact,
    Recode(WriteOptions),
}

/// Steps that make sense one after the other.
pub(crate) fn random(seed: u64, steps: usize) -> Vec<Step> {
    let mut random = Random::new(seed);
    let mut writing = false;
    let mut script = Vec::new();
    while script.len() < steps || writing {
        let options = [OLDER, NEWER, WITH_STATISTICS][usize::try_from(random.below(3)).unwrap()];
        let rows = [0, 1, 7, 40, 130][usize::try_from(random.below(5)).unwrap()];
        let step = match (writing, random.below(20)) {
            (false, 0..=10) => Step::Open(options),
            (false, 11..=13) => Step::Recreate(options),
            (false, 14..=16) => Step::Compact,
            (false, _) => Step::Recode(options),
            (true, 0..=7) => Step::Write { rows },
            (true, 8..=10) => Step::Pieces { rows, piece: 1 + random.below(50) },
            (true, 11) => Step::Unfinished,
            (true, 12..=14) => Step::Commit,
            (true, 15..=17) => Step::Close,
            (true, _) => Step::Drop,
        };
        writing = match step {
            Step::Open(_) | Step::Recreate(_) => true,
            Step::Close | Step::Drop => false,
            _ => writing,
        };
        script.push(step);
    }
    script
}

/// A table at a place, the writer that is at work, and what should be there. A row is told by its number.
pub(crate) struct Session<E: Environment<Place: Clone>> {
    place: E::Place,
    pub(crate) writer: Option<TableWriter<E>>,
    /// What readers see; `None` before anything was committed.
    pub(crate) committed: Option<Vec<u64>>,
    /// What they may see as well while a commit is under way.
    pub(crate) underway: Option<Vec<u64>>,
    /// What a power failure may bring back, after a commit that failed and is there all the same.
    pub(crate) before_failure: Option<Option<Vec<u64>>>,
    /// What the writer would commit, if it has written anything.
    written: Option<Vec<u64>>,
    next: u64,
}

impl<E: Environment<Place: Clone>> Session<E> {
    pub(crate) fn new(place: E::Place) -> Self {
        Session {
            place,
            writer: None,
            committed: None,
            underway: None,
            before_failure: None,
            written: None,
            next: 0,
        }
    }

    pub(crate) fn step(&mut self, step: Step) -> Result<()> {
        match step {
            Step::Open(options) => {
                let create = || TableWriter::create_with(self.place.clone(), &options);
                self.writer = Some(match &self.committed {
                    Some(_) => TableWriter::update(self.place.clone())?,
                    // What is left of a creation that failed is in the way.
                    None => create().or_else(|error| match error.code() {
                        Code::StoreExists => TableWriter::recreate_with(self.place.clone(), &options),
                        _ => Err(error),
                    })?,
                });
                self.written = None;
            }
            Step::Recreate(options) => {
                self.writer = Some(TableWriter::recreate_with(self.place.clone(), &options)?);
                self.written = None;
            }
            Step::Write { rows } => self.write(rows, |writer, columns| writer.write(columns))?,
            Step::Pieces { rows, piece } => self.write(rows, |writer, columns| {
                let mut record = writer.record(schema(), rows)?;
                let mut first = 0;
                while first < rows {
                    let end = rows.min(first + piece);
                    record.write(&columns.each_ref().map(|column| part(column, first, end)))?;
                    first = end;
                }
                record.finish()
            })?,
            Step::Unfinished => {
                let values = Columns::of(&[1, 2, 3]);
                let mut record = self.writer.as_mut().unwrap().record(schema(), 200)?;
                record.write(&values.inputs())?;
            }
            Step::Commit => self.commit()?,
            Step::Close => {
                self.commit()?;
                self.writer = None;
            }
            Step::Drop => self.writer = None,
            Step::Compact if self.committed.is_some() => drop(compact::<E>(self.place.clone(), &())?),
            Step::Recode(options) if self.committed.is_some() => {
                recode::<E>(self.place.clone(), &options, &())?;
            }
            Step::Compact | Step::Recode(_) => {}
        }
        Ok(())
    }

    fn write(
        &mut self,
        rows: u64,
        write: impl FnOnce(&mut TableWriter<E>, &[ColumnInput<'_>; 3]) -> Result<()>,
    ) -> Result<()> {
        let numbers: Vec<u64> = (self.next..self.next + rows).collect();
        let writer = self.writer.as_mut().unwrap();
        let before = writer.rows();
        let values = Columns::of(&numbers);
        if let Err(error) = write(writer, &values.inputs()) {
            assert_eq!(writer.rows(), before, "a failed write counts");
            return Err(error);
        }
        assert_eq!(writer.rows(), before + rows);
        let base = || if before == 0 { Vec::new() } else { self.committed.clone().unwrap() };
        let written = self.written.get_or_insert_with(base);
        written.extend(numbers);
        assert_eq!(written.len() as u64, before + rows);
        self.next += rows;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.underway.clone_from(&self.written);
        self.writer.as_mut().unwrap().commit()?;
        if let Some(written) = &self.written {
            self.committed = Some(written.clone());
            self.before_failure = None;
        }
        self.underway = None;
        Ok(())
    }

    /// Whether this is what readers may find.
    pub(crate) fn allows(&self, rows: &[u64]) -> bool {
        let is = |state: &Option<Vec<u64>>| state.as_ref().is_some_and(|state| state == rows);
        is(&self.committed) || is(&self.underway) || (self.committed.is_none() && rows.is_empty())
    }

    /// Takes what is there for committed, when a failure left that open.
    pub(crate) fn settle(&mut self, rows: Option<Vec<u64>>) {
        self.before_failure = Some(core::mem::replace(&mut self.committed, rows));
        self.underway = None;
    }
}

/// The columns of some rows: widths of 4, 5 and 8 bytes, so that padding and odd addresses occur.
pub(crate) struct Columns {
    ids: Vec<u32>,
    tags: Vec<u8>,
    values: Vec<f64>,
}

impl Columns {
    pub(crate) fn of(numbers: &[u64]) -> Self {
        Columns {
            ids: numbers.iter().map(|&number| u32::try_from(number).unwrap()).collect(),
            tags: numbers.iter().flat_map(|number| format!("{:05}", number % 100_000).into_bytes()).collect(),
            values: numbers
                .iter()
                .map(|&number| if number % 7 == 3 { f64::NAN } else { number as f64 * -0.5 })
                .collect(),
        }
    }

    pub(crate) fn inputs(&self) -> [ColumnInput<'_>; 3] {
        [
            ColumnInput::of("id", &self.ids),
            ColumnInput::new("tag", DType::bytes(5).unwrap(), &self.tags),
            ColumnInput::of("value", &self.values),
        ]
    }
}

fn schema() -> [(&'static str, DType); 3] {
    [("id", DType::U32), ("tag", DType::bytes(5).unwrap()), ("value", DType::F64)]
}

fn part<'a>(column: &ColumnInput<'a>, first: u64, end: u64) -> ColumnInput<'a> {
    let at = |row: u64| usize::try_from(row * column.dtype().itemsize()).unwrap();
    ColumnInput::new(column.name().to_owned(), column.dtype().clone(), &column.bytes()[at(first)..at(end)])
}

/// The numbers of all rows; every byte of every column is checked.
pub(crate) fn read<E: Environment>(table: &Table<E>) -> Vec<u64> {
    if table.is_empty() {
        return Vec::new();
    }
    let ids = table.column("id").unwrap();
    let numbers: Vec<u64> = ids.values::<u32>().unwrap().iter().map(|&id| id.into()).collect();
    let expected = Columns::of(&numbers);
    for input in expected.inputs() {
        assert!(table.column(input.name()).unwrap().as_bytes() == input.bytes(), "column {}", input.name());
    }
    numbers
}
