//! The schema in JSON, byte for byte as Python writes it, and read as tolerantly as Python reads it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::super::checksum::crc32;
use super::json::Json;
use super::text::Text;
use crate::dtype::{DType, excerpt};
use crate::error::{Code, Error, Result};

/// The columns of a table in their order on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The columns; a name may occur twice, the later one then hides the earlier.
    pub columns: Vec<Column>,
}

/// One column as the manifest describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    name: Text,
    dtype: DType,
    entry: Json,
}

impl Manifest {
    /// The largest manifest that is read, in bytes: far more than any table's, and little enough to be parsed.
    pub const MAX_LEN: u64 = 64 << 20;
    const VERSION: u32 = 1;

    /// Reads the manifest. Unknown keys are kept in entries and ignored elsewhere; `encoding` and `nullable` are ignored
    /// as in colstore, where every column is raw.
    ///
    /// # Errors
    /// [`Code::CorruptHeader`] or [`Code::UnsupportedVersion`]; the caller knows the offset.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let json = Json::parse(bytes).map_err(|(at, reason)| {
            corrupt(format!("the manifest is not valid JSON: {reason} (byte {at} of it)"))
        })?;
        if !matches!(json, Json::Object(_)) {
            return Err(corrupt("the manifest is no JSON object".into()));
        }
        match json.get("format_version") {
            Some(version) if version.equals_integer(Self::VERSION) => {}
            version => {
                let text = match version {
                    Some(version) => {
                        format!("the manifest has format_version {}, only 1 is known", short(version))
                    }
                    None => "the manifest has no format_version".into(),
                };
                return Err(Error::new(Code::UnsupportedVersion, text));
            }
        }
        let Some(columns) = json.get("columns") else {
            return Err(corrupt("the manifest lists no columns".into()));
        };
        if let Some(stored) = json.get("manifest_crc32").filter(|stored| **stored != Json::Null) {
            let computed = checksum(columns);
            if !stored.equals_integer(computed) {
                let text = format!(
                    "the checksum of the manifest is wrong: {} is stored, {computed} computed",
                    short(stored)
                );
                return Err(corrupt(text));
            }
        }
        let Json::Array(entries) = columns else {
            return Err(corrupt("the columns of the manifest are no list".into()));
        };
        let columns = entries.iter().enumerate().map(|(position, entry)| Column::decode(position, entry));
        Ok(Manifest { columns: columns.collect::<Result<_>>()? })
    }

    /// The JSON text, as colstore writes it.
    #[must_use]
    pub fn encode(&self) -> String {
        let columns = Json::Array(self.columns.iter().map(|column| column.entry.clone()).collect());
        let sum = Json::Integer(checksum(&columns).to_string());
        let version = Json::Integer(Self::VERSION.to_string());
        let manifest = Json::Object(alloc::vec![
            ("format_version".into(), version),
            ("columns".into(), columns),
            ("manifest_crc32".into(), sum),
        ]);
        let mut text = String::new();
        manifest.write(false, &mut text);
        text
    }

    /// The bytes of one row; `None` beyond 64 bits.
    #[must_use]
    pub fn row_width(&self) -> Option<u64> {
        self.columns.iter().try_fold(0u64, |width, column| width.checked_add(column.dtype.itemsize()))
    }
}

impl Column {
    /// A column as colstore describes it: raw and without nulls, its type in NumPy's spelling.
    #[must_use]
    pub fn new(name: impl Into<Text>, dtype: DType) -> Self {
        let name = name.into();
        let entry = Json::Object(alloc::vec![
            ("name".into(), Json::String(name.clone())),
            ("dtype".into(), Json::String(dtype.to_string().into())),
            ("encoding".into(), Json::String("raw".into())),
            ("nullable".into(), Json::Bool(false)),
        ]);
        Column { name, dtype, entry }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &Text {
        &self.name
    }

    /// The type of one stored value, in the byte order of the file.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The whole entry of the manifest, with keys that this library does not know.
    #[must_use]
    pub fn entry(&self) -> &Json {
        &self.entry
    }

    fn decode(position: usize, entry: &Json) -> Result<Self> {
        let wrong = |what: String| Err(corrupt(format!("column {position} of the manifest {what}")));
        let name = match entry.get("name") {
            Some(Json::String(name)) => name.clone(),
            // Python's writer keeps names that are numbers.
            Some(Json::Integer(digits)) => digits.as_str().into(),
            Some(_) => return wrong("has a name that is no string".into()),
            None => return wrong("has no name".into()),
        };
        let Some(Json::String(spelling)) = entry.get("dtype") else {
            return wrong("has no dtype".into());
        };
        let dtype = match DType::parse(spelling.as_str()) {
            Ok(dtype) => dtype,
            Err(error) => return wrong(format!("cannot be read: {}", error.message())),
        };
        if dtype.itemsize() == 0 {
            return wrong(format!("has the type '{dtype}', whose values have no bytes"));
        }
        Ok(Column { name, dtype, entry: entry.clone() })
    }
}

/// Over the sorted text of the columns alone, as colstore computes it.
fn checksum(columns: &Json) -> u32 {
    let mut canonical = String::from("{\"columns\": ");
    columns.write(true, &mut canonical);
    canonical.push('}');
    crc32(canonical.as_bytes())
}

fn short(value: &Json) -> String {
    let mut text = String::new();
    value.write(false, &mut text);
    excerpt(&text).to_string()
}

fn corrupt(what: String) -> Error {
    Error::new(Code::CorruptHeader, what)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    #[test]
    fn the_manifest_of_the_specification() {
        let manifest =
            Manifest { columns: alloc::vec![Column::new("x", DType::I32), Column::new("y", DType::F64)] };
        let text = manifest.encode();
        assert_eq!(text.len(), 202);
        assert!(text.ends_with("\"manifest_crc32\": 3153509804}"));
        assert_eq!(Manifest::decode(text.as_bytes()).unwrap(), manifest);
        assert_eq!(manifest.row_width(), Some(12));
    }

    #[test]
    fn a_version_that_equals_one_is_one() {
        for version in ["1", "1.0", "true"] {
            let text = format!("{{\"format_version\":{version},\"columns\":[]}}");
            assert!(Manifest::decode(text.as_bytes()).unwrap().columns.is_empty());
        }
        for version in ["2", "null", "\"1\"", "false", "[1]"] {
            let text = format!("{{\"format_version\":{version},\"columns\":[]}}");
            let error = Manifest::decode(text.as_bytes()).unwrap_err();
            assert_eq!(error.code(), Code::UnsupportedVersion, "{version}");
        }
    }

    #[test]
    fn entries_have_to_make_sense() {
        for entry in [
            "1",
            "{}",
            r#"{"name":"x"}"#,
            r#"{"name":[],"dtype":"i4"}"#,
            r#"{"name":"x","dtype":4}"#,
            r#"{"name":"x","dtype":"S0"}"#,
        ] {
            let text = format!("{{\"format_version\":1,\"columns\":[{entry}]}}");
            assert_eq!(Manifest::decode(text.as_bytes()).unwrap_err().code(), Code::CorruptHeader, "{entry}");
        }
    }
}
