//! One open file: positional calls that finish or fail, and the map of a file that is only read.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::path::PathBuf;

use recask_core::storage::{FileId, OpenMode, StorageError, StorageErrorKind, StorageFile};

use super::error::storage_error;
use super::map::Map;
use super::position;
use crate::tuning::{Advice, Placement, Tuning};

/// Small parts of a vectored write are joined up to this many bytes per call.
const JOINED: usize = 256 << 10;
/// A part of this many bytes is written from where it is: the copy would cost more than the call.
const LARGE: usize = 64 << 10;
/// The largest request that every system takes.
const REQUEST: usize = 1 << 30;

/// An open file of a [`Directory`](super::Directory).
#[derive(Debug)]
pub struct NativeFile {
    file: File,
    path: PathBuf,
    writable: bool,
    map: Option<Map>,
    placement: Placement,
}

impl NativeFile {
    pub(super) fn new(file: File, path: PathBuf, id: FileId, mode: OpenMode, tuning: Option<Tuning>) -> Self {
        let writable = mode != OpenMode::Read;
        // The others are small, and an appender rewrites the header in place.
        let worth_a_map = matches!(id, FileId::Loc(_) | FileId::Chunk(_) | FileId::Table);
        let advice = tuning.map_or(Advice::Normal, |tuning| tuning.advice);
        let map = if worth_a_map && !writable { Map::of(&file, advice) } else { None };
        let placement = tuning.map_or(Placement::Local, |tuning| tuning.placement);
        NativeFile { file, path, writable, map, placement }
    }

    fn for_writing(&self) -> Result<(), StorageError> {
        if self.writable {
            return Ok(());
        }
        let message = format!("could not write {}: it was opened for reading only", self.path.display());
        Err(StorageError::new(StorageErrorKind::PermissionDenied, message))
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        let _placed = self.placement.scope();
        write_fully(&self.file, offset, data).map_err(|error| {
            storage_error(&format!("write {} bytes at offset {offset} of", data.len()), &self.path, error)
        })
    }
}

impl StorageFile for NativeFile {
    fn len(&self) -> Result<u64, StorageError> {
        // The size now, not that of the map: who relies on a map can notice here that the file was cut.
        let metadata = self.file.metadata().map_err(|error| storage_error("examine", &self.path, error))?;
        Ok(metadata.len())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        let len = buf.len();
        read_fully(&self.file, offset, buf).map_err(|error| {
            storage_error(&format!("read {len} bytes at offset {offset} of"), &self.path, error)
        })
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        self.for_writing()?;
        self.write(offset, data)
    }

    fn write_all_vectored_at(&self, offset: u64, parts: &[&[u8]]) -> Result<(), StorageError> {
        self.for_writing()?;
        with_joining_buffer(|joined| {
            let mut at = offset;
            for part in parts {
                if part.len() >= LARGE || joined.len() + part.len() > JOINED {
                    self.write(at, joined)?;
                    at += joined.len() as u64;
                    joined.clear();
                }
                if part.len() >= LARGE {
                    self.write(at, part)?;
                    at += part.len() as u64;
                } else {
                    joined.extend_from_slice(part);
                }
            }
            self.write(at, joined)
        })
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        self.for_writing()?;
        self.file
            .set_len(len)
            .map_err(|error| storage_error(&format!("set the size to {len} bytes of"), &self.path, error))
    }

    fn sync(&self) -> Result<(), StorageError> {
        // `fdatasync` of Linux includes the size; what it leaves out is no part of a store.
        let synced = if cfg!(target_os = "linux") { self.file.sync_data() } else { self.file.sync_all() };
        synced.map_err(|error| storage_error("sync", &self.path, error))
    }

    fn mapped(&self, range: Range<u64>) -> Option<&[u8]> {
        self.map.as_ref()?.get(range)
    }
}

fn read_fully(file: &File, mut offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
    while !buf.is_empty() {
        let request = buf.len().min(REQUEST);
        // No file reaches the offsets that systems take as negative numbers.
        let done = if i64::try_from(offset).is_ok_and(|start| start.checked_add(request as i64).is_some()) {
            position::read_at(file, offset, &mut buf[..request])
        } else {
            Ok(0)
        };
        match done {
            Ok(0) => return Err(io::Error::new(ErrorKind::UnexpectedEof, "the file is shorter")),
            Ok(read) => {
                offset += read as u64;
                buf = &mut buf[read..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn write_fully(file: &File, mut offset: u64, mut data: &[u8]) -> io::Result<()> {
    while !data.is_empty() {
        let request = data.len().min(REQUEST);
        if !i64::try_from(offset).is_ok_and(|start| start.checked_add(request as i64).is_some()) {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "no file can be that large"));
        }
        match position::write_at(file, offset, &data[..request]) {
            Ok(0) => return Err(io::Error::new(ErrorKind::WriteZero, "the system accepts no more bytes")),
            Ok(written) => {
                offset += written as u64;
                data = &data[written..];
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Lends the buffer of this thread: fresh memory costs more than the copy into it.
fn with_joining_buffer<R>(work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
    thread_local! {
        static JOINING: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    JOINING.with_borrow_mut(|buffer| {
        buffer.clear();
        work(buffer)
    })
}
