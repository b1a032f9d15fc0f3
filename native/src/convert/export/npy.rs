//! One dense store as NumPy's array file.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use recask_core::Result;

use super::super::npy::header;
use super::super::problem::{invalid_argument, unwritable};
use super::selection::Source;
use super::{finish, write_records};
use crate::Progress;

pub(super) fn write(sources: &[Source<'_>], file: File, out: &Path, progress: &dyn Progress) -> Result<()> {
    let [source] = sources else {
        return Err(invalid_argument(format!(
            "an npy file holds one stream, and there are {}; export to .npz",
            sources.len()
        )));
    };
    let mut file = BufWriter::new(file);
    file.write_all(&header_of(source)?).map_err(|error| unwritable(out, error))?;
    write_records(source, &mut file, out, progress)?;
    finish(file, out)
}

/// The header of a dense stream.
pub(super) fn header_of(source: &Source<'_>) -> Result<Vec<u8>> {
    let store = source.dense()?;
    let shape: Vec<u64> =
        std::iter::once(source.selection.len()).chain(store.item_shape().dims().iter().copied()).collect();
    Ok(header(store.dtype(), &shape))
}
