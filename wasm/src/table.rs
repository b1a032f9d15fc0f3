//! Column tables.

use std::sync::Arc;

use js_sys::{Array, Float64Array, Object};
use recask_core::Table;
use recask_core::storage::{FileId, OpenMode, Storage as _, StorageError};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, answer, needs, object};
use crate::environment::{Web, WebStorage};
use crate::executor::WebExecutor;
use crate::fetched::{Files, registered};
use crate::numbers::count;
use crate::selection::RawSelection;
use crate::store::{report_of, with_rows};

/// One table, or several as one.
#[wasm_bindgen]
pub struct RawTable {
    table: Table<Web>,
    places: Vec<Arc<Files>>,
}

/// Opens one table, or several as one, whose files have these ids.
#[wasm_bindgen(js_name = openTables)]
pub fn open_tables(files: &[u32]) -> Fallible<RawTable> {
    let places = files.iter().map(|&id| registered(id)).collect::<Fallible<Vec<_>>>()?;
    let mut heads_are_here = true;
    for files in &places {
        heads_are_here &= !files.want_heads(&[FileId::Table]);
    }
    if !heads_are_here {
        return Err(needs(&places));
    }
    let opened = places
        .iter()
        .map(|files| {
            let file = WebStorage::Fetched(Arc::clone(files)).open(FileId::Table, OpenMode::Read);
            Ok((files.name(), file.map_err(StorageError::in_only_file)?))
        })
        .collect::<recask_core::Result<Vec<_>>>()
        .and_then(|files| Table::from_files(files, WebExecutor::of_reader()));
    let table = answer(&places, opened)?;
    Ok(RawTable { table, places })
}

#[wasm_bindgen]
impl RawTable {
    /// Rows.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> f64 {
        count(self.table.len())
    }

    /// Pieces in which the rows were written.
    #[wasm_bindgen(getter, js_name = fileRecords)]
    pub fn file_records(&self) -> f64 {
        count(self.table.file_records())
    }

    /// Name and type of every column.
    pub fn schema(&self) -> Array {
        let columns = self.table.schema().columns().iter();
        columns
            .map(|column| -> Object {
                object([
                    ("name", JsValue::from(column.name())),
                    ("dtype", JsValue::from(column.dtype().to_string())),
                    ("storedDtype", JsValue::from(column.stored_dtype().to_string())),
                ])
            })
            .collect()
    }

    /// The first row of a record, and the row behind its last; `undefined` behind the last record.
    #[wasm_bindgen(js_name = recordRows)]
    pub fn record_rows(&self, record: f64) -> Fallible<Option<Float64Array>> {
        let rows = self.table.record_rows(crate::numbers::whole(record)?);
        Ok(rows.map(|rows| Float64Array::from([count(rows.start), count(rows.end)].as_slice())))
    }

    /// All rows and columns.
    pub fn all(&self) -> RawSelection {
        RawSelection::new(self.table.all(), self.places.clone())
    }

    /// Checks the structure of the files.
    pub fn verify(&self) -> Fallible<Object> {
        let report = answer(&self.places, self.table.verify(&()))?;
        Ok(with_rows(report_of(report.records, report.found, &report.problems), report.rows))
    }
}
