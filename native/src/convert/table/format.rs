//! Which format a file has.

use std::io::Read as _;
use std::path::Path;

use recask_core::Result;

use super::super::problem::{Site, invalid_argument};
use super::super::reading::{Meter, open_unpacked};

/// A file format that tables are converted from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Apache Parquet: `.parquet`, `.pq`.
    Parquet,
    /// An Arrow IPC file, also called Feather version 2: `.arrow`, `.feather`, `.ipc`.
    Arrow,
    /// An Arrow IPC stream: `.arrows`.
    ArrowStream,
    /// Text with delimiters, possibly gzipped: `.csv`, `.tsv`.
    Csv,
    /// One JSON object a line, possibly gzipped: `.jsonl`, `.ndjson`.
    JsonLines,
    /// A zip archive of NumPy arrays, one for each column: `.npz`.
    Npz,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] =
        [Format::Parquet, Format::Arrow, Format::ArrowStream, Format::Csv, Format::JsonLines, Format::Npz];

    /// `parquet`, `arrow`, `arrows`, `csv`, `jsonl` or `npz`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrows",
            Format::Csv => "csv",
            Format::JsonLines => "jsonl",
            Format::Npz => "npz",
        }
    }

    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Format::ALL.into_iter().find(|format| format.as_str() == name)
    }

    /// What the extension of a path says; `.gz` behind that of a text format counts as well.
    #[must_use]
    pub fn of_extension(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let is_text = |format: &Format| matches!(format, Format::Csv | Format::JsonLines);
        match name.strip_suffix(".gz") {
            Some(packed) => Self::of_name(packed).filter(is_text),
            None => Self::of_name(&name),
        }
    }

    fn of_name(name: &str) -> Option<Self> {
        Some(match name.rsplit_once('.')?.1 {
            "parquet" | "pq" => Format::Parquet,
            "arrow" | "feather" | "ipc" => Format::Arrow,
            "arrows" => Format::ArrowStream,
            "csv" | "tsv" => Format::Csv,
            "jsonl" | "ndjson" => Format::JsonLines,
            "npz" => Format::Npz,
            _ => return None,
        })
    }

    /// What a file is, by its first bytes or else its extension.
    ///
    /// # Errors
    /// [`InvalidSource`](crate::Code::InvalidSource) where there is no file, or none of these formats.
    pub fn detect(source: &Path) -> Result<Self> {
        let site = Site::file(source);
        let mut start = Vec::new();
        let opened = open_unpacked(site, &Meter::default())?;
        opened.take(64).read_to_end(&mut start).map_err(|error| site.unreadable(error))?;
        let named = Self::of_extension(source);
        let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&start);
        Ok(match &*start {
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Format::Arrow,
            [0xff, 0xff, 0xff, 0xff, ..] => Format::ArrowStream,
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Format::Npz,
            [b'F', b'E', b'A', b'1', ..] => {
                return Err(
                    site.invalid("this is Feather version 1; write it as version 2 (Arrow IPC) first")
                );
            }
            _ => match named {
                Some(format @ (Format::Csv | Format::JsonLines)) => format,
                None if text.trim_ascii_start().starts_with(b"{") => Format::JsonLines,
                Some(format) => {
                    return Err(
                        site.invalid(format_args!("this is no {} file, as it is named", format.as_str()))
                    );
                }
                None => {
                    return Err(site.invalid(
                        "this is no Parquet, Arrow IPC, CSV, JSON lines or npz file, by its first bytes or its \
                         extension; say which format it is",
                    ));
                }
            },
        })
    }

    /// What the extension of a file that is to be written asks for.
    pub(super) fn to_write(dest: &Path) -> Result<Self> {
        let is_packed = dest.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        Self::of_extension(dest).filter(|_| !is_packed).ok_or_else(|| {
            invalid_argument(format!(
                "the extension of {} is none of .parquet, .arrow, .feather, .arrows, .csv, .tsv, .jsonl and .npz; say \
                 which format to write",
                dest.display()
            ))
        })
    }
}
