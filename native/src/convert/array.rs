//! Arrays of a source, read front to back: their first axis counts the records.

use recask_core::codec::dictionary::sample_positions;
use recask_core::shape::elements_of;
use recask_core::{Code, DType, Error, Result, Shape};

use super::problem::{Site, invalid_argument};
use super::reading::{Data, Meter, read_up_to};
use crate::{DenseStore, Progress, Samples, Tier};

/// Decoded bytes that are appended at once, unless one record is larger.
pub(super) const WINDOW: u64 = 16 << 20;

/// Deflate makes at most this many bytes of one.
const MOST_DEFLATED: u64 = 1032;

/// What an array holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) dtype: DType,
    pub(super) records: u64,
    pub(super) item_shape: Shape,
}

impl Layout {
    /// Splits the first axis off, and makes sure that the width of everything fits 64 bits.
    pub(super) fn new(dtype: DType, shape: &[u64], site: Site<'_>) -> Result<Self> {
        let Some((&records, item)) = shape.split_first() else {
            return Err(site.invalid("the array has no axes; a store needs a first one that counts records"));
        };
        let layout = Layout { dtype, records, item_shape: Shape::from(item) };
        match elements_of(item).ok().and_then(|count| count.checked_mul(layout.dtype.itemsize())) {
            Some(0) => Err(site.invalid("the records have no bytes; a record needs at least one")),
            Some(width) if width.checked_mul(records).is_some() => Ok(layout),
            _ => Err(site.invalid("the array is larger than 64 bits can count")),
        }
    }

    /// Refuses what `packed` bytes cannot unpack to, before anything is made of that size.
    pub(super) fn fits_into(&self, packed: u64, site: Site<'_>) -> Result<()> {
        let bytes = self.bytes()?;
        if bytes <= packed.saturating_mul(MOST_DEFLATED) {
            return Ok(());
        }
        Err(site.invalid(format_args!(
            "the array claims {bytes} bytes, which {packed} bytes of file cannot hold"
        )))
    }

    /// The width of one record.
    pub(super) fn record_bytes(&self) -> Result<u64> {
        self.item_shape
            .elements()?
            .checked_mul(self.dtype.itemsize())
            .ok_or_else(|| Error::new(Code::RecordTooLarge, "a record is wider than 64 bits can count"))
    }

    pub(super) fn bytes(&self) -> Result<u64> {
        Ok(self.record_bytes()?.saturating_mul(self.records))
    }

    /// Whole records that make a window.
    pub(super) fn window(&self) -> Result<u64> {
        let width = self.record_bytes()?;
        Ok((WINDOW / width.max(1)).max(1).saturating_mul(width))
    }
}

/// An array that is ready to be read.
pub(super) struct Array<'a> {
    pub(super) layout: Layout,
    pub(super) data: Box<dyn Data + 'a>,
}

impl Array<'_> {
    /// Hands over windows of whole records until the end of the array, which has to be the end of the data.
    pub(super) fn each_window(
        mut self,
        site: Site<'_>,
        mut take: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let (window, total) = (self.layout.window()?, self.layout.bytes()?);
        let mut buffer = Vec::new();
        let mut left = total;
        while left > 0 {
            let wanted = window.min(left);
            read_up_to(&mut *self.data, wanted, &mut buffer).map_err(|error| site.unreadable(error))?;
            if buffer.len() as u64 != wanted {
                let end = total - left + buffer.len() as u64;
                return Err(site.invalid(format_args!("the data ends after {end} of {total} bytes")));
            }
            left -= wanted;
            take(&buffer)?;
        }
        // Archives check their sums here.
        read_up_to(&mut *self.data, 1, &mut buffer).map_err(|error| site.unreadable(error))?;
        if buffer.is_empty() {
            return Ok(());
        }
        Err(site.invalid(format_args!("there are more bytes behind the {total} of the array")))
    }

    /// Appends all records.
    pub(super) fn copy_to(
        self,
        store: &mut DenseStore,
        site: Site<'_>,
        meter: &Meter,
        progress: &dyn Progress,
    ) -> Result<()> {
        meter.report(progress)?;
        self.each_window(site, |window| {
            store.append_bytes(window)?;
            meter.report(progress)
        })?;
        meter.report(progress)
    }

    /// The records that a dictionary is trained from: evenly spread, as loaderx takes them.
    pub(super) fn samples(mut self, tier: Tier, site: Site<'_>) -> Result<Samples> {
        let width = self.layout.record_bytes()?;
        let positions = sample_positions(self.layout.records, width, tier);
        if positions.is_empty() {
            return Err(invalid_argument(format!("{site} has no records to train a dictionary from")));
        }
        let mut samples = Samples::new();
        let mut record = Vec::new();
        let mut next = 0;
        for position in positions {
            self.data
                .skip((position - next).saturating_mul(width))
                .and_then(|()| read_up_to(&mut *self.data, width, &mut record))
                .map_err(|error| site.unreadable(error))?;
            if record.len() as u64 != width {
                return Err(site.invalid("the data ends before the array does"));
            }
            samples.push(&record);
            next = position + 1;
        }
        Ok(samples)
    }
}
