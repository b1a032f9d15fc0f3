//! A growable vector as the content of a file.

use alloc::format;
use alloc::vec::Vec;

use crate::storage::{StorageError, StorageErrorKind};

pub(in crate::storage) fn read(bytes: &[u8], offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
    if buf.is_empty() {
        return Ok(());
    }
    let start = usize::try_from(offset).ok();
    let range = start.and_then(|start| Some(start..start.checked_add(buf.len())?));
    let source = range.and_then(|range| bytes.get(range)).ok_or_else(|| {
        let message = format!(
            "could not read {} bytes at offset {offset}: the file has {} bytes",
            buf.len(),
            bytes.len()
        );
        StorageError::new(StorageErrorKind::UnexpectedEnd, message)
    })?;
    buf.copy_from_slice(source);
    Ok(())
}

pub(in crate::storage) fn write(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) -> Result<(), StorageError> {
    if data.is_empty() {
        return Ok(());
    }
    let end = usize::try_from(offset).ok().and_then(|start| Some((start, start.checked_add(data.len())?)));
    let (start, end) = end.ok_or_else(out_of_memory)?;
    reserve(bytes, end)?;
    if start > bytes.len() {
        bytes.resize(start, 0);
    }
    let (over, beyond) = data.split_at(data.len().min(bytes.len() - start));
    bytes[start..start + over.len()].copy_from_slice(over);
    bytes.extend_from_slice(beyond);
    Ok(())
}

pub(in crate::storage) fn resize(bytes: &mut Vec<u8>, len: u64) -> Result<(), StorageError> {
    let len = usize::try_from(len).map_err(|_| out_of_memory())?;
    reserve(bytes, len)?;
    bytes.resize(len, 0);
    Ok(())
}

fn reserve(bytes: &mut Vec<u8>, len: usize) -> Result<(), StorageError> {
    bytes.try_reserve(len.saturating_sub(bytes.len())).map_err(|_| out_of_memory())
}

fn out_of_memory() -> StorageError {
    StorageError::new(StorageErrorKind::Full, "the file does not fit into memory")
}
