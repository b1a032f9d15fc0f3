//! The columns that a table shows.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::dtype::{ByteOrder, DType, Kind, excerpt};
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Manifest, Text};

/// Names and types of the columns, in the order of the file.
///
/// Where a name occurs twice, the later column takes the place of the earlier, as in colstore.
#[derive(Debug)]
pub struct Schema {
    columns: Vec<SchemaColumn>,
    by_name: BTreeMap<Text, usize>,
    row_width: u64,
}

/// One column of a table.
#[derive(Clone, Debug)]
pub struct SchemaColumn {
    name: Text,
    dtype: DType,
    stored: DType,
    manifest_position: usize,
    before: u64,
}

impl SchemaColumn {
    /// The name; `U+FFFD` stands for what is not Unicode in names that Python wrote.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The name with everything that Python may have put into it.
    #[must_use]
    pub fn exact_name(&self) -> &Text {
        &self.name
    }

    /// The type of the values that reading gives: in the byte order of this machine.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The type of the values in the file.
    #[must_use]
    pub fn stored_dtype(&self) -> &DType {
        &self.stored
    }

    /// Its position in the manifest, which also counts columns that are hidden by a later one of the same name.
    #[must_use]
    pub fn manifest_position(&self) -> usize {
        self.manifest_position
    }

    /// The bytes of the columns before it in one row.
    pub(super) fn before(&self) -> u64 {
        self.before
    }

    /// The bytes of one value.
    pub(super) fn width(&self) -> u64 {
        self.stored.itemsize()
    }

    /// How many bytes are to be reversed as one where the file has the other byte order.
    pub(super) fn swap_unit(&self) -> Option<usize> {
        swap_unit(&self.stored, ByteOrder::NATIVE)
    }
}

/// How many bytes of a value are to be reversed as one to bring it into the byte order `wanted`; `None` where nothing is to be
/// done. Structures are kept as they are.
pub(crate) fn swap_unit(dtype: &DType, wanted: ByteOrder) -> Option<usize> {
    if [ByteOrder::Irrelevant, wanted].contains(&dtype.order()) {
        return None;
    }
    let unit = match dtype.kind() {
        Kind::Text => 4,
        Kind::Complex => dtype.itemsize() / 2,
        _ => dtype.itemsize(),
    };
    usize::try_from(unit).ok()
}

impl Schema {
    pub(super) fn of(manifest: &Manifest) -> Result<Self> {
        let mut schema = Schema { columns: Vec::new(), by_name: BTreeMap::new(), row_width: 0 };
        for (manifest_position, column) in manifest.columns.iter().enumerate() {
            let stored = column.dtype().clone();
            let before = schema.row_width;
            schema.row_width = before.checked_add(stored.itemsize()).ok_or_else(|| {
                Error::new(Code::CorruptHeader, "the columns of one row are wider than 2^64 bytes together")
            })?;
            let name = column.name().clone();
            let dtype = in_native_order(&stored)?;
            let shown = SchemaColumn { name: name.clone(), dtype, stored, manifest_position, before };
            match schema.by_name.get(&name).and_then(|&position| schema.columns.get_mut(position)) {
                Some(earlier) => *earlier = shown,
                None => {
                    schema.by_name.insert(name, schema.columns.len());
                    schema.columns.push(shown);
                }
            }
        }
        Ok(schema)
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[SchemaColumn] {
        &self.columns
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(SchemaColumn::name)
    }

    /// The position of the column with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        let exact = self.by_name.get(&Text::from(name)).copied();
        // A name that no Rust string can hold is found by what it looks like.
        exact.or_else(|| self.columns.iter().rposition(|column| column.name() == name))
    }

    /// The column with this name.
    ///
    /// # Errors
    /// [`Code::ColumnNotFound`], listing the names that there are.
    pub fn column(&self, name: &str) -> Result<&SchemaColumn> {
        let position = self.position(name).ok_or_else(|| no_column(name, self.names()))?;
        Ok(&self.columns[position])
    }

    /// The bytes of one row of all stored columns.
    #[must_use]
    pub fn row_width(&self) -> u64 {
        self.row_width
    }
}

pub(super) fn no_column<'a>(name: &str, mut known: impl Iterator<Item = &'a str>) -> Error {
    const LISTED: usize = 20;
    let mut list: Vec<&str> = known.by_ref().take(LISTED).collect();
    if known.next().is_some() {
        list.push("…");
    }
    let there_are = match list.as_slice() {
        [] => "there are no columns".to_string(),
        names => format!("there are: {}", excerpt(&names.join(", "))),
    };
    Error::new(Code::ColumnNotFound, format!("there is no column '{}'; {there_are}", excerpt(name)))
}

fn in_native_order(stored: &DType) -> Result<DType> {
    if stored.is_struct() || stored.is_native_order() {
        return Ok(stored.clone());
    }
    let spelling = stored.to_string();
    let (_, rest) = spelling.split_at(1);
    DType::parse(&format!("{}{rest}", ByteOrder::NATIVE.symbol()))
}
