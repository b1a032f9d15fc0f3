//! `store.zr`: the kind of the store, and its identity.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::super::fields::{Fields, array_at, u64_at};
use super::super::identity::{Identity, MAX_RANK};
use super::Geometry;
use crate::error::{Code, Error, Result};
use crate::storage::FileId;

/// The two typed contracts over one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreKind {
    /// Every record has the same shape.
    Dense,
    /// Every record has its own shape.
    Ragged,
}

impl StoreKind {
    /// `dense` or `ragged`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            StoreKind::Dense => "dense",
            StoreKind::Ragged => "ragged",
        }
    }

    /// Table entries of one record.
    #[must_use]
    pub const fn entries(self) -> u64 {
        match self {
            StoreKind::Dense => 1,
            StoreKind::Ragged => 2,
        }
    }
}

/// The content of `store.zr`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypedHeader {
    /// Width of a dense record in bytes; 0 for a ragged store.
    pub record_bytes: u64,
    /// Element type and item shape.
    pub identity: Identity,
}

impl TypedHeader {
    /// Bytes before the identity.
    pub const FIXED: usize = 32;
    /// The largest file that is read. NumPy's identities are far smaller; a hostile one is stopped here.
    pub const MAX_FILE: u64 = 16 << 20;
    const MAGIC: [u8; 4] = *b"LXST";

    /// Dense or ragged.
    #[must_use]
    pub fn kind(&self) -> StoreKind {
        match self.identity {
            Identity::Dense { .. } => StoreKind::Dense,
            Identity::Ragged { .. } => StoreKind::Ragged,
        }
    }

    /// The header for a new store.
    ///
    /// # Errors
    /// [`Code::InvalidShape`], [`Code::InvalidDType`] or [`Code::RecordTooLarge`] when records of this type would be
    /// empty or too wide, or have more than 64 dimensions.
    pub fn for_new(identity: Identity, geometry: &Geometry) -> Result<Self> {
        let record_bytes = match &identity {
            Identity::Dense { dtype, item_shape } => {
                if item_shape.rank() > MAX_RANK {
                    let text = format!(
                        "records have {} dimensions, more than the {MAX_RANK} of NumPy; merge some of them",
                        item_shape.rank()
                    );
                    return Err(Error::new(Code::InvalidShape, text));
                }
                let width = item_shape.elements()?.checked_mul(dtype.itemsize()).ok_or_else(|| {
                    Error::new(
                        Code::InvalidShape,
                        "the width of a record exceeds 64 bits; use a smaller item shape",
                    )
                })?;
                if width == 0 {
                    let text = format!(
                        "records of type {dtype} and shape {item_shape} would be empty; a record needs at least one byte"
                    );
                    return Err(Error::new(Code::InvalidShape, text));
                }
                if width > geometry.record_bytes {
                    let text = format!(
                        "records of {width} bytes are too large; the limit is {} bytes",
                        geometry.record_bytes
                    );
                    return Err(Error::new(Code::RecordTooLarge, text));
                }
                width
            }
            Identity::Ragged { dtype } => {
                if dtype.itemsize() == 0 {
                    return Err(Error::new(
                        Code::InvalidDType,
                        format!("elements of type {dtype} would be empty"),
                    ));
                }
                0
            }
        };
        Ok(TypedHeader { record_bytes, identity })
    }

    /// Reads the whole content of `store.zr`, checks included.
    ///
    /// # Errors
    /// [`Code::CorruptHeader`], [`Code::UnsupportedVersion`] or [`Code::CorruptIdentity`].
    pub fn decode(bytes: &[u8], geometry: &Geometry) -> Result<Self> {
        let corrupt = |what: String| Error::new(Code::CorruptHeader, what).in_file(FileId::Store);
        let short = || corrupt(format!("store.zr has {} bytes, its header alone needs 32", bytes.len()));
        let magic: [u8; 4] = array_at(bytes, 0).ok_or_else(short)?;
        let [version, kind] = array_at(bytes, 4).ok_or_else(short)?;
        let record_bytes = u64_at(bytes, 8).ok_or_else(short)?;
        let identity_len = u64_at(bytes, 16).ok_or_else(short)?;
        let identity = bytes.get(Self::FIXED..).ok_or_else(short)?;
        if magic != Self::MAGIC {
            return Err(
                corrupt("store.zr does not start with LXST; this is not a record store".into()).at_offset(0)
            );
        }
        if version != 1 {
            let text = format!("store.zr has version {version}, only version 1 is known");
            return Err(Error::new(Code::UnsupportedVersion, text).in_file(FileId::Store).at_offset(4));
        }
        if identity_len != identity.len() as u64 {
            let text = format!(
                "store.zr announces an identity of {identity_len} bytes and holds {}",
                identity.len()
            );
            return Err(corrupt(text).at_offset(16));
        }
        let identity = match kind {
            1 => Identity::decode_dense(identity)?,
            2 => Identity::decode_ragged(identity)?,
            other => return Err(corrupt(format!("store.zr names the unknown kind {other}")).at_offset(5)),
        };
        let expected = Self::for_new(identity, geometry).map_err(|error| {
            corrupt(format!("store.zr describes impossible records: {}", error.message()))
        })?;
        if expected.record_bytes != record_bytes {
            let text = format!(
                "store.zr says that a record has {record_bytes} bytes, its identity says {}",
                expected.record_bytes
            );
            return Err(corrupt(text).at_offset(8));
        }
        Ok(expected)
    }

    /// The content of `store.zr`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let kind = match self.kind() {
            StoreKind::Dense => 1,
            StoreKind::Ragged => 2,
        };
        let identity = self.identity.encode();
        let fixed: [u8; Self::FIXED] = Fields::new()
            .put(&Self::MAGIC)
            .put(&[1, kind, 0, 0])
            .put(&self.record_bytes.to_le_bytes())
            .put(&(identity.len() as u64).to_le_bytes())
            .done();
        let mut bytes = fixed.to_vec();
        bytes.extend_from_slice(&identity);
        bytes
    }
}
