//! What the tests of losses share: streams in memory that can be damaged while they are open, and what a feed must deliver
//! of them.

use std::collections::BTreeSet;

use recask_core::codec::Codec;
use recask_core::dtype::DType;
use recask_core::format::zrecord::Entry;
use recask_core::loader::{Batch, Feed, Loss, OnLoss, Stream, StreamBatch};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
use recask_core::table::Selection;
use recask_core::{Code, Error, Sampler, Table};

use crate::engine::random::Random;
use crate::engine::{Handle, Kind, Setup};
use crate::laid_out::assemble;

pub(crate) type Memory = MemoryEnvironment;

/// One record: its extents and its bytes.
pub(crate) type Value = (Vec<u64>, Vec<u8>);

/// A stream, the places where its files are, and what it holds.
pub(crate) struct Scene {
    pub(crate) stream: Stream<Memory>,
    pub(crate) places: Vec<MemoryPlace>,
    pub(crate) truth: Vec<Value>,
}

pub(crate) fn file(place: &MemoryPlace, id: FileId) -> impl StorageFile + use<> {
    place.storage().unwrap().open(id, OpenMode::ReadWrite).unwrap()
}

pub(crate) fn cut(place: &MemoryPlace, id: FileId, len: u64) {
    file(place, id).set_len(len).unwrap();
}

pub(crate) fn overwrite(place: &MemoryPlace, id: FileId, at: u64, bytes: &[u8]) {
    file(place, id).write_all_at(at, bytes).unwrap();
}

/// The kinds of stores, each as large as the format allows and with so small chunks and segments that there are many.
pub(crate) fn setups() -> Vec<Setup> {
    let mut setups = Vec::new();
    for kind in [Kind::Dense(40), Kind::Ragged] {
        for codec in [Codec::raw(), Codec::zstd()] {
            setups.push(Setup::new(kind, codec.clone()));
            setups.push(Setup::new(kind, codec).tiny());
        }
    }
    setups
}

/// A store that is open for reading.
pub(crate) fn store(setup: &Setup, records: u64, seed: u64) -> Scene {
    let place = MemoryPlace::new();
    let records = setup.records(&mut Random::new(seed), records);
    let mut writer: Handle<Memory> = setup.create(place.clone()).unwrap();
    writer.append(&records).unwrap();
    drop(writer);
    let stream = match setup.open(place.clone()).unwrap() {
        Handle::Dense(store) => Stream::from(store),
        Handle::Ragged(store) => Stream::from(store),
    };
    let truth = records.into_iter().map(|record| (record.shape, record.bytes)).collect();
    Scene { stream, places: vec![place], truth }
}

/// A copy of a store as it is now.
pub(crate) struct Snapshot {
    files: Vec<(String, Vec<u8>)>,
    setup: Setup,
}

impl Snapshot {
    pub(crate) fn of(setup: &Setup, scene: &Scene) -> Self {
        Snapshot { files: scene.places[0].storage().unwrap().files(), setup: setup.clone() }
    }

    pub(crate) fn len(&self, id: FileId) -> u64 {
        self.files.iter().find(|(name, _)| *name == id.to_string()).unwrap().1.len() as u64
    }

    /// The table entry of a physical record, and where it ends in its file.
    pub(crate) fn entry(&self, physical: u64) -> (Entry, FileId, u64) {
        let (segment, at) = self.setup.geometry.slot(physical).unwrap();
        let name = FileId::Loc(segment).to_string();
        let bytes = &self.files.iter().find(|(found, _)| *found == name).unwrap().1;
        let entry = Entry::nth(bytes, usize::try_from(at).unwrap() / 16).unwrap();
        (entry, FileId::Loc(segment), at + 16)
    }

    /// The physical records of a record.
    pub(crate) fn physical(&self, record: u64) -> Vec<u64> {
        match self.setup.kind {
            Kind::Dense(_) => vec![record],
            Kind::Ragged => vec![2 * record, 2 * record + 1],
        }
    }

    /// The files that there are, headers left out.
    pub(crate) fn ids(&self) -> Vec<FileId> {
        let ids = self.files.iter().filter_map(|(name, _)| FileId::from_name(name));
        ids.filter(|id| matches!(id, FileId::Loc(_) | FileId::Chunk(_))).collect()
    }

    /// What a handle that is opened now reads, record by record.
    pub(crate) fn read(&self, records: u64) -> Vec<Option<Value>> {
        let place = MemoryPlace::holding(&MemoryStorage::from_files(self.files.clone()));
        let handle: Handle<Memory> = self.setup.open(place).unwrap();
        let read = |record| {
            let mut found = handle.gather([record]).ok()?;
            found.pop().map(|record| (record.shape, record.bytes))
        };
        (0..records).map(read).collect()
    }

    /// Whether a record of this layout needs bytes behind the new end of a file.
    pub(crate) fn needs(&self, record: u64, id: FileId, len: u64) -> bool {
        self.physical(record).into_iter().any(|physical| {
            let (entry, segment, end) = self.entry(physical);
            let is_raw = self.setup.codec.kind() == recask_core::format::zrecord::CodecKind::Raw;
            let stored = if is_raw { entry.decoded } else { entry.stored };
            (segment == id && end > len)
                || (FileId::Chunk(entry.chunk) == id && u64::from(entry.offset) + u64::from(stored) > len)
        })
    }
}

/// Widths of the columns `id`, `level`, `tag`; `level` is not in the byte order of any machine here.
const WIDTHS: [u64; 3] = [8, 2, 3];
pub(crate) const NAMES: [&str; 3] = ["id", "level", "tag"];

fn columns() -> [(&'static str, DType); 3] {
    let dtypes = ["<u8", ">i2", "|S3"].map(|text| DType::parse(text).unwrap());
    let [id, level, tag] = dtypes;
    [(NAMES[0], id), (NAMES[1], level), (NAMES[2], tag)]
}

/// The value of a column as it is in the file.
fn stored(column: usize, row: u64) -> Vec<u8> {
    let row = u16::try_from(row).unwrap();
    match column {
        0 => (u64::from(row) * 0x0101_0101_0101).to_le_bytes().to_vec(),
        1 => (1000 + row).to_be_bytes().to_vec(),
        _ => format!("t{row:02}").into_bytes(),
    }
}

/// A column of a row, as a reader sees it.
fn seen(column: usize, row: u64) -> Vec<u8> {
    let mut value = stored(column, row);
    if column == 1 && cfg!(target_endian = "little") {
        value.reverse();
    }
    value
}

/// One file of a table: the rows of each record.
#[derive(Clone, Debug)]
pub(crate) struct TableFile(pub(crate) Vec<u64>);

impl TableFile {
    fn bytes(&self, mut first: u64) -> Vec<u8> {
        let mut records = Vec::new();
        for &rows in &self.0 {
            let column = |column| (first..first + rows).flat_map(|row| stored(column, row)).collect();
            records.push((rows, (0..3).map(column).collect()));
            first += rows;
        }
        assemble(&columns(), &records)
    }

    pub(crate) fn rows(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Where the value of a column ends in the file.
    pub(crate) fn end_of(&self, mut row: u64, column: usize) -> u64 {
        let mut at = assemble(&columns(), &[]).len() as u64;
        for &rows in &self.0 {
            at += 32;
            if row < rows {
                let before: u64 = WIDTHS[..column].iter().sum();
                return at + rows * before + (row + 1) * WIDTHS[column];
            }
            row -= rows;
            at += (rows * WIDTHS.iter().sum::<u64>()).next_multiple_of(8);
        }
        panic!("the file has fewer rows");
    }
}

/// A selection of a table of these files.
pub(crate) fn table(
    files: &[TableFile],
    columns: &[usize],
    select: impl FnOnce(Selection<Memory>) -> Selection<Memory>,
) -> Scene {
    let mut first = 0;
    let mut places = Vec::new();
    for file in files {
        let bytes = file.bytes(first);
        places.push(MemoryPlace::holding(&MemoryStorage::from_files([("table.cstore".into(), bytes)])));
        first += file.rows();
    }
    let table = Table::<Memory>::open_all(places.clone()).unwrap();
    let rows = select(table.select(columns.iter().map(|&column| NAMES[column])).unwrap());
    let value = |row| (Vec::new(), columns.iter().flat_map(|&column| seen(column, row)).collect());
    let truth = rows.row_numbers().unwrap().into_iter().map(value).collect();
    Scene { stream: Stream::from(rows), places, truth }
}

/// The records of one stream of a batch.
pub(crate) fn values(batch: &Batch, name: &str) -> Vec<Value> {
    match batch.stream(name).unwrap() {
        StreamBatch::Dense(dense) => (0..dense.len())
            .map(|i| (dense.shape()[1..].to_vec(), dense.record(i).unwrap().to_vec()))
            .collect(),
        StreamBatch::Ragged(ragged) => {
            ragged.records().map(|record| (record.shape.to_vec(), record.bytes.to_vec())).collect()
        }
        StreamBatch::Table(columns) => {
            let row = |row| {
                let value = |column: &recask_core::table::ColumnData| {
                    let width = usize::try_from(column.dtype().itemsize()).unwrap();
                    column.as_bytes()[row * width..][..width].to_vec()
                };
                (Vec::new(), columns.iter().flat_map(value).collect())
            };
            assert!(columns.iter().all(|column| column.len() == columns.rows()));
            (0..columns.rows()).map(row).collect()
        }
    }
}

/// Some indices of a list, in order and once each.
fn once(indices: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut seen = BTreeSet::new();
    indices.into_iter().filter(|&index| seen.insert(index)).collect()
}

/// What a batch without a lost record comes to where losses are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// It is delivered.
    Delivered,
    /// It fails too, for the file at fault is touched, and the error names the first lost record of the stream.
    Refused,
    /// One or the other, and the error names any record that is lost, of the batch if there is one.
    Either,
}

/// Reads all of a damaged stream under every policy. `expected` has `None` for what is lost.
pub(crate) fn check(stream: &Stream<Memory>, expected: &[Option<Value>], others: Others, context: &str) {
    let len = expected.len() as u64;
    let lost = |&index: &u64| expected[usize::try_from(index).unwrap()].is_none();
    let first_lost = (0..len).find(lost);
    let samplers = [
        Sampler::sequential(len, 4).build().unwrap(),
        // Larger than the stream: some records come twice in a batch.
        Sampler::iid(len, len + 3).seed(len).build().unwrap(),
    ];
    for sampler in samplers {
        let feed = Feed::new([("some", stream.clone())], sampler).unwrap();
        let mut batch = feed.new_batch();
        for step in 0..len.div_ceil(4) {
            let context = format!("{context}, step {step} of {:?}", feed.sampler().mode());
            let indices = feed.sampler().at(step).unwrap();
            let lost_here = once(indices.iter().copied().filter(lost));
            let left: Vec<u64> = indices.iter().copied().filter(|index| !lost(index)).collect();
            let wanted = || left.iter().map(|&i| expected[usize::try_from(i).unwrap()].clone().unwrap());
            for on_loss in [OnLoss::SkipRecords, OnLoss::SkipSteps] {
                let context = format!("{context}, {on_loss:?}");
                let mut losses = Vec::new();
                feed.draw(step, None, &mut batch).unwrap();
                let filled = feed.fill_surviving(step, on_loss, &mut batch, &mut losses).unwrap();
                let is_whole = lost_here.is_empty();
                assert_eq!(
                    filled,
                    is_whole || (on_loss == OnLoss::SkipRecords && !left.is_empty()),
                    "{context}"
                );
                if filled {
                    assert_eq!((batch.step(), batch.indices()), (step, &left[..]), "{context}");
                    assert_eq!(values(&batch, "some"), wanted().collect::<Vec<_>>(), "{context}");
                }
                check_losses(&losses, step, &lost_here, &context);
            }
            feed.draw(step, None, &mut batch).unwrap();
            match feed.fill_surviving(step, OnLoss::Fail, &mut batch, &mut Vec::new()) {
                Ok(filled) => {
                    assert!(
                        filled && lost_here.is_empty() && others != Others::Refused,
                        "{context}: delivered"
                    );
                    assert_eq!(values(&batch, "some"), wanted().collect::<Vec<_>>(), "{context}");
                }
                Err(error) => {
                    check_error(&error, step, &context);
                    let record = error.record();
                    if others == Others::Either {
                        let is_lost =
                            |record| lost_here.contains(&record) || (lost_here.is_empty() && lost(&record));
                        assert!(record.is_some_and(is_lost), "{context}: {error}");
                    } else {
                        assert!(others != Others::Delivered || !lost_here.is_empty(), "{context}: {error}");
                        assert_eq!(record, lost_here.first().copied().or(first_lost), "{context}: {error}");
                    }
                }
            }
        }
    }
}

fn check_losses(losses: &[Loss], step: u64, lost: &[u64], context: &str) {
    assert_eq!(losses.iter().map(|loss| loss.record).collect::<Vec<_>>(), lost, "{context}");
    for loss in losses {
        assert_eq!((loss.step, loss.stream.as_str()), (step, "some"), "{context}");
        assert_eq!(loss.error.record(), Some(loss.record), "{context}: {}", loss.error);
        check_error(&loss.error, step, context);
    }
}

/// An error about data that names everything.
fn check_error(error: &Error, step: u64, context: &str) {
    let codes = [Code::TruncatedFile, Code::CorruptEntry, Code::CorruptRecord];
    assert!(codes.contains(&error.code()), "{context}: {error:?}");
    assert_eq!((error.stream(), error.step()), (Some("some"), Some(step)), "{context}: {error}");
    assert!(error.offset().is_some(), "{context}: {error}");
    assert!(error.file().is_some() || error.place().is_some(), "{context}: {error}");
}
