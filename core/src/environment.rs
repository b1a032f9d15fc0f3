//! What a door brings: a kind of place that holds stores, and a way to run tasks.

use alloc::string::String;

use crate::error::Result;
use crate::exec::Executor;
use crate::storage::Storage;

/// What a place is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading: nothing may be written or created.
    Read,
    /// Reading and writing what is there.
    Write,
    /// Making a new store: the place itself is made when missing.
    Create,
}

/// An open file of an environment.
pub type FileOf<E> = <<E as Environment>::Storage as Storage>::File;

/// The outside of the core, as one trait: doors implement it once and get typed stores with their own places.
///
/// The native door's place is a path, the browser's a directory of the origin private file system, a test's a
/// folder in memory.
pub trait Environment: Sized + Send + Sync + 'static {
    /// Holds the files of one store.
    type Storage: Storage;
    /// Runs independent tasks.
    type Executor: Executor;
    /// Says where a store is.
    type Place;

    /// Reaches a place. Missing: [`crate::Code::StoreNotFound`], unless it is opened to create.
    fn attach(place: &Self::Place, access: Access) -> Result<Self::Storage>;

    /// Reaches the one file of a column table, as [`FileId::Table`](crate::storage::FileId::Table) of a storage that holds
    /// nothing else. Missing, and not opened to create: [`crate::Code::StoreNotFound`].
    fn attach_file(place: &Self::Place, access: Access) -> Result<Self::Storage>;

    /// The place as messages name it.
    fn describe(place: &Self::Place) -> String;

    /// The executor that new stores of this environment use.
    fn executor() -> Self::Executor;

    /// The executor that new column tables of this environment use.
    fn table_executor() -> Self::Executor {
        Self::executor()
    }

    /// Called after a failed create, when the files that it made are gone: removes the place itself if
    /// [`Environment::attach`] made it.
    fn abandon(storage: Self::Storage) {
        drop(storage);
    }
}
