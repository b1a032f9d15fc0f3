//! The options that say how a file becomes a table.

use clap::{Args, ValueEnum};
use recask::convert::table::{Csv, Format, ImportOptions, Mode, Nulls, Rules, TextAs};
use recask::table::WriteOptions;

/// What is stored for missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum NullsName {
    /// Nothing: the first one is an error that names its place
    #[default]
    Refuse,
    /// NaN for floats, NaT for times; an error elsewhere
    Nan,
    /// 0, false, the year 1970, empty text
    Zero,
    /// Empty text, NaN, NaT; an error for integers and bools
    Empty,
}

/// File formats of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    Parquet,
    /// An Arrow IPC file, also Feather
    #[value(alias = "feather")]
    Arrow,
    /// An Arrow IPC stream
    Arrows,
    Csv,
    /// A JSON object a line
    Jsonl,
    /// NumPy arrays, one for each column
    Npz,
}

/// How CSV is read and written.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CsvArgs {
    /// What stands between the fields of CSV [default: a comma; a tab where the file is named .tsv]
    #[arg(long, value_parser = delimiter, value_name = "CHARACTER")]
    delimiter: Option<u8>,
    /// CSV has no line with the names of its columns
    #[arg(long)]
    no_header: bool,
}

/// How a file becomes a table.
#[derive(Args, Debug)]
pub(crate) struct SourceArgs {
    /// What the source is, where neither its first bytes nor its name say it
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// What is stored for missing values [default: refuse]
    #[arg(long, value_enum)]
    nulls: Option<NullsName>,
    /// The width of columns of text, in characters [default: the longest one, which is looked for first]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    width: Option<u32>,
    /// Store text as UTF-8 bytes (S) and not as NumPy's text (U); a width then counts bytes
    #[arg(long)]
    utf8: bool,
    /// Store decimals as the nearest floats; they are an error otherwise
    #[arg(long)]
    decimals_as_floats: bool,
    #[command(flatten)]
    csv: CsvArgs,
}

impl FormatName {
    pub(crate) fn format(self) -> Format {
        match self {
            FormatName::Parquet => Format::Parquet,
            FormatName::Arrow => Format::Arrow,
            FormatName::Arrows => Format::ArrowStream,
            FormatName::Csv => Format::Csv,
            FormatName::Jsonl => Format::JsonLines,
            FormatName::Npz => Format::Npz,
        }
    }
}

impl CsvArgs {
    pub(crate) fn csv(self) -> Csv {
        Csv { delimiter: self.delimiter, header: !self.no_header }
    }

    /// The options, and which of them are given.
    pub(crate) fn given(self) -> [(&'static str, bool); 2] {
        [("--delimiter", self.delimiter.is_some()), ("--no-header", self.no_header)]
    }
}

impl SourceArgs {
    pub(crate) fn options(
        &self,
        columns: Option<Vec<String>>,
        mode: Mode,
        layout: WriteOptions,
    ) -> ImportOptions {
        let nulls = match self.nulls.unwrap_or_default() {
            NullsName::Refuse => Nulls::Refuse,
            NullsName::Nan => Nulls::Nan,
            NullsName::Zero => Nulls::Zero,
            NullsName::Empty => Nulls::Empty,
        };
        let text = if self.utf8 { TextAs::Utf8 } else { TextAs::Unicode };
        let rules = Rules { nulls, width: self.width, text, decimals_as_floats: self.decimals_as_floats };
        let format = self.format.map(FormatName::format);
        ImportOptions { format, columns, rules, csv: self.csv.csv(), mode, layout }
    }

    /// The options, and which of them are given.
    pub(crate) fn given(&self) -> Vec<(&'static str, bool)> {
        let mut given = vec![
            ("--format", self.format.is_some()),
            ("--nulls", self.nulls.is_some()),
            ("--width", self.width.is_some()),
            ("--utf8", self.utf8),
            ("--decimals-as-floats", self.decimals_as_floats),
        ];
        given.extend(self.csv.given());
        given
    }
}

/// One byte; `\t` and `tab` are a tab.
fn delimiter(text: &str) -> Result<u8, String> {
    match (text, text.as_bytes()) {
        ("\\t" | "tab", _) => Ok(b'\t'),
        (_, [byte]) => Ok(*byte),
        _ => Err("a delimiter is one character of ASCII, or tab".to_owned()),
    }
}
