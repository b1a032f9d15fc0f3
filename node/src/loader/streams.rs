//! What a loader reads.

use napi_derive::napi;
use recask::Result;
use recask::loader::Stream;

use crate::selection::NativeSelection;
use crate::store::NativeStore;
use crate::task::now;

/// Named streams.
#[napi]
#[derive(Default)]
pub struct NativeStreams {
    streams: Vec<(String, Stream)>,
}

#[napi]
impl NativeStreams {
    /// None yet.
    #[must_use]
    #[napi(constructor)]
    pub fn new() -> Self {
        NativeStreams::default()
    }

    /// Adds a store that was opened for reading. It stays open for the loader when it is closed.
    ///
    /// # Errors
    /// `invalid_argument` for a store that may be written, and for a closed one.
    #[napi]
    pub fn add_store(&mut self, name: String, store: &NativeStore) -> napi::Result<()> {
        let stream = now(|| store.stream().map_err(|error| error.in_stream(name.clone())))?;
        self.streams.push((name, stream));
        Ok(())
    }

    /// Adds rows and columns of a table.
    ///
    /// # Errors
    /// `invalid_argument` for rows of a closed table.
    #[napi]
    pub fn add_selection(&mut self, name: String, selection: &NativeSelection) -> napi::Result<()> {
        let rows = now(|| selection.rows().map_err(|error| error.in_stream(name.clone())))?;
        self.streams.push((name, Stream::Table(rows)));
        Ok(())
    }
}

impl NativeStreams {
    /// Hands them over: a store stays busy as long as anybody has its stream.
    pub(super) fn take(&mut self) -> Result<Vec<(String, Stream)>> {
        if self.streams.is_empty() {
            return Err(crate::error::invalid("a loader has at least one stream"));
        }
        Ok(std::mem::take(&mut self.streams))
    }
}
