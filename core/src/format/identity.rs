//! The identity in `store.zr`: element type and item shape as one msgpack map.
//!
//! It is written byte for byte as msgpack-python writes it, and read as loaderx reads it, but strictly: extents are
//! non-negative integers, and nothing is left over.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;

use rmp::Marker;
use rmp::decode::{self, Bytes, NumValueReadError, ValueReadError};
use rmp::encode::{self, ByteBuf, ValueWriteError};

use crate::dtype::{DType, Field, FieldSpec, MAX_DEPTH, Part, excerpt};
use crate::error::{Code, Error, Result};
use crate::shape::Shape;
use crate::storage::FileId;

/// Where the identity starts in `store.zr`: after the header.
const IDENTITY_OFFSET: u64 = 32;

/// NumPy's limit for the dimensions of an array.
pub(crate) const MAX_RANK: usize = 64;

const DTYPE_KEY: &str = "dtype";
const SHAPE_KEY: &str = "item_shape";

/// What the records of a store are.
///
/// ```
/// use recask_core::{DType, format::identity::Identity};
/// let images = Identity::Dense { dtype: DType::U8, item_shape: [28, 28].into() };
/// assert_eq!(images.encode(), b"\x82\xa5dtype\xa3|u1\xaaitem_shape\x92\x1c\x1c");
/// assert_eq!(Identity::decode_dense(&images.encode())?, images);
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Every record has the same shape.
    Dense {
        /// The type of one element.
        dtype: DType,
        /// The extents of one record.
        item_shape: Shape,
    },
    /// Every record has its own shape, kept beside it.
    Ragged {
        /// The type of one element.
        dtype: DType,
    },
}

impl Identity {
    /// The type of one element.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        match self {
            Identity::Dense { dtype, .. } | Identity::Ragged { dtype } => dtype,
        }
    }

    /// The extents of one record of a dense store.
    #[must_use]
    pub fn item_shape(&self) -> Option<&Shape> {
        match self {
            Identity::Dense { item_shape, .. } => Some(item_shape),
            Identity::Ragged { .. } => None,
        }
    }

    /// The bytes that follow the header of `store.zr`.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = ByteBuf::new();
        match write_identity(&mut out, self) {
            Ok(()) => out.into_vec(),
            Err(ValueWriteError::InvalidMarkerWrite(never) | ValueWriteError::InvalidDataWrite(never)) => {
                match never {}
            }
        }
    }

    /// Reads the identity of a dense store.
    ///
    /// # Errors
    /// [`Code::CorruptIdentity`], saying what was found instead, and where.
    pub fn decode_dense(bytes: &[u8]) -> Result<Self> {
        match read_identity(bytes, &[DTYPE_KEY, SHAPE_KEY])? {
            (Some(dtype), Some(item_shape)) => Ok(Identity::Dense { dtype, item_shape }),
            _ => Err(incomplete()),
        }
    }

    /// Reads the identity of a ragged store.
    ///
    /// # Errors
    /// [`Code::CorruptIdentity`], saying what was found instead, and where.
    pub fn decode_ragged(bytes: &[u8]) -> Result<Self> {
        match read_identity(bytes, &[DTYPE_KEY])? {
            (Some(dtype), _) => Ok(Identity::Ragged { dtype }),
            _ => Err(incomplete()),
        }
    }
}

type Written = core::result::Result<(), ValueWriteError<Infallible>>;

fn write_identity(out: &mut ByteBuf, identity: &Identity) -> Written {
    encode::write_map_len(out, if identity.item_shape().is_some() { 2 } else { 1 })?;
    encode::write_str(out, DTYPE_KEY)?;
    write_dtype(out, identity.dtype())?;
    if let Some(shape) = identity.item_shape() {
        encode::write_str(out, SHAPE_KEY)?;
        write_shape(out, shape)?;
    }
    Ok(())
}

fn write_dtype(out: &mut ByteBuf, dtype: &DType) -> Written {
    let Some(parts) = dtype.parts() else {
        return encode::write_str(out, &format!("{dtype}"));
    };
    let parts: Vec<Part<'_>> = parts.collect();
    write_array_len(out, parts.len())?;
    for part in parts {
        match part {
            Part::Field(field) => write_field(out, field)?,
            Part::Padding(bytes) => {
                write_array_len(out, 2)?;
                encode::write_str(out, "")?;
                encode::write_str(out, &format!("|V{bytes}"))?;
            }
        }
    }
    Ok(())
}

fn write_field(out: &mut ByteBuf, field: &Field) -> Written {
    let is_array = field.shape().rank() > 0;
    write_array_len(out, if is_array { 3 } else { 2 })?;
    if let Some(title) = field.title() {
        write_array_len(out, 2)?;
        encode::write_str(out, title)?;
    }
    encode::write_str(out, field.name())?;
    write_dtype(out, field.dtype())?;
    if is_array { write_shape(out, field.shape()) } else { Ok(()) }
}

fn write_shape(out: &mut ByteBuf, shape: &Shape) -> Written {
    write_array_len(out, shape.rank())?;
    shape.dims().iter().try_for_each(|&extent| encode::write_uint(out, extent).map(drop))
}

fn write_array_len(out: &mut ByteBuf, len: usize) -> Written {
    // Fields are limited, and 2^32 extents do not fit in memory on the way to a file.
    encode::write_array_len(out, u32::try_from(len).unwrap_or(u32::MAX)).map(drop)
}

fn read_identity(bytes: &[u8], keys: &[&str]) -> Result<(Option<DType>, Option<Shape>)> {
    let mut reader = Reader { rest: bytes, len: bytes.len() };
    let entries = reader.map_len()?;
    if usize::try_from(entries).ok() != Some(keys.len()) {
        return Err(
            reader.corrupt(format!("the identity has {entries} entries instead of {}", keys.join(" and ")))
        );
    }
    let (mut dtype, mut shape) = (None, None);
    for _ in 0..entries {
        match reader.string("a key")? {
            DTYPE_KEY if dtype.is_none() => dtype = Some(reader.dtype(1)?),
            SHAPE_KEY if shape.is_none() && keys.contains(&SHAPE_KEY) => {
                shape = Some(reader.shape(SHAPE_KEY)?);
            }
            key => {
                let message =
                    format!("the identity has the key '{}', not once {}", excerpt(key), keys.join(" and "));
                return Err(reader.corrupt(message));
            }
        }
    }
    match reader.rest.len() {
        0 => Ok((dtype, shape)),
        extra => Err(reader.corrupt(format!("{extra} bytes follow the identity"))),
    }
}

/// What is left of the identity.
struct Reader<'a> {
    rest: &'a [u8],
    len: usize,
}

impl<'a> Reader<'a> {
    fn map_len(&mut self) -> Result<u32> {
        self.read(decode::read_map_len).map_err(|found| self.wrong("the identity", "a map", found))
    }

    fn array_len(&mut self, what: &str) -> Result<u32> {
        self.read(decode::read_array_len).map_err(|found| self.wrong(what, "an array", found))
    }

    fn string(&mut self, what: &str) -> Result<&'a str> {
        let len = self.read(decode::read_str_len).map_err(|found| self.wrong(what, "a string", found))?;
        let text = usize::try_from(len).ok().and_then(|len| self.rest.split_at_checked(len));
        let (text, rest) = text.ok_or_else(|| self.corrupt(format!("the identity ends inside of {what}")))?;
        let text = core::str::from_utf8(text)
            .map_err(|_| self.corrupt(format!("{what} of the identity is not UTF-8")))?;
        self.rest = rest;
        Ok(text)
    }

    /// A type string, or an array of fields.
    fn dtype(&mut self, depth: usize) -> Result<DType> {
        if self.next_is_array() {
            return self.structure(depth);
        }
        let text = self.string("the dtype")?;
        if text.trim_start().starts_with('[') {
            return Err(
                self.corrupt("the identity has a structure as text instead of as an array".to_owned())
            );
        }
        DType::parse(text).map_err(|error| self.unusable(&error))
    }

    fn structure(&mut self, depth: usize) -> Result<DType> {
        if depth > MAX_DEPTH {
            return Err(
                self.corrupt(format!("the structures of the identity nest more than {MAX_DEPTH} deep"))
            );
        }
        let count = self.array_len("the dtype")?;
        let mut fields = Vec::new();
        for _ in 0..count {
            fields.push(self.field(depth)?);
        }
        DType::structure(fields).map_err(|error| self.unusable(&error))
    }

    /// `[name, type]` or `[name, type, shape]`
    fn field(&mut self, depth: usize) -> Result<FieldSpec> {
        let parts = self.array_len("a field")?;
        if parts != 2 && parts != 3 {
            return Err(self.corrupt(format!("a field of the identity has {parts} parts instead of 2 or 3")));
        }
        let (title, name) = self.name()?;
        let dtype = self.dtype(depth + 1)?;
        let shape = if parts == 3 { self.shape("the shape of a field")? } else { Shape::scalar() };
        Ok(FieldSpec::from_descr(name, title, dtype, shape))
    }

    /// `name` or `[title, name]`
    fn name(&mut self) -> Result<(Option<String>, String)> {
        if !self.next_is_array() {
            return Ok((None, self.string("a field name")?.to_owned()));
        }
        match self.array_len("a field name")? {
            2 => {
                Ok((Some(self.string("a field title")?.to_owned()), self.string("a field name")?.to_owned()))
            }
            parts => {
                Err(self.corrupt(format!("a field name of the identity has {parts} parts instead of 2")))
            }
        }
    }

    fn shape(&mut self, what: &str) -> Result<Shape> {
        let rank = self.array_len(what)?;
        if rank as usize > MAX_RANK {
            return Err(
                self.corrupt(format!("{what} has {rank} dimensions, more than the {MAX_RANK} of NumPy"))
            );
        }
        let mut extents = Vec::new();
        for _ in 0..rank {
            extents.push(self.extent(what)?);
        }
        Ok(Shape::from(extents))
    }

    fn extent(&mut self, what: &str) -> Result<u64> {
        let found = match self.attempt(decode::read_int::<u64, _>) {
            Ok(extent) => return Ok(extent),
            Err(NumValueReadError::TypeMismatch(marker)) => kind_of(marker),
            Err(NumValueReadError::OutOfRange) => "a negative number",
            Err(NumValueReadError::InvalidMarkerRead(_) | NumValueReadError::InvalidDataRead(_)) => "its end",
        };
        Err(self.wrong(what, "non-negative integers", found))
    }

    fn next_is_array(&self) -> bool {
        let marker = self.rest.first().map(|&byte| Marker::from_u8(byte));
        matches!(marker, Some(Marker::FixArray(_) | Marker::Array16 | Marker::Array32))
    }

    /// Runs a reader of `rmp`; a failure says what stood there.
    fn read<T>(
        &mut self,
        read: impl FnOnce(
            &mut Bytes<'a>,
        ) -> core::result::Result<T, ValueReadError<decode::bytes::BytesReadError>>,
    ) -> core::result::Result<T, &'static str> {
        self.attempt(read).map_err(|error| match error {
            ValueReadError::TypeMismatch(marker) => kind_of(marker),
            ValueReadError::InvalidMarkerRead(_) | ValueReadError::InvalidDataRead(_) => "its end",
        })
    }

    /// Runs a reader of `rmp`, and moves on only where it succeeds.
    fn attempt<T, E>(
        &mut self,
        read: impl FnOnce(&mut Bytes<'a>) -> core::result::Result<T, E>,
    ) -> core::result::Result<T, E> {
        let mut bytes = Bytes::new(self.rest);
        let value = read(&mut bytes)?;
        self.rest = bytes.remaining_slice();
        Ok(value)
    }

    fn wrong(&self, what: &str, wanted: &str, found: &str) -> Error {
        self.corrupt(format!("the identity cannot be read: {what} should be {wanted}, found is {found}"))
    }

    fn unusable(&self, error: &Error) -> Error {
        self.corrupt(format!("the dtype in the identity is not usable: {}", error.message()))
    }

    fn corrupt(&self, message: String) -> Error {
        let position = u64::try_from(self.len.saturating_sub(self.rest.len())).unwrap_or(u64::MAX);
        corrupt(message).at_offset(IDENTITY_OFFSET.saturating_add(position))
    }
}

fn kind_of(marker: Marker) -> &'static str {
    match marker {
        Marker::Null => "nil",
        Marker::True | Marker::False => "a bool",
        Marker::F32 | Marker::F64 => "a float",
        Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 => "a string",
        Marker::Bin8 | Marker::Bin16 | Marker::Bin32 => "raw bytes",
        Marker::FixArray(_) | Marker::Array16 | Marker::Array32 => "an array",
        Marker::FixMap(_) | Marker::Map16 | Marker::Map32 => "a map",
        Marker::Reserved => "no msgpack",
        Marker::FixPos(_) | Marker::FixNeg(_) | Marker::U8 | Marker::U16 | Marker::U32 | Marker::U64 => {
            "an integer"
        }
        Marker::I8 | Marker::I16 | Marker::I32 | Marker::I64 => "an integer",
        _ => "an extension",
    }
}

fn incomplete() -> Error {
    corrupt("the identity is not complete".to_owned())
}

fn corrupt(message: String) -> Error {
    Error::new(Code::CorruptIdentity, message).in_file(FileId::Store)
}
