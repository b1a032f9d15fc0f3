//! The storage traits over a faulty disk.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::disk::NodeId;
use super::{FaultStorage, Operation, SECTOR, State};
use crate::environment::{Access, Environment};
use crate::error::Result;
use crate::exec::Serial;
use crate::storage::memory::{
    MemoryLock, already_exists, bytes, creates_by_lock, lock::Holders, not_found, opened_for_reading,
};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageError, StorageFile};

impl Storage for FaultStorage {
    type File = FaultFile;
    type Lock = MemoryLock;

    fn open(&self, id: FileId, mode: OpenMode) -> Result<FaultFile, StorageError> {
        let mut state = self.0.lock();
        state.schedule.alive()?;
        let present = state.disk.live.get(&id.to_string()).copied();
        let node = match (mode, present) {
            (OpenMode::CreateNew, Some(_)) => return Err(already_exists()),
            (OpenMode::Read | OpenMode::ReadWrite, None) => return Err(not_found()),
            (_, Some(node)) => node,
            (OpenMode::OpenOrCreate | OpenMode::CreateNew, None) => state.create(id)?,
        };
        Ok(FaultFile { storage: self.clone(), id, node, writable: mode != OpenMode::Read })
    }

    fn remove(&self, id: FileId) -> Result<(), StorageError> {
        let mut state = self.0.lock();
        state.schedule.alive()?;
        let name = id.to_string();
        if !state.disk.live.contains_key(&name) {
            return Err(not_found());
        }
        let (applied, outcome) = state.schedule.operation(Operation::Remove(id));
        state.disk.remove(name, applied);
        outcome
    }

    fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        let mut state = self.0.lock();
        state.schedule.alive()?;
        if !state.disk.live.contains_key(&from.to_string()) {
            return Err(not_found());
        }
        let (applied, outcome) = state.schedule.operation(Operation::Rename { from, to });
        state.disk.rename(from.to_string(), to.to_string(), applied);
        outcome
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        let state = self.0.lock();
        state.schedule.alive()?;
        Ok(state.disk.live.keys().cloned().collect())
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        let mut state = self.0.lock();
        let (applied, outcome) = state.schedule.operation(Operation::SyncNames);
        state.disk.sync_names(applied);
        outcome
    }

    fn lock(&self, id: FileId, mode: LockMode) -> Result<MemoryLock, StorageError> {
        let mut state = self.0.lock();
        state.schedule.alive()?;
        let node = match state.disk.live.get(&id.to_string()) {
            Some(&node) => node,
            None if creates_by_lock(id, mode) => state.create(id)?,
            None => return Err(not_found()),
        };
        Holders::take(&state.disk.nodes[node].holders, mode)
    }
}

impl State {
    fn create(&mut self, id: FileId) -> Result<NodeId, StorageError> {
        let (applied, outcome) = self.schedule.operation(Operation::Create(id));
        let node = self.disk.create(id.to_string(), applied);
        outcome.map(|()| node)
    }

    fn write(&mut self, id: FileId, node: NodeId, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        let operation = Operation::Write { file: id, offset, len: data.len() as u64 };
        let (applied, outcome) = self.schedule.operation(operation);
        self.disk.write(node, offset, data, applied)?;
        outcome
    }
}

/// An open file of a [`FaultStorage`].
pub struct FaultFile {
    storage: FaultStorage,
    id: FileId,
    node: NodeId,
    writable: bool,
}

impl FaultFile {
    fn for_writing(&self) -> Result<spin::MutexGuard<'_, State>, StorageError> {
        let state = self.storage.0.lock();
        state.schedule.alive()?;
        if self.writable { Ok(state) } else { Err(opened_for_reading()) }
    }
}

impl fmt::Debug for FaultFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultFile")
            .field("id", &self.id)
            .field("writable", &self.writable)
            .finish_non_exhaustive()
    }
}

impl StorageFile for FaultFile {
    fn len(&self) -> Result<u64, StorageError> {
        let state = self.storage.0.lock();
        state.schedule.alive()?;
        Ok(state.disk.nodes[self.node].live.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        let mut state = self.storage.0.lock();
        state.schedule.read()?;
        bytes::read(&state.disk.nodes[self.node].live, offset, buf)
    }

    fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        self.write_all_vectored_at(offset, &[data])
    }

    fn write_all_vectored_at(&self, offset: u64, parts: &[&[u8]]) -> Result<(), StorageError> {
        let mut state = self.for_writing()?;
        let (mut at, mut joined) = (offset, Vec::new());
        for part in parts {
            joined.extend_from_slice(part);
            if joined.len() as u64 >= SECTOR {
                state.write(self.id, self.node, at, &joined)?;
                at += joined.len() as u64;
                joined.clear();
            }
        }
        if joined.is_empty() { Ok(()) } else { state.write(self.id, self.node, at, &joined) }
    }

    fn set_len(&self, len: u64) -> Result<(), StorageError> {
        let mut state = self.for_writing()?;
        let (applied, outcome) = state.schedule.operation(Operation::SetLen { file: self.id, len });
        state.disk.set_len(self.node, len, applied)?;
        outcome
    }

    fn sync(&self) -> Result<(), StorageError> {
        let mut state = self.storage.0.lock();
        let (applied, outcome) = state.schedule.operation(Operation::Sync(self.id));
        state.disk.sync(self.node, applied);
        outcome
    }
}

/// Stores on a faulty disk, with everything on the calling thread. Its place is the disk itself, which is always
/// there.
#[derive(Clone, Copy, Debug)]
pub struct FaultEnvironment;

impl Environment for FaultEnvironment {
    type Storage = FaultStorage;
    type Executor = Serial;
    type Place = FaultStorage;

    fn attach(place: &FaultStorage, _access: Access) -> Result<FaultStorage> {
        Ok(place.clone())
    }

    fn attach_file(place: &FaultStorage, _access: Access) -> Result<FaultStorage> {
        Ok(place.clone())
    }

    fn describe(_place: &FaultStorage) -> String {
        "a table on a faulty disk".into()
    }

    fn executor() -> Serial {
        Serial
    }
}
