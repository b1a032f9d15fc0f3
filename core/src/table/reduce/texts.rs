//! The smallest and the largest of texts.

use alloc::string::String;
use alloc::vec::Vec;

use spin::Mutex;

use super::Selection;
use crate::dtype::Kind;
use crate::environment::Environment;
use crate::error::Result;

impl<E: Environment> Selection<E> {
    pub(super) fn extreme_texts(&self, position: usize) -> Result<Option<(String, String)>> {
        let dtype = self.table.schema().columns()[position].dtype();
        match dtype.kind() {
            Kind::Bytes => self.extremes_by(position, |a, b| a < b, from_bytes),
            Kind::Text => self.extremes_by(position, |a, b| units(a).lt(units(b)), from_utf32),
            _ => Ok(None),
        }
    }

    fn extremes_by(
        &self,
        position: usize,
        less: impl Fn(&[u8], &[u8]) -> bool + Sync + Send,
        shown: impl Fn(&[u8]) -> String,
    ) -> Result<Option<(String, String)>> {
        let width = self.table.schema().columns()[position].width();
        if width == 0 {
            return Ok((!self.is_empty()).then(Default::default));
        }
        let width = usize::try_from(width).unwrap_or(usize::MAX);
        let found: Mutex<Option<(Vec<u8>, Vec<u8>)>> = Mutex::new(None);
        self.each_step(position, |values| {
            // NULs are the smallest of all, so those behind a text do not change the order.
            let mut values = values.chunks_exact(width);
            let Some(first) = values.next() else { return Ok(()) };
            let (mut least, mut greatest) = (first, first);
            for value in values {
                if less(value, least) {
                    least = value;
                } else if less(greatest, value) {
                    greatest = value;
                }
            }
            let mut found = found.lock();
            let (low, high) = found.get_or_insert_with(|| (least.to_vec(), greatest.to_vec()));
            if less(least, low) {
                *low = least.to_vec();
            }
            if less(high, greatest) {
                *high = greatest.to_vec();
            }
            Ok(())
        })?;
        Ok(found.into_inner().map(|(least, greatest)| (shown(&least), shown(&greatest))))
    }
}

/// The code points of a text in the byte order of this machine.
fn units(value: &[u8]) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
    value.as_chunks::<4>().0.iter().map(|unit| bytemuck::pod_read_unaligned(unit))
}

fn from_bytes(value: &[u8]) -> String {
    let end = value.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    String::from_utf8_lossy(&value[..end]).into_owned()
}

fn from_utf32(value: &[u8]) -> String {
    let end = units(value).rposition(|unit| unit != 0).map_or(0, |last| last + 1);
    units(value).take(end).map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
