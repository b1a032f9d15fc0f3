//! What is given to be written, and whether it fits the table.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::dtype::{ByteOrder, DType, Element, Kind, bytes_of_slice, excerpt};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Column, Manifest, Text};

/// One column of what is written: its name, its type and its values.
///
/// ```
/// use recask_core::DType;
/// use recask_core::table::ColumnInput;
///
/// let price = ColumnInput::of("price", &[1.5f64, 2.0]);
/// // Big-endian values are stored little-endian.
/// let day = ColumnInput::new("day", DType::parse(">M8[D]")?, &[0, 0, 0, 0, 0, 0, 0x4d, 0xe1]);
/// assert_eq!((price.name(), day.dtype().to_string()), ("price", ">M8[D]".into()));
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ColumnInput<'a> {
    name: Text,
    dtype: DType,
    bytes: &'a [u8],
}

impl<'a> ColumnInput<'a> {
    /// A column of `dtype`: `bytes` are whole values in its byte order, of any alignment.
    #[must_use]
    pub fn new(name: impl Into<Cow<'a, str>>, dtype: DType, bytes: &'a [u8]) -> Self {
        ColumnInput { name: name.into().into_owned().into(), dtype, bytes }
    }

    /// A column of Rust's own values.
    #[must_use]
    pub fn of<T: Element>(name: impl Into<Cow<'a, str>>, values: &'a [T]) -> Self {
        Self::new(name, T::DTYPE, bytes_of_slice(values))
    }

    /// Gives it a name that no Rust string can hold, as Python may have written it.
    #[must_use]
    pub fn with_exact_name(mut self, name: Text) -> Self {
        self.name = name;
        self
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The type of the given values.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The given values.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many values there are.
    fn rows(&self) -> Result<u64> {
        let (len, width) = (self.bytes.len() as u64, self.dtype.itemsize());
        if width > 0 && len.is_multiple_of(width) {
            return Ok(len / width);
        }
        let text = format!(
            "column '{}' has {len} bytes, which is not a whole number of '{}' values",
            shown(&self.name),
            self.dtype
        );
        Err(Error::new(Code::BufferSize, text))
    }

    /// The values as they are stored.
    fn stored(&self) -> Cow<'a, [u8]> {
        let unit = match self.dtype.kind() {
            Kind::Text => 4,
            _ => self.dtype.itemsize(),
        };
        match usize::try_from(unit) {
            Ok(unit) if unit > 1 && self.dtype.order() == ByteOrder::Big => {
                let mut swapped = self.bytes.to_vec();
                swapped.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
                Cow::Owned(swapped)
            }
            _ => Cow::Borrowed(self.bytes),
        }
    }
}

/// Columns that fit the table: values as they are stored.
pub(super) struct Batch<'a> {
    pub(super) rows: u64,
    pub(super) values: Vec<Cow<'a, [u8]>>,
}

/// The schema of these columns, if a table can have it.
pub(super) fn schema_of<'t>(columns: impl IntoIterator<Item = (&'t Text, &'t DType)>) -> Result<Manifest> {
    let mut names = BTreeSet::new();
    let mut manifest = Manifest { columns: Vec::new() };
    for (name, dtype) in columns {
        if !names.insert(name) {
            let text = format!("column '{}' is given twice", shown(name));
            return Err(Error::new(Code::InvalidArgument, text));
        }
        manifest.columns.push(Column::new(name.clone(), stored_type(name, dtype)?));
    }
    if manifest.columns.is_empty() {
        return Err(Error::new(Code::InvalidArgument, "a table needs at least one column"));
    }
    Ok(manifest)
}

/// Refuses columns of another schema than the table's: other names, order or types.
pub(super) fn check_schema<'t>(
    manifest: &Manifest,
    columns: impl ExactSizeIterator<Item = (&'t Text, &'t DType)>,
) -> Result<()> {
    if columns.len() != manifest.columns.len() {
        let text = format!("{} columns are given, the table has {}", columns.len(), manifest.columns.len());
        return Err(Error::new(Code::ShapeMismatch, text));
    }
    let mut names = BTreeSet::new();
    for ((name, dtype), column) in columns.zip(&manifest.columns) {
        if name != column.name() {
            let there = manifest.columns.iter().any(|column| column.name() == name);
            let code = if there { Code::InvalidArgument } else { Code::ColumnNotFound };
            let text = format!(
                "column '{}' is given where the table has column '{}'; give the columns in the order of the table",
                shown(name),
                shown(column.name())
            );
            return Err(Error::new(code, text));
        }
        let stored = stored_type(name, dtype)?;
        if stored != *column.dtype() {
            let text = format!(
                "column '{}' is given as '{stored}', the table has it as '{}'",
                shown(name),
                column.dtype()
            );
            return Err(Error::new(Code::DTypeMismatch, text));
        }
        if !names.insert(name) {
            let text = format!(
                "the table has column '{}' twice: nothing can be appended to it, write a new table",
                shown(name)
            );
            return Err(Error::new(Code::InvalidArgument, text));
        }
    }
    Ok(())
}

/// The columns' values, if all have as many.
pub(super) fn batch<'a>(columns: &[ColumnInput<'a>]) -> Result<Batch<'a>> {
    let mut rows = None;
    for column in columns {
        let found = column.rows()?;
        let expected = *rows.get_or_insert(found);
        if found != expected {
            let text = format!(
                "column '{}' has {found} values, the columns before it have {expected}",
                shown(&column.name)
            );
            return Err(Error::new(Code::ShapeMismatch, text));
        }
    }
    Ok(Batch { rows: rows.unwrap_or(0), values: columns.iter().map(ColumnInput::stored).collect() })
}

/// Names and types as the functions above take them.
pub(super) fn labels<'t>(
    columns: &'t [ColumnInput<'_>],
) -> impl ExactSizeIterator<Item = (&'t Text, &'t DType)> {
    columns.iter().map(|column| (&column.name, &column.dtype))
}

/// The type in the file: always little-endian.
fn stored_type(name: &Text, dtype: &DType) -> Result<DType> {
    let refused = |why: &str| {
        let text = format!("column '{}' has the type '{dtype}': {why}", shown(name));
        Err(Error::new(Code::InvalidDType, text))
    };
    match dtype.kind() {
        Kind::Complex => return refused("a table keeps no complex numbers; write two columns"),
        Kind::Void => return refused("a table keeps no raw bytes; use a byte string such as '|S8'"),
        Kind::Struct => return refused("a table keeps no structures; write one column for each field"),
        Kind::Bool | Kind::Int | Kind::UInt | Kind::Float => {}
        Kind::Bytes | Kind::Text | Kind::DateTime | Kind::TimeDelta => {}
    }
    if dtype.itemsize() == 0 {
        return refused("its values have no bytes");
    }
    if dtype.order() != ByteOrder::Big {
        return Ok(dtype.clone());
    }
    let spelling = dtype.to_string();
    DType::parse(&format!("{}{}", ByteOrder::Little.symbol(), spelling.trim_start_matches('>')))
}

fn shown(name: &Text) -> String {
    excerpt(name.as_str())
}
