//! Types with fields, and the limits that keep a hostile one small.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::excerpt::excerpt;
use super::scalar::MAX_ITEMSIZE;
use super::{DType, Kind, Part, Repr};
use crate::error::{Code, Error, Result};
use crate::shape::Shape;

/// How deep structures may nest; a structure of scalars has depth 1.
pub const MAX_DEPTH: usize = 32;

/// How many fields a structure may have, those of nested structures included.
pub const MAX_FIELDS: usize = 1 << 16;

/// NumPy's limit for the dimensions of an array, and of a sub-array.
const MAX_RANK: usize = 64;

/// A field of a structure, at its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    name: String,
    title: Option<String>,
    dtype: DType,
    shape: Shape,
    offset: u64,
    end: u64,
}

impl Field {
    /// The name, unique in its structure.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// NumPy's second name, where the field has one.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The type of one element of the field.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The extents of the sub-array that the field holds; rank 0 for a single element.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where the field starts, in bytes from the start of the structure.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The width of the whole field in bytes: the element's times the sub-array's elements.
    #[must_use]
    pub fn byte_len(&self) -> u64 {
        self.end - self.offset
    }
}

/// A field that is to be placed by [`DType::structure`].
///
/// `(name, dtype)` and `(name, dtype, shape)` convert into it.
#[derive(Clone, Debug)]
pub struct FieldSpec(Spec);

#[derive(Clone, Debug)]
enum Spec {
    Field { name: String, title: Option<String>, dtype: DType, shape: Shape },
    Padding(u64),
}

impl FieldSpec {
    /// A field with one element. An empty name becomes `f{position}`, as in NumPy, unless it has a title.
    #[must_use]
    pub fn new(name: impl Into<String>, dtype: DType) -> Self {
        FieldSpec(Spec::Field { name: name.into(), title: None, dtype, shape: Shape::scalar() })
    }

    /// Bytes that belong to no field.
    #[must_use]
    pub fn padding(bytes: u64) -> Self {
        FieldSpec(Spec::Padding(bytes))
    }

    /// Makes the field a sub-array. Padding has no shape and stays as it is.
    #[must_use]
    pub fn shape(mut self, extents: impl Into<Shape>) -> Self {
        if let Spec::Field { shape, .. } = &mut self.0 {
            *shape = extents.into();
        }
        self
    }

    /// Gives the field NumPy's second name. Padding has no title and stays as it is.
    #[must_use]
    pub fn title(mut self, text: impl Into<String>) -> Self {
        if let Spec::Field { title, .. } = &mut self.0 {
            *title = Some(text.into());
        }
        self
    }

    /// An entry of NumPy's `descr`, where padding is a nameless field of raw bytes.
    pub(crate) fn from_descr(name: String, title: Option<String>, dtype: DType, shape: Shape) -> Self {
        if name.is_empty() && title.is_none() && shape.rank() == 0 && dtype.kind() == Kind::Void {
            return FieldSpec::padding(dtype.itemsize());
        }
        FieldSpec(Spec::Field { name, title, dtype, shape })
    }
}

impl<N: Into<String>> From<(N, DType)> for FieldSpec {
    fn from((name, dtype): (N, DType)) -> Self {
        FieldSpec::new(name, dtype)
    }
}

impl<N: Into<String>, S: Into<Shape>> From<(N, DType, S)> for FieldSpec {
    fn from((name, dtype, shape): (N, DType, S)) -> Self {
        FieldSpec::new(name, dtype).shape(shape)
    }
}

/// Placed fields. Padding is not kept as such: it is what the offsets leave free.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Structure {
    fields: Vec<Field>,
    itemsize: u64,
    depth: usize,
    total_fields: usize,
}

impl Structure {
    pub(super) fn of(specs: impl Iterator<Item = FieldSpec>) -> Result<Self> {
        let mut structure = Structure { fields: Vec::new(), itemsize: 0, depth: 1, total_fields: 0 };
        let mut names = BTreeSet::new();
        for (position, FieldSpec(spec)) in specs.enumerate() {
            match spec {
                Spec::Padding(bytes) => structure.pad(bytes)?,
                Spec::Field { name, title, dtype, shape } => {
                    let name = match &title {
                        None if name.is_empty() => format!("f{position}"),
                        Some(title) if name.is_empty() => {
                            let title = excerpt(title);
                            return Err(invalid(format!("the field with the title '{title}' has no name")));
                        }
                        _ => name,
                    };
                    for label in title.iter().chain([&name]) {
                        if !names.insert(label.clone()) {
                            let label = excerpt(label);
                            return Err(invalid(format!("the field name or title '{label}' occurs twice")));
                        }
                    }
                    structure.place(name, title, dtype, shape)?;
                }
            }
        }
        Ok(structure)
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub(super) fn itemsize(&self) -> u64 {
        self.itemsize
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let ends = core::iter::once(0).chain(self.fields.iter().map(|field| field.end));
        let starts = self.fields.iter().map(|field| field.offset).chain([self.itemsize]);
        let fields = self.fields.iter().map(Some).chain([None]);
        ends.zip(starts).zip(fields).flat_map(|((end, start), field)| {
            let gap = (start > end).then(|| Part::Padding(start - end));
            gap.into_iter().chain(field.map(Part::Field))
        })
    }

    fn pad(&mut self, bytes: u64) -> Result<()> {
        self.itemsize = advance(self.itemsize, Some(bytes))?;
        let last_end = self.fields.last().map_or(0, |field| field.end);
        if self.itemsize - last_end > u64::from(MAX_ITEMSIZE) {
            return Err(invalid(format!(
                "the padding is too large: one gap holds at most {MAX_ITEMSIZE} bytes"
            )));
        }
        Ok(())
    }

    fn place(&mut self, name: String, title: Option<String>, dtype: DType, shape: Shape) -> Result<()> {
        if let Repr::Struct(inner) = &dtype.0 {
            self.depth = self.depth.max(inner.depth + 1);
            self.total_fields = self.total_fields.saturating_add(inner.total_fields);
        }
        self.total_fields = self.total_fields.saturating_add(1);
        if self.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        if self.total_fields > MAX_FIELDS {
            return Err(invalid(format!("the structure has more than {MAX_FIELDS} fields")));
        }
        if shape.rank() > MAX_RANK {
            let name = excerpt(&name);
            return Err(invalid(format!("field '{name}' has more than {MAX_RANK} dimensions")));
        }
        let elements = shape
            .elements()
            .map_err(|error| invalid(format!("{} in field '{}'", error.message(), excerpt(&name))))?;
        let offset = self.itemsize;
        let end = advance(offset, elements.checked_mul(dtype.itemsize()))?;
        self.fields.push(Field { name, title, dtype, shape, offset, end });
        self.itemsize = end;
        Ok(())
    }
}

pub(super) fn invalid(message: String) -> Error {
    Error::new(Code::InvalidDType, message)
}

pub(crate) fn too_deep() -> Error {
    invalid(format!("structures nest more than {MAX_DEPTH} deep"))
}

fn advance(offset: u64, bytes: Option<u64>) -> Result<u64> {
    bytes
        .and_then(|bytes| offset.checked_add(bytes))
        .ok_or_else(|| invalid(String::from("the structure is wider than 2^64 bytes")))
}
