//! What a loader does where a record cannot be read: a file was cut or damaged while it is read, or before.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Batch, Feed, Stream, StreamBatch};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::store::{Lost, is_loss};

/// What to do where a record cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnLoss {
    /// The error reaches the caller, and the run ends.
    #[default]
    Fail,
    /// The records that cannot be read are left out, of every stream. A batch that has no other records is left out.
    SkipRecords,
    /// A step with such a record is left out, so that every batch keeps its size.
    SkipSteps,
}

/// A record that was left out.
#[derive(Debug)]
pub struct Loss {
    /// The step that asked for it.
    pub step: u64,
    /// The stream that lost it.
    pub stream: String,
    /// Its index in the stream.
    pub record: u64,
    /// Why it cannot be read, with file, offset, stream and step as far as they are known.
    pub error: Error,
}

impl<E: Environment> Feed<E> {
    /// As [`Feed::fill_drawn`], but where a record is lost `on_loss` decides. Says whether there is a batch; if not, the step
    /// is left out and the batch is unspecified, but for its memory.
    ///
    /// The batch's indices then are those of the records that it has. What was left out is added to `losses`, once for each
    /// record and stream. It costs nothing as long as nothing is lost.
    ///
    /// ```
    /// use recask_core::loader::{Feed, OnLoss, Stream};
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};
    /// use recask_core::{Code, DType, DenseStore, Sampler};
    ///
    /// let place = MemoryPlace::new();
    /// let mut labels = DenseStore::<MemoryEnvironment>::builder(DType::U8, ()).create(place.clone())?;
    /// labels.append(&[10u8, 11, 12, 13, 14])?;
    /// let feed = Feed::new([("label", Stream::from(labels))], Sampler::sequential(5, 5).build()?)?;
    /// let mut batch = feed.new_batch();
    ///
    /// // Somebody cuts the file in which the labels are.
    /// let storage = place.storage().unwrap();
    /// storage.open(FileId::Chunk(0), OpenMode::ReadWrite)?.set_len(3)?;
    ///
    /// let mut losses = Vec::new();
    /// feed.draw(0, None, &mut batch)?;
    /// assert!(feed.fill_surviving(0, OnLoss::SkipRecords, &mut batch, &mut losses)?);
    /// assert_eq!(batch.dense("label")?.values::<u8>()?, [10, 11, 12]);
    /// assert_eq!(losses.iter().map(|loss| loss.record).collect::<Vec<_>>(), [3, 4]);
    ///
    /// feed.draw(0, None, &mut batch)?;
    /// let error = feed.fill_surviving(0, OnLoss::Fail, &mut batch, &mut losses).unwrap_err();
    /// assert_eq!((error.code(), error.stream(), error.record()), (Code::TruncatedFile, Some("label"), Some(3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// With [`OnLoss::Fail`] those of [`Feed::fill_drawn`]; one that is about no record, as that of a file that was cut, then
    /// names the first record of the batch that is lost, or else the first of the stream. With the others, those of which the
    /// data is not the cause, such as [`Code::StoreBusy`](crate::Code::StoreBusy) and
    /// [`Code::TooLarge`](crate::Code::TooLarge).
    pub fn fill_surviving(
        &self,
        step: u64,
        on_loss: OnLoss,
        batch: &mut Batch,
        losses: &mut Vec<Loss>,
    ) -> Result<bool> {
        let error = match self.fill_drawn(step, batch) {
            Ok(()) => return Ok(true),
            Err(error) => error,
        };
        match on_loss {
            _ if !is_loss(&error) => Err(error),
            OnLoss::Fail => Err(self.name_record(step, error, batch)),
            OnLoss::SkipRecords | OnLoss::SkipSteps => {
                let failed = self.streams().position(|(name, _)| error.stream() == Some(name)).unwrap_or(0);
                self.fill_without_lost(step, on_loss, failed, batch, losses)
            }
        }
    }

    /// The error about a record that is lost, for one that names none.
    fn name_record(&self, step: u64, error: Error, batch: &mut Batch) -> Error {
        if error.record().is_some() {
            return error;
        }
        let mut streams = self.streams().zip(&mut batch.streams);
        let Some(((name, stream), values)) = streams.find(|((name, _), _)| error.stream() == Some(name))
        else {
            return error;
        };
        match stream.why_lost(&batch.indices, values) {
            Some(lost) => lost.in_stream(String::from(name)).at_step(step),
            None => error,
        }
    }

    /// Rounds, each without the records that the one before found lost: what one stream lost must go from the others too.
    /// There are two at most, unless the streams are being damaged further. `failed` is the stream that could not be read;
    /// those before it have been.
    fn fill_without_lost(
        &self,
        step: u64,
        on_loss: OnLoss,
        failed: usize,
        batch: &mut Batch,
        losses: &mut Vec<Loss>,
    ) -> Result<bool> {
        let mut noted = BTreeSet::new();
        let mut from = failed;
        loop {
            let mut gone = BTreeSet::new();
            let mut counts = alloc::vec![0; batch.streams.len()];
            let streams = self.streams().zip(&mut batch.streams).zip(&mut counts).enumerate();
            for (number, (((name, stream), values), count)) in streams.skip(from) {
                let lost = stream
                    .gather_surviving(&batch.indices, values)
                    .map_err(|error| error.in_stream(String::from(name)).at_step(step))?;
                *count = lost.len();
                for Lost { position, error } in lost {
                    let record = batch.indices[position];
                    gone.insert(record);
                    if noted.insert((number, record)) {
                        let error = error.in_stream(String::from(name)).at_step(step);
                        losses.push(Loss { step, stream: name.into(), record, error });
                    }
                }
            }
            if on_loss == OnLoss::SkipSteps && !gone.is_empty() {
                return Ok(false);
            }
            let before = batch.indices.len();
            batch.indices.retain(|record| !gone.contains(record));
            if batch.indices.is_empty() && before > 0 {
                return Ok(false);
            }
            // Each stream is without its own lost records already; it may be that these are all.
            if counts.iter().all(|&count| count == before - batch.indices.len()) {
                return Ok(true);
            }
            from = 0;
        }
    }
}

impl<E: Environment> Stream<E> {
    /// As [`Stream::gather`], without the records that are lost, which it returns in the order of `records`.
    pub(super) fn gather_surviving(&self, records: &[u64], batch: &mut StreamBatch) -> Result<Vec<Lost>> {
        let mut lost = Vec::new();
        match self.gather(records, batch) {
            Err(error) if is_loss(&error) => {}
            gathered => return gathered.map(|()| lost),
        }
        match (self, batch) {
            (Stream::Dense(store), StreamBatch::Dense(batch)) => {
                store.gather_surviving(records, batch, &mut lost)?;
            }
            (Stream::Ragged(store), StreamBatch::Ragged(batch)) => {
                store.gather_surviving(records, batch, &mut lost)?;
            }
            (Stream::Table(rows), StreamBatch::Table(batch)) => {
                rows.gather_surviving(records, &mut batch.columns, &mut lost)?;
                batch.rows = records.len() - lost.len();
            }
            // Gathering has made it a batch of this kind.
            (Stream::Dense(_) | Stream::Ragged(_) | Stream::Table(_), _) => {}
        }
        lost.sort_by_key(|lost| lost.position);
        Ok(lost)
    }

    /// Why the first of these records that is lost is lost, or else the first of the stream; `None` where none is found.
    fn why_lost(&self, records: &[u64], batch: &mut StreamBatch) -> Option<Error> {
        let lost = self.gather_surviving(records, batch).unwrap_or_default();
        match lost.into_iter().next() {
            Some(Lost { error, .. }) => Some(error),
            None => self.first_lost().ok().flatten(),
        }
    }

    /// Why the first record that is lost is lost, by structure alone.
    fn first_lost(&self) -> Result<Option<Error>> {
        match self {
            Stream::Dense(store) => store.store().first_lost(),
            Stream::Ragged(store) => store.store().first_lost(),
            Stream::Table(rows) => rows.first_lost(),
        }
    }
}
