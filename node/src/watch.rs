//! Long work that JavaScript watches and stops.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use recask::{Code, Error, Progress, Result};

use crate::error::invalid;
use crate::numbers::count;

/// Stops calls that were given it.
#[napi]
#[derive(Default)]
pub struct NativeStop(Arc<AtomicBool>);

#[napi]
impl NativeStop {
    /// For one call or several.
    #[napi(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops them, soon; they fail with `interrupted`.
    #[napi]
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl NativeStop {
    /// Set once it is stopped.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

/// `progress(done, total)`, as JavaScript gives it.
pub(crate) type Told<'a> = Function<'a, FnArgs<(f64, f64)>, ()>;

/// Does not keep the process alive.
type Teller = ThreadsafeFunction<FnArgs<(f64, f64)>, (), FnArgs<(f64, f64)>, napi::Status, false, true>;

/// What a call tells of its progress, some twenty times a second and when it is dropped, and whether it is to go on.
#[derive(Default)]
pub(crate) struct Watch {
    stop: Option<Arc<AtomicBool>>,
    teller: Option<Teller>,
    done: AtomicU64,
    total: AtomicU64,
    told: Mutex<Option<Instant>>,
}

impl Watch {
    /// Between two reports.
    const PAUSE: Duration = Duration::from_millis(50);

    /// Of a call that was given these. To be made on the thread of JavaScript, before the call starts.
    pub(crate) fn new(stop: Option<&NativeStop>, progress: Option<&Told<'_>>) -> Result<Self> {
        let teller = progress
            .map(|told| told.build_threadsafe_function().weak::<true>().build())
            .transpose()
            .map_err(|error| invalid(format!("progress cannot be told to this: {error}")))?;
        let mut watch = Watch::default();
        watch.stop = stop.map(|stop| Arc::clone(&stop.0));
        watch.teller = teller;
        Ok(watch)
    }

    /// Says how much there is to be done.
    pub(crate) fn expect(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Whether somebody may stop it.
    pub(crate) fn may_stop(&self) -> bool {
        self.stop.is_some()
    }

    /// An error once the call was stopped.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::new(Code::Interrupted, "the work was interrupted"));
        }
        Ok(())
    }

    /// Tells, unless that was done just now.
    fn tell_sometimes(&self, teller: &Teller) {
        let Ok(mut told) = self.told.try_lock() else { return };
        let now = Instant::now();
        if told.is_none_or(|told| now.duration_since(told) >= Self::PAUSE) {
            *told = Some(now);
            drop(told);
            self.tell(teller);
        }
    }

    fn tell(&self, teller: &Teller) {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        // That the program ends is no failure of the work.
        let _ = teller.call((count(done), count(total)).into(), ThreadsafeFunctionCallMode::NonBlocking);
    }
}

impl Progress for Watch {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
        if let Some(teller) = &self.teller {
            self.tell_sometimes(teller);
        }
    }

    fn proceed(&self) -> bool {
        self.check().is_ok()
    }
}

/// The last figures are never left out.
impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(teller) = self.teller.as_ref().filter(|_| *self.done.get_mut() > 0) {
            self.tell(teller);
        }
    }
}
