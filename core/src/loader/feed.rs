//! Streams that are read at the same records, in the order of a sampler.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{Batch, Stream};
use crate::environment::Environment;
use crate::error::{Code, Error, Result};
use crate::sampler::{Mode, Sampler, Steps};

/// Named streams of one length and the order in which their records come: everything that decides what a loader delivers. Cheap
/// to clone; clones share the open files.
///
/// ```
/// use recask_core::loader::{Feed, Stream};
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
/// use recask_core::{DType, DenseStore, Sampler};
///
/// let mut labels = DenseStore::<MemoryEnvironment>::builder(DType::U8, ()).create(MemoryPlace::new())?;
/// labels.append(&[10u8, 11, 12, 13, 14])?;
///
/// let feed = Feed::new([("label", Stream::from(labels))], Sampler::sequential(5, 2).build()?)?;
/// let mut batch = feed.new_batch();
/// feed.fill(1, &mut batch)?;
/// assert_eq!((batch.step(), batch.indices()), (1, &[2, 3][..]));
/// assert_eq!(batch.dense("label")?.values::<u8>()?, [12, 13]);
/// # Ok::<(), recask_core::Error>(())
/// ```
pub struct Feed<E: Environment> {
    names: Arc<[String]>,
    streams: Vec<Stream<E>>,
    sampler: Sampler,
}

impl<E: Environment> Feed<E> {
    /// Brings streams and an order together.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] without any stream, for a name that occurs twice, and for a sampler of another length;
    /// [`Code::ShapeMismatch`] where streams differ in their number of records, naming them.
    pub fn new<N: Into<String>>(
        streams: impl IntoIterator<Item = (N, Stream<E>)>,
        sampler: Sampler,
    ) -> Result<Self> {
        let (names, streams): (Vec<String>, Vec<_>) =
            streams.into_iter().map(|(name, stream)| (name.into(), stream)).unzip();
        let length = common_length(&names, &streams)?;
        if sampler.length() != length {
            let text = format!("the sampler is for {} records, the streams have {length}", sampler.length());
            return Err(Error::new(Code::InvalidArgument, text));
        }
        Ok(Feed { names: names.into(), streams, sampler })
    }

    /// The order.
    #[must_use]
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }

    /// The streams with their names.
    pub fn streams(&self) -> impl ExactSizeIterator<Item = (&str, &Stream<E>)> {
        self.names.iter().map(String::as_str).zip(&self.streams)
    }

    /// Memory for batches of this feed.
    #[must_use]
    pub fn new_batch(&self) -> Batch {
        let streams = self.streams.iter().map(Stream::new_batch).collect();
        Batch { step: 0, indices: Vec::new(), names: Arc::clone(&self.names), streams }
    }

    /// Reads the batch of a step, using the memory of an earlier one again. In [`Mode::Iid`] reaching a step costs all draws
    /// before it: keep [`Feed::draws`] and use [`Feed::fill_drawn`] there.
    ///
    /// # Errors
    /// Those of [`Feed::fill_drawn`]; [`Code::TooLarge`] for a batch that does not fit into memory.
    pub fn fill(&self, step: u64, batch: &mut Batch) -> Result<()> {
        self.draw(step, None, batch)?;
        self.fill_drawn(step, batch)
    }

    /// The running draws of a mode whose steps are only cheap one after the other; `None` where any step is.
    #[must_use]
    pub fn draws(&self) -> Option<Steps> {
        (self.sampler.mode() == Mode::Iid).then(|| self.sampler.iter())
    }

    /// Draws the records of a step, from [`Feed::draws`] where there are some.
    ///
    /// # Errors
    /// [`Code::TooLarge`].
    pub fn draw(&self, step: u64, draws: Option<&mut Steps>, batch: &mut Batch) -> Result<()> {
        let drawn = match draws {
            Some(draws) => {
                draws.seek(step);
                draws.next_into(&mut batch.indices).map(drop)
            }
            None => self.sampler.at_into(step, &mut batch.indices),
        };
        drawn.map_err(|error| error.at_step(step))
    }

    /// Reads the records that [`Feed::draw`] left in the batch.
    ///
    /// # Errors
    /// What a stream says, with its name, the record and the step.
    pub fn fill_drawn(&self, step: u64, batch: &mut Batch) -> Result<()> {
        batch.step = step;
        for ((name, stream), values) in self.streams().zip(&mut batch.streams) {
            stream
                .gather(&batch.indices, values)
                .map_err(|error| error.in_stream(String::from(name)).at_step(step))?;
        }
        Ok(())
    }
}

/// The number of records that all streams have.
fn common_length<E: Environment>(names: &[String], streams: &[Stream<E>]) -> Result<u64> {
    let Some(first) = streams.first() else {
        return Err(Error::new(Code::InvalidArgument, "a loader needs at least one stream"));
    };
    for (position, name) in names.iter().enumerate() {
        if names[..position].contains(name) {
            let text = format!("two streams are called '{name}'; give each its own name");
            return Err(Error::new(Code::InvalidArgument, text));
        }
    }
    if streams.iter().all(|stream| stream.len() == first.len()) {
        return Ok(first.len());
    }
    let lengths: Vec<_> =
        names.iter().zip(streams).map(|(name, stream)| format!("'{name}' has {}", stream.len())).collect();
    let text = format!("the streams differ in their number of records: {}", lengths.join(", "));
    Err(Error::new(Code::ShapeMismatch, text))
}

impl<E: Environment> Clone for Feed<E> {
    fn clone(&self) -> Self {
        Feed { names: Arc::clone(&self.names), streams: self.streams.clone(), sampler: self.sampler.clone() }
    }
}

impl<E: Environment> fmt::Debug for Feed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Feed").field("streams", &self.streams).field("sampler", &self.sampler).finish()
    }
}
