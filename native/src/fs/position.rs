//! Reading and writing at an offset, with what each system offers.
//!
//! Both may do less than asked, like the calls below them.

#[cfg(any(unix, windows))]
use std::{fs::File, io};

#[cfg(unix)]
pub(crate) fn read_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

#[cfg(unix)]
pub(super) fn write_at(file: &File, offset: u64, data: &[u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, data, offset)
}

#[cfg(windows)]
pub(crate) fn read_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    // Windows answers a read at the end with an error of its own.
    const ERROR_HANDLE_EOF: i32 = 38;
    match std::os::windows::fs::FileExt::seek_read(file, buf, offset) {
        Err(error) if error.raw_os_error() == Some(ERROR_HANDLE_EOF) => Ok(0),
        result => result,
    }
}

#[cfg(windows)]
pub(super) fn write_at(file: &File, offset: u64, data: &[u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, data, offset)
}

#[cfg(target_os = "wasi")]
pub(crate) use super::sandbox::read_at;
#[cfg(target_os = "wasi")]
pub(super) use super::sandbox::write_at;

#[cfg(not(any(unix, windows, target_os = "wasi")))]
pub(crate) use self::seeking::read_at;
#[cfg(not(any(unix, windows, target_os = "wasi")))]
pub(super) use self::seeking::write_at;

/// For systems without positional calls: seek, then read or write, one at a time.
#[cfg(any(test, not(any(unix, windows, target_os = "wasi"))))]
mod seeking {
    use std::fs::File;
    use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
    use std::sync::{Mutex, PoisonError};

    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

    pub(crate) fn read_at(mut file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read(buf)
    }

    pub(in super::super) fn write_at(mut file: &File, offset: u64, data: &[u8]) -> io::Result<usize> {
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.write(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeking_reads_and_writes_at_offsets() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(seeking::write_at(&file, 2, b"abc").unwrap(), 3);
        assert_eq!(write_at(&file, 0, b"xy").unwrap(), 2);
        let mut content = [0; 4];
        assert_eq!(seeking::read_at(&file, 1, &mut content).unwrap(), 4);
        assert_eq!(&content, b"yabc");
        assert_eq!(seeking::read_at(&file, 5, &mut content).unwrap(), 0);
    }
}
