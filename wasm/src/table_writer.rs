//! Writing column tables whose file is open.

use js_sys::{Array, Function, Uint8Array};
use recask_core::format::cstore::Layout;
use recask_core::table::{self, ColumnInput, TableWriter, WriteOptions};
use recask_core::{Code, DType, Error, Result};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, answer};
use crate::environment::{Web, WebStorage};
use crate::live::{JsDirectory, LiveFolder};
use crate::numbers::count;
use crate::progress::Told;
use crate::selection::{RawSelection, bring};

/// Writes a table record by record.
#[wasm_bindgen]
pub struct RawTableWriter {
    writer: Option<TableWriter<Web>>,
}

/// Starts a new table.
#[wasm_bindgen(js_name = createTable)]
pub fn create_table(directory: JsDirectory, layout: &str, statistics: bool) -> Fallible<RawTableWriter> {
    let created = layout_of(layout).and_then(|layout| {
        let options = WriteOptions { layout, statistics };
        TableWriter::create_with(WebStorage::Live(LiveFolder::new(directory)), &options)
    });
    answer(&[], created.map(|writer| RawTableWriter { writer: Some(writer) }))
}

/// Continues a table behind its last row.
#[wasm_bindgen(js_name = appendTable)]
pub fn append_table(directory: JsDirectory) -> Fallible<RawTableWriter> {
    let opened = TableWriter::update(WebStorage::Live(LiveFolder::new(directory)));
    answer(&[], opened.map(|writer| RawTableWriter { writer: Some(writer) }))
}

/// Writes all rows of a table as one record, which takes its place.
#[wasm_bindgen(js_name = compactTable)]
pub fn compact_table(directory: JsDirectory, progress: Function) -> Fallible<()> {
    let told = Told::new(progress, 0);
    let compacted = table::compact::<Web>(WebStorage::Live(LiveFolder::new(directory)), &told);
    answer(&[], compacted.map(drop))
}

#[wasm_bindgen]
impl RawTableWriter {
    /// Rows that were written, committed or not.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> f64 {
        count(self.writer.as_ref().map_or(0, TableWriter::rows))
    }

    /// Writes one record: for every column its name, its type and its values.
    pub fn write(&mut self, names: Vec<String>, dtypes: Vec<String>, values: &Array) -> Fallible<()> {
        let values: Vec<Vec<u8>> =
            values.iter().map(|value| value.unchecked_into::<Uint8Array>().to_vec()).collect();
        let written = (|| {
            let inputs = names
                .iter()
                .zip(&dtypes)
                .zip(&values)
                .map(|((name, dtype), bytes)| Ok(ColumnInput::new(name, dtype.parse::<DType>()?, bytes)))
                .collect::<Result<Vec<_>>>()?;
            self.writer()?.write(&inputs)
        })();
        answer(&[], written)
    }

    /// Writes rows of a table as one record, with names and types as it has them.
    #[wasm_bindgen(js_name = writeSelection)]
    pub fn write_selection(&mut self, selection: &RawSelection) -> Fallible<()> {
        let written = (|| {
            bring(selection.places(), selection.selection().reads(crate::fetched::coalescing())?)?;
            self.writer()?.write_rows(selection.selection(), &())
        })();
        answer(selection.places(), written)
    }

    /// Makes what was written visible and durable.
    pub fn commit(&mut self) -> Fallible<()> {
        let committed = self.writer().and_then(TableWriter::commit);
        answer(&[], committed)
    }

    /// Commits and closes.
    pub fn close(&mut self) -> Fallible<()> {
        // As of stores: a commit that asks for a file leaves the writer as it was, for the next call.
        let committed = self.writer.as_mut().map_or(Ok(()), TableWriter::commit);
        answer(&[], committed)?;
        self.writer = None;
        Ok(())
    }

    /// Closes without a commit.
    pub fn abort(&mut self) {
        self.writer = None;
    }
}

impl RawTableWriter {
    fn writer(&mut self) -> Result<&mut TableWriter<Web>> {
        self.writer.as_mut().ok_or_else(|| Error::new(Code::InvalidArgument, "the writer is closed"))
    }
}

fn layout_of(name: &str) -> Result<Layout> {
    match name {
        "0.3" => Ok(Layout::V03),
        "0.5" => Ok(Layout::V05),
        other => {
            let text = format!("there is no layout '{other}'; use 0.3 or 0.5");
            Err(Error::new(Code::InvalidArgument, text))
        }
    }
}
