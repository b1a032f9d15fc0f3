//! What a check of data found.

use napi_derive::napi;
use recask::Verification;

use crate::error::Fault;
use crate::numbers::count;

/// What a check of a whole store or table found.
#[napi(object, js_name = "RawVerification", object_from_js = false)]
#[derive(Debug)]
pub struct Report {
    /// Records looked at.
    pub records: f64,
    /// Rows, of a table.
    pub rows: Option<f64>,
    /// All faults.
    pub found: f64,
    /// The first 100,000 of them.
    pub faults: Vec<Fault>,
}

impl From<Verification> for Report {
    fn from(found: Verification) -> Self {
        let Verification { records, problems, found } = found;
        let faults = problems.iter().map(Fault::from).collect();
        Report { records: count(records), rows: None, found: count(found), faults }
    }
}
