//! Arrays in Fortran order, where the elements of one record lie far apart, put into C order.

use std::io::{self, Read, Seek, SeekFrom};

use recask_core::Result;

use super::array::Layout;
use super::problem::too_large;
use super::reading::Data;

/// Decoded bytes that are put together at once, unless one record is larger: the larger, the fewer and longer the
/// reads.
const WINDOW: u64 = 64 << 20;

/// Reads an array as if it had been written in C order.
pub(super) struct Transposed<R> {
    source: R,
    /// Where the data starts in `source`.
    start: u64,
    records: u64,
    /// Extents of a record.
    dims: Vec<u64>,
    itemsize: usize,
    record_bytes: usize,
    /// Records that are put together at once.
    step: u64,
    /// The first record behind `window`.
    next: u64,
    window: Vec<u8>,
    /// How far `window` was handed out.
    at: usize,
}

impl<R: Read + Seek> Transposed<R> {
    /// An array whose data starts at `start`; the caller knows that `source` is long enough.
    pub(super) fn new(source: R, start: u64, layout: &Layout) -> Result<Self> {
        let size = |bytes: u64| usize::try_from(bytes).map_err(|_| too_large("a record"));
        let record_bytes = layout.record_bytes()?;
        Ok(Transposed {
            source,
            start,
            records: layout.records,
            dims: layout.item_shape.dims().to_vec(),
            itemsize: size(layout.dtype.itemsize())?,
            record_bytes: size(record_bytes)?,
            step: (WINDOW / record_bytes.max(1)).max(1),
            next: 0,
            window: Vec::new(),
            at: 0,
        })
    }

    /// Puts the next records together, one element of all of them after the other.
    fn refill(&mut self) -> io::Result<()> {
        let memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let count = usize::try_from(self.step.min(self.records - self.next)).map_err(|_| memory())?;
        let bytes = count.checked_mul(self.record_bytes).ok_or_else(memory)?;
        self.at = 0;
        self.window.clear();
        self.window.try_reserve_exact(bytes).map_err(|_| memory())?;
        self.window.resize(bytes, 0);
        let mut column = vec![0; count * self.itemsize];
        let mut place = Place::first(&self.dims);
        for element in 0..self.record_bytes / self.itemsize {
            // The whole array lies within 64 bits.
            let first = (place.fortran * self.records + self.next) * self.itemsize as u64;
            self.source.seek(SeekFrom::Start(self.start + first))?;
            self.source.read_exact(&mut column)?;
            let records = self.window.chunks_exact_mut(self.record_bytes);
            for (record, value) in records.zip(column.chunks_exact(self.itemsize)) {
                if let Some(slot) =
                    record.get_mut(element * self.itemsize..).and_then(|r| r.get_mut(..self.itemsize))
                {
                    slot.copy_from_slice(value);
                }
            }
            place.step(&self.dims);
        }
        self.next += count as u64;
        Ok(())
    }
}

/// One element of a record, walking in C order, with its number in Fortran order.
struct Place {
    index: Vec<u64>,
    fortran: u64,
}

impl Place {
    fn first(dims: &[u64]) -> Self {
        Place { index: vec![0; dims.len()], fortran: 0 }
    }

    fn step(&mut self, dims: &[u64]) {
        for (index, &dim) in self.index.iter_mut().zip(dims).rev() {
            *index += 1;
            if *index < dim {
                break;
            }
            *index = 0;
        }
        self.fortran = self.index.iter().zip(dims).rev().fold(0, |sum, (&index, &dim)| sum * dim + index);
    }
}

impl<R: Read + Seek> Read for Transposed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.at == self.window.len() && self.next < self.records {
            self.refill()?;
        }
        let mut rest = self.window.get(self.at..).unwrap_or_default();
        let read = rest.read(buf)?;
        self.at += read;
        Ok(read)
    }
}

impl<R: Read + Seek> Data for Transposed<R> {
    /// Records that are passed over as a whole are not put together.
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let buffered = self.window.len() - self.at;
        match usize::try_from(bytes) {
            Ok(bytes) if bytes <= buffered => self.at += bytes,
            _ => {
                let width = self.record_bytes as u64;
                let beyond = bytes - buffered as u64;
                self.window.clear();
                self.at = 0;
                self.next = self.next.saturating_add(beyond / width).min(self.records);
                io::copy(&mut self.by_ref().take(beyond % width), &mut io::sink())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::path::Path;

    use recask_core::DType;

    use super::super::problem::Site;
    use super::*;

    /// `numpy.arange(24).reshape(4, 3, 2)` as `ravel("F")` lists it.
    const FORTRAN: [u8; 24] =
        [0, 6, 12, 18, 2, 8, 14, 20, 4, 10, 16, 22, 1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23];

    fn transposed(step: u64) -> Transposed<Cursor<Vec<u8>>> {
        let mut file = vec![99; 5];
        file.extend(FORTRAN);
        let layout = Layout::new(DType::U8, &[4, 3, 2], Site::file(Path::new("a"))).unwrap();
        let mut array = Transposed::new(Cursor::new(file), 5, &layout).unwrap();
        array.step = step;
        array
    }

    #[test]
    fn elements_come_in_c_order() {
        for step in [1, 3, 4, 100] {
            let mut read = Vec::new();
            transposed(step).read_to_end(&mut read).unwrap();
            assert_eq!(read, (0..24).collect::<Vec<u8>>(), "{step} records at once");
        }
    }

    #[test]
    fn skipping_is_reading_without_looking() {
        for step in [1, 3, 4] {
            for (before, skipped) in [(0, 6), (0, 13), (5, 1), (7, 5), (7, 12), (0, 24)] {
                let mut array = transposed(step);
                array.read_exact(&mut vec![0; before]).unwrap();
                array.skip(skipped).unwrap();
                let mut rest = Vec::new();
                array.read_to_end(&mut rest).unwrap();
                let first = u8::try_from(before).unwrap() + u8::try_from(skipped).unwrap();
                assert_eq!(rest, (first..24).collect::<Vec<u8>>(), "{before} {skipped}, {step} at once");
            }
        }
    }
}
