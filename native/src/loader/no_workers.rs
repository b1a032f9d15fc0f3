//! The threads of a loader in a build that has none.

use std::sync::Arc;

use recask_core::{Code, Error, Result};

use super::crew::Crew;

/// As many as a loader has unless it is told.
pub(super) const DEFAULT: usize = 0;

#[derive(Default)]
pub(super) struct Workers(());

impl Workers {
    pub(super) fn start<T: Send + 'static>(&mut self, _crew: &Arc<Crew<T>>, number: usize) -> Result<()> {
        if number == 0 {
            return Ok(());
        }
        let text = format!(
            "{number} workers were asked for, and this build of recask has no threads: ask for 0, and each batch is made when it \
             is asked for"
        );
        Err(Error::new(Code::Unsupported, text))
    }

    pub(super) fn are_none(&self) -> bool {
        true
    }

    pub(super) fn join(&mut self) {}
}
