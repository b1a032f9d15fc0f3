//! The records of two raw stores once more as plain npy arrays, for loaders that map those.

use std::fs::File;
use std::io::Write as _;

use super::{IMAGES, TOKENS, folder, ragged, store};

/// `256KiB.npy`: an image a row.
pub(crate) fn images() {
    let shape = format!("{}, {}", IMAGES.records, IMAGES.record_bytes);
    write("256KiB.npy", "|u1", &shape, || {
        store(&IMAGES, "raw").gather(..).expect("a good store").as_bytes().to_vec()
    });
}

/// `tokens.npy`: all tokens of all sequences; `tokens-offsets.npy`: where each sequence starts, and where the last ends.
pub(crate) fn tokens() {
    let batch = ragged("raw").gather(..).expect("a good store");
    let offsets = batch.offsets();
    write("tokens.npy", "<i4", &format!("{},", batch.as_bytes().len() / 4), || batch.as_bytes().to_vec());
    write("tokens-offsets.npy", "<u8", &format!("{},", TOKENS.records + 1), || {
        offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect()
    });
}

/// An array of one type and shape, made when it is not there yet.
fn write(name: &str, dtype: &str, shape: &str, values: impl Fn() -> Vec<u8>) {
    let path = folder().join(name);
    if path.exists() {
        return;
    }
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The values start at a multiple of 64 bytes: magic, version and length take ten.
    let header = format!("{text:<117}\n");
    let magic = b"\x93NUMPY\x01\x00";
    let unfinished = path.with_extension("unfinished");
    let mut file = File::create(&unfinished).expect("a folder to write into");
    for part in [&magic[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), &values()] {
        file.write_all(part).expect("room on the disk");
    }
    std::fs::rename(unfinished, path).expect("room on the disk");
}
