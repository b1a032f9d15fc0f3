//! Files become tables.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recask::Result;
use recask::convert::table::{self, Format, ImportOptions, Mode};

use crate::error::invalid;
use crate::numbers::count;
use crate::rules::{RawRules, csv_of};
use crate::table::write_options;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// How a file becomes a table.
#[napi(object, js_name = "RawTableImport", object_to_js = false)]
#[derive(Debug)]
pub struct TableImport {
    /// What the source is; by default its first bytes and its name say it. `arrow` is a file or a stream.
    #[napi(ts_type = "'parquet' | 'arrow' | 'csv' | 'jsonl' | 'npz'")]
    pub format: Option<String>,
    /// The columns to take, in this order; all by default.
    pub columns: Option<Vec<String>>,
    /// What is stored for missing values; they are an error by default.
    #[napi(ts_type = "'refuse' | 'nan' | 'zero' | 'empty'")]
    pub nulls: Option<String>,
    /// The width of text: characters, bytes with `utf8`. By default that of the longest one.
    pub width: Option<f64>,
    /// Whether text is stored as bytes of UTF-8 and not as NumPy's text.
    pub utf8: Option<bool>,
    /// Whether decimals become the nearest floats; they are an error otherwise.
    pub decimals_as_floats: Option<bool>,
    /// What stands between fields of CSV.
    pub delimiter: Option<String>,
    /// Whether CSV has a line with the names of its columns, as by default.
    pub header: Option<bool>,
    /// What is done with a table that is there: it is refused by default.
    #[napi(ts_type = "'create' | 'replace' | 'append'")]
    pub mode: Option<String>,
    /// Which release of colstore can read a new table; `0.3` by default, with statistics `0.5`.
    #[napi(ts_type = "'0.3' | '0.5'")]
    pub layout: Option<String>,
    /// Whether a new table keeps the extremes of every column.
    pub statistics: Option<bool>,
}

/// Makes a table of a file, or adds its rows to one, as one record; answers how many rows there are. Progress counts bytes of the
/// source.
///
/// # Errors
/// `invalid_source`, `invalid_dtype`, `store_exists`, `interrupted`, … as the native crate says; everything is then as it was.
#[napi(
    ts_args_type = "source: string, dest: string, options: RawTableImport, stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
    ts_return_type = "Promise<number>"
)]
pub fn import_table(
    source: String,
    dest: String,
    options: TableImport,
    stop: Option<&NativeStop>,
    progress: Option<Told<'_>>,
) -> napi::Result<AsyncTask<Job<f64>>> {
    let (options, watch) = now(|| Ok((options.options()?, Watch::new(stop, progress.as_ref())?)))?;
    Ok(later(move || imported(&source, &dest, options, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `importTable`.
#[napi]
pub fn import_table_sync(source: String, dest: String, options: TableImport) -> napi::Result<f64> {
    now(|| imported(&source, &dest, options.options()?, &Watch::default()))
}

impl TableImport {
    fn options(self) -> Result<ImportOptions> {
        let mode = match self.mode.as_deref() {
            None | Some("create") => Mode::Create,
            Some("replace") => Mode::Recreate,
            Some("append") => Mode::Append,
            Some(other) => {
                return Err(invalid(format!("there is no mode '{other}'; use create, replace or append")));
            }
        };
        let statistics = self.statistics == Some(true);
        let layout = self.layout.as_deref().unwrap_or(if statistics { "0.5" } else { "0.3" });
        let rules = RawRules {
            nulls: self.nulls,
            width: self.width,
            utf8: self.utf8,
            decimals_as_floats: self.decimals_as_floats,
        };
        Ok(ImportOptions {
            format: self.format.as_deref().map(format_of).transpose()?,
            columns: self.columns,
            rules: rules.rules()?,
            csv: csv_of(self.delimiter.as_deref(), self.header)?,
            mode,
            layout: write_options(layout, statistics)?,
        })
    }
}

/// A format by its name.
pub(crate) fn format_of(name: &str) -> Result<Format> {
    Format::named(name).ok_or_else(|| {
        let known = Format::ALL.map(Format::as_str).join(", ");
        invalid(format!("there is no format '{name}' of tables; there are {known}"))
    })
}

fn imported(source: &str, dest: &str, mut options: ImportOptions, watch: &Watch) -> Result<f64> {
    let source = Path::new(source);
    watch.check()?;
    watch.expect(source.metadata().map_or(0, |file| file.len()));
    if options.format == Some(Format::Arrow) && !is_arrow_file(source) {
        options.format = Some(Format::ArrowStream);
    }
    table::import(source, Path::new(dest), &options, watch).map(|made| count(made.rows))
}

/// By how it begins; where it cannot be read, the import says why.
fn is_arrow_file(path: &Path) -> bool {
    let mut start = [0; 6];
    File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"ARROW1"
}
