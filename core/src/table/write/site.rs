//! Where a table file is written: at a place that is free, beside the table that it will replace, or in the table itself.

use crate::environment::{Access, Environment, FileOf};
use crate::error::{Code, Error, Result};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind};

/// How far the name of the written file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// It has the name of the table, where nothing was before.
    New,
    /// It will take the name of the table.
    Draft,
    /// It is the table.
    Table,
}

type LockOf<E> = <<E as Environment>::Storage as Storage>::Lock;

/// The place of a writer, locked from its first step to its last.
pub(in crate::table) struct Site<E: Environment> {
    /// Always there until it is dropped.
    storage: Option<E::Storage>,
    stage: Stage,
    /// Whether the file keeps its name in a power failure, as far as this writer knows.
    name_is_durable: bool,
    /// On the file that is written.
    lock: Option<LockOf<E>>,
    /// On the table that will be replaced.
    replaced: Option<LockOf<E>>,
}

impl<E: Environment> Site<E> {
    fn at(storage: E::Storage, stage: Stage, lock: Option<LockOf<E>>) -> Self {
        Site { storage: Some(storage), stage, name_is_durable: false, lock, replaced: None }
    }

    /// A new file at a place where there is none.
    pub(in crate::table) fn create(place: &E::Place) -> Result<(Self, FileOf<E>)> {
        Self::create_in(E::attach_file(place, Access::Create)?)
    }

    fn create_in(storage: E::Storage) -> Result<(Self, FileOf<E>)> {
        let file = match storage.open(FileId::Table, OpenMode::CreateNew) {
            Ok(file) => file,
            Err(error) => {
                E::abandon(storage);
                return Err(of_new(error));
            }
        };
        let mut site = Site::at(storage, Stage::New, None);
        site.lock = Some(site.lock(FileId::Table)?);
        Ok((site, file))
    }

    /// The file that is there, as it is.
    pub(in crate::table) fn existing(place: &E::Place, mode: OpenMode) -> Result<(Self, FileOf<E>)> {
        let storage = E::attach_file(place, Access::Write)?;
        let lock = storage.lock(FileId::Table, LockMode::Exclusive).map_err(of_table)?;
        let file = storage.open(FileId::Table, mode).map_err(of_table)?;
        Ok((Site::at(storage, Stage::Table, Some(lock)), file))
    }

    /// A file that will replace whatever is there; a new one where nothing is.
    pub(in crate::table) fn recreate(place: &E::Place) -> Result<(Self, FileOf<E>)> {
        let storage = E::attach_file(place, Access::Create)?;
        match storage.lock(FileId::Table, LockMode::Exclusive) {
            Ok(lock) => {
                let mut site = Site::at(storage, Stage::Table, Some(lock));
                let file = site.start_draft()?;
                Ok((site, file))
            }
            Err(error) if error.kind() == StorageErrorKind::NotFound => Self::create_in(storage),
            Err(error) => Err(error.in_only_file()),
        }
    }

    /// Starts a file that will replace the table, which stays locked.
    pub(in crate::table) fn start_draft(&mut self) -> Result<FileOf<E>> {
        match self.storage()?.remove(FileId::Draft) {
            Err(error) if error.kind() != StorageErrorKind::NotFound => return Err(error.in_only_file()),
            Ok(()) | Err(_) => {}
        }
        let file =
            self.storage()?.open(FileId::Draft, OpenMode::CreateNew).map_err(StorageError::in_only_file)?;
        self.stage = Stage::Draft;
        self.replaced = self.lock.take();
        // This lock goes over to the name of the table.
        self.lock = Some(self.lock(FileId::Draft)?);
        Ok(file)
    }

    fn lock(&self, id: FileId) -> Result<LockOf<E>> {
        self.storage()?.lock(id, LockMode::Exclusive).map_err(StorageError::in_only_file)
    }

    fn storage(&self) -> Result<&E::Storage> {
        self.storage.as_ref().ok_or_else(|| Error::new(Code::Io, "this writer was closed"))
    }

    /// Whether the file is complete before anybody sees it.
    pub(super) fn is_draft(&self) -> bool {
        self.stage == Stage::Draft
    }

    /// Whether the file was the table, or has become it.
    pub(super) fn is_table(&self) -> bool {
        self.stage == Stage::Table
    }

    /// Gives a draft the name of the table; may be repeated after an error.
    pub(super) fn rename(&mut self) -> Result<()> {
        let storage = self.storage()?;
        if let Err(error) = storage.rename(FileId::Draft, FileId::Table) {
            // It may have happened all the same.
            let draft = storage.open(FileId::Draft, OpenMode::Read).map(drop);
            if !draft.is_err_and(|draft| draft.kind() == StorageErrorKind::NotFound) {
                return Err(error.in_only_file());
            }
        }
        self.settle();
        Ok(())
    }

    /// Makes the name durable, once: whoever made the file or moved it here may have left that out.
    pub(super) fn sync_name(&mut self) -> Result<()> {
        if !self.name_is_durable {
            self.storage()?.sync_names().map_err(StorageError::in_only_file)?;
            self.name_is_durable = true;
        }
        Ok(())
    }

    /// The file is the table from now on, and is not removed.
    pub(super) fn settle(&mut self) {
        self.stage = Stage::Table;
        self.replaced = None;
    }

    /// Removes the file if it never became the table. What cannot be removed is an uncommitted table or a stale draft.
    fn discard(&mut self) {
        let Some(storage) = self.storage.take() else { return };
        let removed = match self.stage {
            Stage::New => storage.remove(FileId::Table),
            Stage::Draft => storage.remove(FileId::Draft),
            Stage::Table => return,
        };
        if removed.is_ok() {
            E::abandon(storage);
        }
    }
}

impl<E: Environment> Drop for Site<E> {
    fn drop(&mut self) {
        self.discard();
    }
}

fn of_new(error: StorageError) -> Error {
    if error.kind() == StorageErrorKind::AlreadyExists {
        let text = "there is something at this place already; choose another place, or replace what is there";
        return Error::new(Code::StoreExists, text).caused_by(error);
    }
    error.in_only_file()
}

fn of_table(error: StorageError) -> Error {
    if error.kind() == StorageErrorKind::NotFound {
        return Error::new(Code::StoreNotFound, "there is no table at this place").caused_by(error);
    }
    error.in_only_file()
}
