//! Opening source files: counted for progress, unpacked where they are gzipped.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use recask_core::Result;

use super::problem::{Site, check};
use crate::Progress;

/// Bytes that are asked of the system at once.
pub(super) const BUFFER: usize = 256 << 10;

/// Counts the bytes that were read from source files, for progress.
#[derive(Clone)]
pub(super) struct Meter {
    read: Rc<Cell<u64>>,
    /// What may still be reported.
    left: Rc<Cell<u64>>,
}

impl Default for Meter {
    fn default() -> Self {
        Meter::up_to(u64::MAX)
    }
}

impl Meter {
    /// Reports no more than `total`, for sources of which some bytes are read twice.
    pub(super) fn up_to(total: u64) -> Self {
        Meter { read: Rc::default(), left: Rc::new(Cell::new(total)) }
    }

    /// So many bytes more were read.
    pub(super) fn count(&self, bytes: u64) {
        self.read.set(self.read.get().saturating_add(bytes));
    }

    /// Reports what was read since the last time, and ends work that was told to stop.
    pub(super) fn report(&self, progress: &dyn Progress) -> Result<()> {
        let bytes = self.read.take().min(self.left.get());
        self.left.set(self.left.get() - bytes);
        if bytes > 0 {
            progress.advance(bytes);
        }
        check(progress)
    }
}

/// A source file whose bytes are counted.
pub(super) struct Counted {
    file: File,
    meter: Meter,
}

impl Counted {
    pub(super) fn open(site: Site<'_>, meter: &Meter) -> Result<Self> {
        let file = File::open(site.path).map_err(|error| site.unreadable(error))?;
        Ok(Counted { file, meter: meter.clone() })
    }

    pub(super) fn len(&self, site: Site<'_>) -> Result<u64> {
        Ok(self.file.metadata().map_err(|error| site.unreadable(error))?.len())
    }
}

impl Read for Counted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.meter.count(read as u64);
        Ok(read)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Bytes from front to back, some of which are not wanted.
pub(super) trait Data: Read {
    /// Passes over bytes.
    fn skip(&mut self, bytes: u64) -> io::Result<()>;
}

impl<R: Read + Seek> Data for BufReader<R> {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        match i64::try_from(bytes) {
            Ok(bytes) => self.seek_relative(bytes),
            Err(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Bytes that can only be passed over by reading them.
pub(super) struct Forward<R>(pub(super) R);

impl<R: Read> Read for Forward<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl<R: Read> Data for Forward<R> {
    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let passed = io::copy(&mut (&mut self.0).take(bytes), &mut io::sink())?;
        if passed == bytes { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

/// A file, unpacked if it is gzipped.
pub(super) fn open_unpacked(site: Site<'_>, meter: &Meter) -> Result<Box<dyn Data>> {
    let mut file = BufReader::with_capacity(BUFFER, Counted::open(site, meter)?);
    let start = file.fill_buf().map_err(|error| site.unreadable(error))?;
    let is_packed = start.starts_with(&[0x1f, 0x8b]);
    Ok(if is_packed { Box::new(Forward(MultiGzDecoder::new(file))) } else { Box::new(file) })
}

/// Fills `buffer` with the next `bytes` bytes, or fewer at the end. Memory grows with what really comes.
pub(super) fn read_up_to(data: &mut dyn Read, bytes: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    while (buffer.len() as u64) < bytes {
        let rest = bytes - buffer.len() as u64;
        let step = rest.min(buffer.len().max(1 << 20) as u64);
        let more = usize::try_from(step).map_err(|_| io::ErrorKind::OutOfMemory)?;
        buffer.try_reserve_exact(more).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if (&mut *data).take(step).read_to_end(buffer)? as u64 != step {
            break;
        }
    }
    Ok(())
}
