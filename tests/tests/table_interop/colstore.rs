//! A running `tests/interop/colstore_peer.py`.

use std::path::Path;

use recask::core::format::cstore::Layout;
use serde_json::{Value, json};

use crate::columns::{Column, Rows};
use crate::python::{Package, Service, hex, unhex};

const V030: Package =
    Package { name: "colstore-0.3.0", script: "colstore_peer.py", variable: "RECASK_COLSTORE_030_PYTHON" };
const V051: Package =
    Package { name: "colstore-0.5.1", script: "colstore_peer.py", variable: "RECASK_COLSTORE_051_PYTHON" };

pub(crate) const LAYOUTS: [Layout; 2] = [Layout::V03, Layout::V05];

/// The release of colstore that has a layout, in a process of its own, with at most one reader and one writer.
pub(crate) struct Colstore {
    service: Service,
    layout: Layout,
}

impl Colstore {
    pub(crate) fn of(layout: Layout) -> Self {
        let package = match layout {
            Layout::V03 => &V030,
            Layout::V05 => &V051,
        };
        Colstore { service: Service::start(package), layout }
    }

    pub(crate) fn ask(&mut self, op: &str, arguments: Value) -> Value {
        self.service.ask(op, arguments)
    }

    /// The class of the exception that must be raised.
    pub(crate) fn refusal(&mut self, op: &str, arguments: Value) -> String {
        self.service.refusal(op, arguments)["type"].as_str().expect("a class").into()
    }

    /// Writes all rows at once; statistics only where the release has them.
    pub(crate) fn store(&mut self, path: &Path, rows: &Rows, statistics: bool) {
        let request = json!({"path": path, "columns": listed(rows)});
        self.ask("store", self.with_statistics(request, statistics));
    }

    /// Writes records in one session, in the mode `create`, `recreate` or `update`.
    pub(crate) fn write(&mut self, path: &Path, mode: &str, records: &[Rows], statistics: bool) {
        let request = json!({"path": path, "mode": mode});
        self.ask("begin", self.with_statistics(request, statistics));
        for record in records {
            self.ask("write", json!({"columns": listed(record)}));
        }
        self.ask("end", json!({}));
    }

    pub(crate) fn compact(&mut self, path: &Path) {
        self.ask("compact", json!({"path": path}));
    }

    /// Opens, reads everything, closes.
    pub(crate) fn read(&mut self, path: &Path) -> Rows {
        self.open(path);
        let rows = self.read_rows(&Value::Null);
        self.close();
        rows
    }

    /// Opens a reader and returns its number of rows.
    pub(crate) fn open(&mut self, path: &Path) -> u64 {
        self.ask("open", json!({"path": path})).as_u64().expect("rows")
    }

    /// Rows of the open table, as the script describes them.
    pub(crate) fn read_rows(&mut self, rows: &Value) -> Rows {
        self.columns("read", json!({"rows": rows}))
    }

    pub(crate) fn close(&mut self) {
        self.ask("close", json!({}));
    }

    /// Asks for something that answers in columns.
    pub(crate) fn columns(&mut self, op: &str, arguments: Value) -> Rows {
        let answer = self.ask(op, arguments);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let column = |column: &Value| Column {
            name: text(&column[0]),
            dtype: known(&text(&column[1])),
            bytes: unhex(&text(&column[2])),
        };
        answer.as_array().expect("columns").iter().map(column).collect()
    }

    /// Committed records and rows.
    pub(crate) fn counts(&mut self, path: &Path) -> (u64, u64) {
        let info = self.ask("info", json!({"path": path}));
        let number = |name: &str| info[name].as_u64().expect("a number");
        (number("records"), number("rows"))
    }

    fn with_statistics(&self, mut request: Value, statistics: bool) -> Value {
        if self.layout == Layout::V05 {
            request["statistics"] = statistics.into();
        }
        request
    }
}

pub(crate) fn listed(rows: &Rows) -> Value {
    rows.iter().map(|column| json!([column.name, column.dtype, hex(&column.bytes)])).collect()
}

/// The type as the tests spell it.
fn known(dtype: &str) -> &'static str {
    use crate::columns::{STREAMABLE, TIMES};
    let found = STREAMABLE.iter().chain(&TIMES).find(|known| **known == dtype);
    found.unwrap_or_else(|| panic!("colstore answered with the type {dtype}"))
}
