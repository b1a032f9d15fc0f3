//! What is at a place.

use std::path::Path;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recask::convert::{self, Found};
use recask::{AnyStore, Result};

use crate::error::invalid;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Watch};

/// A stream that was found.
#[napi(object, js_name = "NativeFound", object_from_js = false)]
#[derive(Debug)]
pub struct FoundStream {
    /// Its path within the folder, without the ending of a table.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// `dense`, `ragged` or `table`.
    #[napi(ts_type = "'dense' | 'ragged' | 'table'")]
    pub kind: &'static str,
}

/// What is at a place. A store or table alone is the only stream.
#[napi(object, js_name = "NativeDataset", object_from_js = false)]
#[derive(Debug)]
pub struct Dataset {
    /// `store`, `table` or `folder`.
    #[napi(ts_type = "'store' | 'table' | 'folder'")]
    pub kind: &'static str,
    /// Sorted by name.
    pub streams: Vec<FoundStream>,
}

/// Finds what is at a place: a store, a table, or those in a folder and the folders in it.
///
/// # Errors
/// `store_not_found`, `invalid_source`, and what opening a store says.
#[napi(ts_args_type = "path: string, stop?: NativeStop | null", ts_return_type = "Promise<NativeDataset>")]
pub fn find_dataset(path: String, stop: Option<&NativeStop>) -> napi::Result<AsyncTask<Job<Dataset>>> {
    let watch = now(|| Watch::new(stop, None))?;
    Ok(later(move || find(&path, &watch), value))
}

/// The same at once.
///
/// # Errors
/// As `findDataset`.
#[napi]
pub fn find_dataset_sync(path: String) -> napi::Result<Dataset> {
    now(|| find(&path, &Watch::default()))
}

fn find(path: &str, watch: &Watch) -> Result<Dataset> {
    if path.is_empty() {
        return Err(invalid("the path of a dataset must not be empty"));
    }
    let place = Path::new(path);
    let found = convert::find(place)?;
    let kind = match found.as_slice() {
        [only] if only.path == place => {
            if only.is_table {
                "table"
            } else {
                "store"
            }
        }
        _ => "folder",
    };
    let streams = found.into_iter().map(|stream| {
        watch.check()?;
        described(stream)
    });
    Ok(Dataset { kind, streams: streams.collect::<Result<_>>()? })
}

fn described(Found { name, path, is_table }: Found) -> Result<FoundStream> {
    let kind = if is_table { "table" } else { AnyStore::open(&path)?.kind().as_str() };
    let path = path.into_os_string().into_string();
    let path =
        path.map_err(|path| invalid(format!("the path {} is not UTF-8; rename it", path.display())))?;
    Ok(FoundStream { name, path, kind })
}
