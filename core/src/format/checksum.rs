//! The checksum of headers.

use crc::{CRC_32_ISO_HDLC, Crc, Table};

/// A table of 1 KiB: what is summed is small, and faster tables would be a twentieth of the module that a browser loads.
static CRC32: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// The CRC-32 of zlib and gzip.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    CRC32.checksum(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
