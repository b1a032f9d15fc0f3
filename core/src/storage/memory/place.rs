//! Places in memory: a directory that may not exist yet.

use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use core::fmt;

use spin::Mutex;

use super::{Directory, MemoryStorage};
use crate::environment::{Access, Environment};
use crate::error::{Code, Error, Result};
use crate::exec::Serial;
use crate::storage::FileId;

/// Where one store in memory is, or will be. A clone is the same place.
///
/// ```
/// use recask_core::Code;
/// use recask_core::environment::{Access, Environment};
/// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
///
/// let place = MemoryPlace::new();
/// let missing = MemoryEnvironment::attach(&place, Access::Read).unwrap_err();
/// assert_eq!(missing.code(), Code::StoreNotFound);
/// MemoryEnvironment::attach(&place, Access::Create)?;
/// assert!(place.storage().is_some());
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct MemoryPlace(Arc<Mutex<Option<Arc<Directory>>>>);

impl MemoryPlace {
    /// A place where nothing is yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The place of this directory.
    #[must_use]
    pub fn holding(storage: &MemoryStorage) -> Self {
        MemoryPlace(Arc::new(Mutex::new(Some(Arc::clone(&storage.directory)))))
    }

    /// The directory here, if there is one.
    #[must_use]
    pub fn storage(&self) -> Option<MemoryStorage> {
        let directory = self.0.lock().clone()?;
        Some(MemoryStorage { directory, made_in: None })
    }
}

impl fmt::Debug for MemoryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MemoryPlace").field(&self.storage()).finish()
    }
}

/// Stores in memory, with everything on the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct MemoryEnvironment;

impl Environment for MemoryEnvironment {
    type Storage = MemoryStorage;
    type Executor = Serial;
    type Place = MemoryPlace;

    fn attach(place: &MemoryPlace, access: Access) -> Result<MemoryStorage> {
        let mut slot = place.0.lock();
        if let Some(directory) = &*slot {
            return Ok(MemoryStorage { directory: Arc::clone(directory), made_in: None });
        }
        if access != Access::Create {
            return Err(Error::new(Code::StoreNotFound, "there is no store at this place in memory"));
        }
        let directory = slot.insert(Arc::default());
        Ok(MemoryStorage { directory: Arc::clone(directory), made_in: Some(place.clone()) })
    }

    fn attach_file(place: &MemoryPlace, access: Access) -> Result<MemoryStorage> {
        let storage = Self::attach(place, access)?;
        if access != Access::Create && !storage.directory.lock().contains_key(&FileId::Table.to_string()) {
            return Err(Error::new(Code::StoreNotFound, "there is no table at this place in memory"));
        }
        Ok(storage)
    }

    fn describe(_place: &MemoryPlace) -> String {
        "a table in memory".into()
    }

    fn executor() -> Serial {
        Serial
    }

    fn abandon(storage: MemoryStorage) {
        let Some(place) = &storage.made_in else { return };
        let mut slot = place.0.lock();
        let ours = slot.as_ref().is_some_and(|directory| Arc::ptr_eq(directory, &storage.directory));
        if ours && storage.directory.lock().is_empty() {
            *slot = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{OpenMode, Storage as _};

    #[test]
    fn only_create_makes_a_place() {
        let place = MemoryPlace::new();
        for access in [Access::Read, Access::Write] {
            assert_eq!(MemoryEnvironment::attach(&place, access).unwrap_err().code(), Code::StoreNotFound);
        }
        let made = MemoryEnvironment::attach(&place, Access::Create).unwrap();
        made.open(FileId::Meta, OpenMode::CreateNew).unwrap();
        let again = MemoryEnvironment::attach(&place.clone(), Access::Read).unwrap();
        assert_eq!(again.names().unwrap(), ["meta.zr"]);
    }

    #[test]
    fn abandon_unmakes_what_attach_made() {
        let place = MemoryPlace::new();
        let made = MemoryEnvironment::attach(&place, Access::Create).unwrap();
        MemoryEnvironment::abandon(made);
        assert!(place.storage().is_none());
    }

    #[test]
    fn abandon_keeps_a_place_that_was_there_or_holds_files() {
        let place = MemoryPlace::holding(&MemoryStorage::new());
        MemoryEnvironment::abandon(MemoryEnvironment::attach(&place, Access::Create).unwrap());
        assert!(place.storage().is_some());

        let place = MemoryPlace::new();
        let made = MemoryEnvironment::attach(&place, Access::Create).unwrap();
        made.open(FileId::Meta, OpenMode::CreateNew).unwrap();
        MemoryEnvironment::abandon(made);
        assert!(place.storage().is_some());
    }
}
