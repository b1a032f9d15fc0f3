//! What a stream holds, in a few bytes: to know later whether it still is the same data.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use xxhash_rust::xxh3::Xxh3;

use super::{Feed, OnLoss, Stream, StreamBatch};
use crate::dtype::{ByteOrder, DType};
use crate::environment::Environment;
use crate::error::Result;
use crate::store::Lost;
use crate::table::swap_unit;

/// The most records of a stream that are looked at.
const SAMPLES: u64 = 8;

/// The name, the type and a few values of a stream.
///
/// Two identities are equal where a loader would deliver the same: the codec, compaction, the version of the format and the
/// place of the bytes do not matter. Of the values only samples are compared, so a change elsewhere is not seen.
///
/// # How a sample is computed
///
/// With `n` records, the samples are those of the records `floor(i · (n − 1) / 7)` for `i` from 0 to 7; with 8 records or
/// fewer, those of every record. A sample is the lowest 32 bits of the 64-bit XXH3 hash (seed 0) of
///
/// * dense: the elements in C order, in the byte order that the layout names,
/// * ragged: the number of extents and each extent as 8 bytes, little-endian; then the elements as in a dense record,
/// * table: the values of the selected columns, in the order of the selection, each in the type that the layout names.
///
/// # The layout
///
/// Types are spelled as NumPy spells them (`dtype.str`, `dtype.descr`).
///
/// * dense: the element type and the shape of an item, `|u1 (28, 28)`,
/// * ragged: the element type, `<i4`,
/// * table: name and type of each selected column, `'id' <i8, 'label' |S5`. Numbers, text and times are little-endian here
///   whatever the file has, since a table delivers them in the byte order of the machine; structures stay as they are. In
///   a name a backslash stands before `'` and `\`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) layout: String,
    pub(super) samples: Vec<Option<u32>>,
}

impl Identity {
    /// The name of the stream.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// `dense`, `ragged` or `table`, as [`Stream::kind`] says.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The types of the values, for people.
    #[must_use]
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// The samples of the values, in the order of their records; `None` where a record could not be read.
    #[must_use]
    pub fn samples(&self) -> &[Option<u32>] {
        &self.samples
    }

    /// Which records of a stream of this length are sampled, ascending.
    ///
    /// ```
    /// use recask_core::loader::Identity;
    ///
    /// assert!(Identity::sampled(60_000).eq([0, 8571, 17142, 25713, 34285, 42856, 51427, 59999]));
    /// assert!(Identity::sampled(3).eq(0..3));
    /// ```
    pub fn sampled(length: u64) -> impl ExactSizeIterator<Item = u64> {
        let count = u8::try_from(length.min(SAMPLES)).unwrap_or(0);
        let gaps = u128::from(count.saturating_sub(1)).max(1);
        (0..count).map(move |i| {
            let spread = u128::from(i) * u128::from(length.saturating_sub(1)) / gaps;
            // No more than the last record.
            u64::try_from(spread).unwrap_or(u64::MAX)
        })
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {} {}", self.name, self.kind, self.layout)?;
        self.samples.iter().try_for_each(|sample| match sample {
            Some(sample) => write!(f, " {sample:08x}"),
            None => f.write_str(" lost"),
        })
    }
}

impl<E: Environment> Feed<E> {
    /// What the streams hold, in their order. Reads at most 8 records of each, one at a time.
    ///
    /// ```
    /// use recask_core::loader::{Feed, OnLoss};
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::{DType, DenseStore, Sampler};
    ///
    /// let mut images = DenseStore::<MemoryEnvironment>::builder(DType::U8, [2, 2]).create(MemoryPlace::new())?;
    /// images.append(&[0u8, 1, 2, 3, 4, 5, 6, 7])?;
    /// let feed = Feed::new([("image", images.into())], Sampler::sequential(2, 1).build()?)?;
    ///
    /// let identities = feed.identities(OnLoss::Fail)?;
    /// assert_eq!((identities[0].name(), identities[0].layout()), ("image", "|u1 (2, 2)"));
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// What a stream says of a record that cannot be read, with the name of the stream and the record. Where records may be
    /// lost they only have no sample, and the errors are those that no policy skips.
    pub fn identities(&self, on_loss: OnLoss) -> Result<Vec<Identity>> {
        self.streams().map(|(name, stream)| stream.identity(name, on_loss)).collect()
    }
}

impl<E: Environment> Stream<E> {
    fn identity(&self, name: &str, on_loss: OnLoss) -> Result<Identity> {
        let mut batch = self.new_batch();
        let mut sample = |record| match self.sample(record, &mut batch)? {
            Ok(sample) => Ok(Some(sample)),
            Err(lost) if on_loss == OnLoss::Fail => Err(lost.with_record(record)),
            Err(_) => Ok(None),
        };
        let samples = Identity::sampled(self.len()).map(&mut sample).collect::<Result<_>>();
        let samples = samples.map_err(|error| error.in_stream(String::from(name)))?;
        Ok(Identity { name: name.into(), kind: self.kind(), layout: self.layout(), samples })
    }

    fn layout(&self) -> String {
        match self {
            Stream::Dense(store) => format!("{} {}", store.dtype(), store.item_shape()),
            Stream::Ragged(store) => store.dtype().to_string(),
            Stream::Table(rows) => {
                let columns = rows.columns_selected().map(|column| {
                    let name = column.name().replace('\\', r"\\").replace('\'', r"\'");
                    format!("'{name}' {}", little_endian(column.dtype()))
                });
                columns.collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// The sample of a record; inside, why it is lost.
    fn sample(&self, record: u64, batch: &mut StreamBatch) -> Result<Result<u32>> {
        if let Some(Lost { error, .. }) = self.gather_surviving(&[record], batch)?.pop() {
            return Ok(Err(error));
        }
        let mut hash = Xxh3::new();
        match batch {
            StreamBatch::Dense(batch) => hash.update(batch.as_bytes()),
            StreamBatch::Ragged(batch) => {
                hash.update(&(batch.shapes().len() as u64).to_le_bytes());
                batch.shapes().iter().for_each(|extent| hash.update(&extent.to_le_bytes()));
                hash.update(batch.as_bytes());
            }
            StreamBatch::Table(columns) => columns.columns.iter_mut().for_each(|column| {
                if let Some(unit) = swap_unit(column.dtype(), ByteOrder::Little) {
                    column.as_bytes_mut().chunks_exact_mut(unit).for_each(<[u8]>::reverse);
                }
                hash.update(column.as_bytes());
            }),
        }
        let [a, b, c, d, ..] = hash.digest().to_le_bytes();
        Ok(Ok(u32::from_le_bytes([a, b, c, d])))
    }
}

/// How the type is spelled with its bytes in little-endian order. The types of a structure keep theirs.
fn little_endian(dtype: &DType) -> String {
    let spelling = dtype.to_string();
    match spelling.strip_prefix(ByteOrder::Big.symbol()) {
        Some(rest) => format!("{}{rest}", ByteOrder::Little.symbol()),
        None => spelling,
    }
}
