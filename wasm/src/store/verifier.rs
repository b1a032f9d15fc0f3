//! Checking a store in portions, so that the bytes of each can be brought, and the page goes on living.

use js_sys::{Array, Object};
use recask_core::store::{Verification, Verifier};
use recask_core::{Code, Error, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{RawStore, bring};
use crate::answer::{Fallible, fault, fault_object, object, set};
use crate::numbers::{count, number};

/// A check of a whole store.
#[wasm_bindgen]
pub struct RawVerifier {
    verifier: Verifier,
    done: u64,
    /// The files do not fit their header: nothing else is looked at.
    failed: Option<Error>,
    looked_at_files: bool,
}

#[wasm_bindgen]
impl RawStore {
    /// Starts a check.
    pub fn verifier(&self) -> RawVerifier {
        RawVerifier { verifier: Verifier::default(), done: 0, failed: None, looked_at_files: false }
    }
}

#[wasm_bindgen]
impl RawVerifier {
    /// Checks so many more records; whether all are done.
    pub fn step(&mut self, store: &RawStore, records: f64) -> Fallible<bool> {
        let records = crate::numbers::whole(records)?;
        let done = self.advance(store, records);
        store.answer(done)
    }

    /// Records that were checked.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        count(self.done)
    }

    /// What was found.
    pub fn report(&mut self, store: &RawStore) -> Fallible<Object> {
        let engine = store.try_engine().map_err(|error| fault(&error))?;
        let report = match self.failed.take() {
            Some(problem) => Verification { records: engine.len(), problems: vec![problem], found: 1 },
            None => std::mem::take(&mut self.verifier).finish(engine),
        };
        Ok(report_of(report.records, report.found, &report.problems))
    }
}

impl RawVerifier {
    fn advance(&mut self, store: &RawStore, records: u64) -> Result<bool> {
        let engine = store.try_engine()?;
        if !self.looked_at_files {
            match engine.check_files() {
                Err(error) if error.code() == Code::NotFetched => return Err(error),
                Err(error) => {
                    self.failed = Some(error);
                    self.done = engine.len();
                }
                Ok(()) => {}
            }
            self.looked_at_files = true;
        }
        let portion = records.max(1).min(engine.len().saturating_sub(self.done));
        if portion > 0 {
            if let Some(files) = store.files.first() {
                let numbers: Vec<u64> = (self.done..self.done + portion).collect();
                bring(engine, files, &numbers)?;
            }
            self.verifier.check(engine, self.done, portion)?;
            self.done += portion;
        }
        Ok(self.done >= engine.len())
    }
}

/// What a check found, as an object.
pub(crate) fn report_of(records: u64, found: u64, problems: &[Error]) -> Object {
    let faults: Array = problems.iter().map(fault_object).collect();
    object([("records", number(records)), ("found", number(found)), ("faults", faults.into())])
}

/// Adds the rows of a table.
pub(crate) fn with_rows(report: Object, rows: u64) -> Object {
    set(&report, "rows", &JsValue::from(count(rows)));
    report
}
