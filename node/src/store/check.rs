//! Looking at a whole store.

use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;
use recask::{Code, DenseStore, Error, RaggedStore, Result, Stats};

use super::{Facts, Held, NativeStore};
use crate::numbers::count;
use crate::report::Report;
use crate::task::{Job, later, now};
use crate::values::value;
use crate::watch::{NativeStop, Told, Watch};

/// How much of a store is in use, in bytes.
#[napi(object, js_name = "NativeStats", object_from_js = false)]
#[derive(Debug)]
pub struct StatsObject {
    /// Records.
    pub records: f64,
    /// Stored bytes of all records.
    pub live_bytes: f64,
    /// Bytes before the frontier.
    pub chunk_bytes: f64,
    /// What compaction would free.
    pub reclaimable: f64,
}

#[napi]
impl NativeStore {
    /// The four figures, in bytes.
    ///
    /// # Errors
    /// A fault of the data.
    #[napi(ts_return_type = "Promise<NativeStats>")]
    pub fn stats(&self) -> napi::Result<AsyncTask<Job<StatsObject>>> {
        let turn = now(|| self.handle.together())?;
        Ok(later(move || turn.read(stats), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `stats`.
    #[napi]
    pub fn stats_sync(&self) -> napi::Result<StatsObject> {
        now(|| self.handle.together()?.read(stats))
    }

    /// Checks every table entry, decodes every record, and looks for records that share bytes. Progress counts records.
    ///
    /// # Errors
    /// `interrupted`; faults of the data are in the report.
    #[napi(
        ts_args_type = "stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<RawVerification>"
    )]
    pub fn verify(
        &self,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Report>>> {
        let (watch, turn) = now(|| Ok((Watch::new(stop, progress.as_ref())?, self.handle.together()?)))?;
        Ok(later(move || turn.read(|held| verify(held, &watch)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `verify`.
    #[napi]
    pub fn verify_sync(&self) -> napi::Result<Report> {
        now(|| self.handle.together()?.read(|held| verify(held, &Watch::default())))
    }

    /// Of a reader: sees what was appended since. A loader goes on with what it had.
    ///
    /// # Errors
    /// A fault of the data; `source_changed` where another store is in its place.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn refresh(&self) -> napi::Result<AsyncTask<Job<()>>> {
        let turn = now(|| self.handle.alone())?;
        let facts = Arc::clone(&self.facts);
        Ok(later(move || turn.change(|held| refresh(held, &facts)), value))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `refresh`.
    #[napi]
    pub fn refresh_sync(&self) -> napi::Result<()> {
        now(|| self.handle.alone()?.change(|held| refresh(held, &self.facts)))
    }
}

fn stats(held: &Held) -> Result<StatsObject> {
    let Stats { records, live_bytes, chunk_bytes, reclaimable } = held.engine().stats()?;
    Ok(StatsObject {
        records: count(records),
        live_bytes: count(live_bytes),
        chunk_bytes: count(chunk_bytes),
        reclaimable: count(reclaimable),
    })
}

fn verify(held: &Held, watch: &Watch) -> Result<Report> {
    watch.expect(held.engine().len());
    let found = match held {
        Held::Dense(store, _) => store.verify(watch)?,
        Held::Ragged(store, _) => store.verify(watch)?,
        Held::Writer(store) => store.verify(watch)?,
    };
    Ok(found.into())
}

fn refresh(held: &mut Held, facts: &Facts) -> Result<()> {
    let refreshed = match held {
        Held::Dense(store, _) => Arc::get_mut(store).map(DenseStore::refresh),
        Held::Ragged(store, _) => Arc::get_mut(store).map(RaggedStore::refresh),
        Held::Writer(store) => Some(store.refresh()),
    };
    match refreshed {
        Some(refreshed) => refreshed?,
        None => renew(held)?,
    }
    facts.measure(held);
    Ok(())
}

/// Opens a reader again. A loader has it too, and goes on with it as it was.
fn renew(held: &mut Held) -> Result<()> {
    let (Held::Dense(_, again) | Held::Ragged(_, again)) = held else { return Ok(()) };
    let (again, store) = (again.clone(), again.open()?);
    if store.engine().identity() != held.engine().identity() {
        let text = "another store is in this place now; open it anew";
        return Err(Error::new(Code::SourceChanged, text));
    }
    if store.len() >= held.engine().len() {
        *held = Held::reader(store, again);
    }
    Ok(())
}
