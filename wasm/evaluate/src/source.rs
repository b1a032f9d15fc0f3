//! Where labels and predictions come from, read in batches of bounded size.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recask::core::format::cstore::MAGIC;
use recask::core::loader::{Feed, Stream};
use recask::core::table::ColumnData;
use recask::{
    AnyStore, Code, DenseBatch, DenseStore, Error, Mode, RaggedBatch, RaggedStore, Result, Sampler, Selection,
};

use crate::numbers::Format;

/// The most values that a record may have.
pub const MOST_VALUES: u64 = 1 << 20;
/// What one batch of records may take, unless a single one takes more.
const BATCH_BYTES: u64 = 1 << 20;
/// What a single record may take.
const RECORD_BYTES: u64 = MOST_VALUES * 8;

/// A place of labels or predictions: a store, or columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// A folder of a store, or a table.
    pub path: PathBuf,
    /// The columns of a table, at least one; of a store none.
    pub columns: Vec<String>,
}

/// An open place.
pub(crate) struct Source {
    place: String,
    reader: Reader,
    layout: Layout,
}

/// What one record has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// One for each column of a table, one for all values of a store.
    pub(crate) formats: Vec<Format>,
    pub(crate) values: usize,
    /// Whether the values stand in a row: a record of shape `[n]`, or columns of a table.
    pub(crate) is_row: bool,
    /// Whether every record is sure to have as many values.
    pub(crate) is_fixed: bool,
}

enum Reader {
    Dense(Box<DenseStore>, DenseBatch),
    Ragged(Arc<RaggedStore>, RaggedBatch),
    Table(Selection, Vec<ColumnData>),
}

impl Source {
    pub(crate) fn open(place: &Place) -> Result<Self> {
        let shown = place.path.display().to_string();
        let opened = open(place).map_err(|error| error.at_place(shown.clone()));
        let (reader, layout) = opened?;
        Ok(Source { place: shown, reader, layout })
    }

    pub(crate) fn len(&self) -> u64 {
        match &self.reader {
            Reader::Dense(store, _) => store.len(),
            Reader::Ragged(store, _) => store.len(),
            Reader::Table(rows, _) => rows.len(),
        }
    }

    /// Of the records; of the first one, where they may differ.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The most records that a batch may have to keep within its memory.
    pub(crate) fn most_records(&self) -> Result<u64> {
        match &self.reader {
            Reader::Dense(store, _) => Ok(BATCH_BYTES / store.record_bytes().max(1)),
            Reader::Table(rows, _) => {
                let row = rows.columns_selected().map(|column| column.dtype().itemsize()).sum::<u64>();
                Ok(BATCH_BYTES / row.max(1))
            }
            Reader::Ragged(store, _) => fitting_records(store).map_err(|error| self.blame(error)),
        }
    }

    /// Reads these records.
    pub(crate) fn read(&mut self, records: &[u64]) -> Result<()> {
        let read = match &mut self.reader {
            Reader::Dense(store, batch) => store.gather_batch(records, batch),
            Reader::Ragged(store, batch) => store.gather_batch(records, batch),
            Reader::Table(rows, columns) => rows.gather_rows(records, columns),
        };
        read.map_err(|error| self.blame(error))
    }

    /// The class of a record that was read, by its position in the batch.
    pub(crate) fn class(&self, position: usize) -> Result<u64> {
        let (format, bytes) = self.values(position).next().ok_or_else(missing)?;
        format.class(bytes)
    }

    /// The numbers of a record that was read.
    pub(crate) fn numbers(&self, position: usize, out: &mut Vec<f64>) -> Result<()> {
        out.clear();
        for (format, bytes) in self.values(position) {
            out.push(format.number(bytes)?);
        }
        Ok(())
    }

    fn values(&self, position: usize) -> impl Iterator<Item = (Format, &[u8])> {
        let whole = match &self.reader {
            Reader::Dense(_, batch) => batch.record(position),
            Reader::Ragged(_, batch) => batch.record(position).map(|record| record.bytes),
            Reader::Table(..) => None,
        };
        let first = self.layout.formats.first().copied();
        let width = first.map_or(1, Format::width);
        let of_record = whole.unwrap_or_default().chunks_exact(width);
        let columns: &[ColumnData] = if let Reader::Table(_, columns) = &self.reader { columns } else { &[] };
        let of_columns = self.layout.formats.iter().zip(columns).filter_map(move |(format, column)| {
            let width = format.width();
            Some((*format, column.as_bytes().get(position * width..(position + 1) * width)?))
        });
        of_record.filter_map(move |bytes| Some((first?, bytes))).chain(of_columns)
    }

    /// Says where an error is.
    pub(crate) fn blame(&self, error: Error) -> Error {
        error.at_place(self.place.clone())
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }
}

fn open(place: &Place) -> Result<(Reader, Layout)> {
    if is_table(&place.path) {
        return open_table(place);
    }
    if let Some(column) = place.columns.first() {
        let text =
            format!("a store has no column '{column}'; give the file of a table, or leave the column out");
        return Err(Error::new(Code::InvalidArgument, text));
    }
    match AnyStore::open(place.path.as_path())? {
        AnyStore::Dense(store) => {
            let format = Format::of(store.dtype())?;
            let dims = store.item_shape().dims();
            let values = store.record_bytes() / format.width().max(1) as u64;
            let is_row = dims.len() == 1;
            let layout = Layout { formats: vec![format], values: bounded(values)?, is_row, is_fixed: true };
            let batch = DenseBatch::new(store.dtype().clone());
            Ok((Reader::Dense(Box::new(store), batch), layout))
        }
        AnyStore::Ragged(store) => open_ragged(store),
    }
}

/// The first record says how many values there are.
fn open_ragged(store: RaggedStore) -> Result<(Reader, Layout)> {
    let format = Format::of(store.dtype())?;
    let store = Arc::new(store);
    let mut values = 0;
    if !store.is_empty() {
        // Refuses records that are too large before one is read.
        fitting_records(&store)?;
        values = (store.record(0)?.as_bytes().len() / format.width().max(1)) as u64;
    }
    let layout = Layout { formats: vec![format], values: bounded(values)?, is_row: true, is_fixed: false };
    let batch = RaggedBatch::new(store.dtype().clone());
    Ok((Reader::Ragged(store, batch), layout))
}

fn open_table(place: &Place) -> Result<(Reader, Layout)> {
    let table = recask::table::open(place.path.as_path())?;
    if place.columns.is_empty() {
        let names: Vec<_> =
            table.all().columns_selected().take(20).map(|column| format!("'{}'", column.name())).collect();
        let text = format!("the column of the table is not given; some are {}", names.join(", "));
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let rows = table.select(&place.columns)?;
    let formats = rows.columns_selected().map(|column| {
        Format::of(column.dtype()).map_err(|error| {
            let text = format!("column '{}': {}", column.name(), error.message());
            Error::new(error.code(), text)
        })
    });
    let formats = formats.collect::<Result<Vec<_>>>()?;
    let values = bounded(formats.len() as u64)?;
    let layout = Layout { formats, values, is_row: values > 1, is_fixed: true };
    Ok((Reader::Table(rows, Vec::new()), layout))
}

/// How many of the largest records together keep within the memory of a batch.
fn fitting_records(store: &Arc<RaggedStore>) -> Result<u64> {
    if store.is_empty() {
        return Ok(1);
    }
    let mut records = store.len().min(1 << 16);
    loop {
        let stream = Stream::from(Arc::clone(store));
        let order = Sampler::builder(Mode::Sequential, store.len(), records).build()?;
        let bytes = Feed::new([("records", stream)], order)?.budget(0, 1)?.batch_bytes();
        if records == 1 && bytes > RECORD_BYTES {
            return Err(too_many_values());
        }
        if records == 1 || bytes <= BATCH_BYTES * 4 {
            return Ok(records);
        }
        records = records.div_ceil(4);
    }
}

fn bounded(values: u64) -> Result<usize> {
    usize::try_from(values).ok().filter(|_| values <= MOST_VALUES).ok_or_else(too_many_values)
}

fn too_many_values() -> Error {
    Error::new(
        Code::TooLarge,
        format!("a record has more than {MOST_VALUES} values, too many to be evaluated"),
    )
}

fn missing() -> Error {
    Error::new(Code::ShapeMismatch, "the record has no value")
}

/// A file is a table; so are a folder of them and a pattern, which end like one.
fn is_table(path: &Path) -> bool {
    let mut start = [0; 6];
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let is_named = path.extension().is_some_and(|extension| extension == "cstore");
    is_named || (path.is_file() && read().is_ok() && MAGIC.starts_with(&start))
}

impl Layout {
    /// Whether all values can be numbers of classes.
    pub(crate) fn is_whole(&self) -> bool {
        self.formats.iter().all(|format| format.is_whole())
    }

    /// How many values there are.
    pub(crate) fn shown(&self) -> String {
        match (self.is_fixed, self.values) {
            (false, _) => "any number of values".into(),
            (true, 1) => "one value".into(),
            (true, values) => format!("{values} values"),
        }
    }
}
