//! The array files of MNIST: a type, extents, big-endian data.

use std::fs;
use std::io::Read;

use recask_core::{DType, Result};

use super::array::{Array, Layout};
use super::problem::Site;
use super::reading::{Meter, open_unpacked};

/// The element type for the third byte of the magic number; the data stays big-endian.
pub(super) fn dtype_of(code: u8) -> Option<DType> {
    let spelling = match code {
        0x08 => "|u1",
        0x09 => "|i1",
        0x0b => ">i2",
        0x0c => ">i4",
        0x0d => ">f4",
        0x0e => ">f8",
        _ => return None,
    };
    DType::parse(spelling).ok()
}

pub(super) fn open(site: Site<'_>, meter: &Meter) -> Result<Array<'static>> {
    let mut data = open_unpacked(site, meter)?;
    let mut magic = [0; 4];
    data.read_exact(&mut magic).map_err(|error| site.unreadable(error))?;
    let [0, 0, code, rank] = magic else {
        return Err(site.invalid("this is no IDX file"));
    };
    let dtype = dtype_of(code)
        .ok_or_else(|| site.invalid(format_args!("the IDX element type 0x{code:02x} is not known")))?;
    let mut shape = Vec::with_capacity(usize::from(rank));
    for _ in 0..rank {
        let mut extent = [0; 4];
        data.read_exact(&mut extent).map_err(|error| site.unreadable(error))?;
        shape.push(u64::from(u32::from_be_bytes(extent)));
    }
    let layout = Layout::new(dtype, &shape, site)?;
    let packed = fs::metadata(site.path).map_err(|error| site.unreadable(error))?.len();
    layout.fits_into(packed, site)?;
    Ok(Array { layout, data })
}
