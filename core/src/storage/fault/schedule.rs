//! Which operation fails, how, and what ran so far.

use alloc::vec::Vec;

use super::{Applied, Operation};
use crate::storage::{StorageError, StorageErrorKind};

#[derive(Default)]
pub(super) struct Schedule {
    operations: Vec<Operation>,
    reads: usize,
    frozen: bool,
    freeze: Option<(usize, Applied)>,
    fail: Option<(usize, StorageErrorKind, Applied)>,
    fail_read: Option<(usize, StorageErrorKind)>,
}

impl Schedule {
    pub(super) fn freeze_at(&mut self, operation: usize, applied: Applied) {
        self.freeze = Some((operation, applied));
    }

    pub(super) fn fail_at(&mut self, operation: usize, kind: StorageErrorKind, applied: Applied) {
        self.fail = Some((operation, kind, applied));
    }

    pub(super) fn fail_read_at(&mut self, read: usize, kind: StorageErrorKind) {
        self.fail_read = Some((read, kind));
    }

    pub(super) fn disarm(&mut self) {
        (self.freeze, self.fail, self.fail_read) = (None, None, None);
    }

    pub(super) fn forget(&mut self) {
        self.operations.clear();
        self.reads = 0;
    }

    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }

    pub(super) fn reads(&self) -> usize {
        self.reads
    }

    pub(super) fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// Refuses everything once frozen.
    pub(super) fn alive(&self) -> Result<(), StorageError> {
        if self.frozen { Err(frozen()) } else { Ok(()) }
    }

    /// Counts an operation: how much of it happens, and what its caller is told.
    pub(super) fn operation(&mut self, operation: Operation) -> (Applied, Result<(), StorageError>) {
        if self.frozen {
            return (Applied::Nothing, Err(frozen()));
        }
        let index = self.operations.len();
        self.operations.push(operation);
        if let Some((_, applied)) = self.freeze.take_if(|(at, _)| *at == index) {
            self.frozen = true;
            return (applied, Err(frozen()));
        }
        if let Some((_, kind, applied)) = self.fail.take_if(|(at, ..)| *at == index) {
            return (applied, Err(StorageError::new(kind, "this operation was told to fail")));
        }
        (Applied::Whole, Ok(()))
    }

    pub(super) fn read(&mut self) -> Result<(), StorageError> {
        self.alive()?;
        let index = self.reads;
        self.reads += 1;
        match self.fail_read.take_if(|(at, _)| *at == index) {
            Some((_, kind)) => Err(StorageError::new(kind, "this read was told to fail")),
            None => Ok(()),
        }
    }
}

fn frozen() -> StorageError {
    StorageError::new(StorageErrorKind::Other, "the storage is frozen")
}
