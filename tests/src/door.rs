//! How a door brings golden stores to the cases.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use recask::Native;
use recask_core::environment::Environment;
use recask_core::storage::FileId;
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
#[cfg(not(target_os = "wasi"))]
use tempfile::TempDir;

use crate::folder;

/// Files by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// One way into the library. All methods panic where the machine around the suite fails.
pub trait Door {
    /// The stores of this door.
    type Environment: Environment<Place: Clone>;

    /// A golden folder, to be read only.
    fn original(&self, folder: &Path) -> <Self::Environment as Environment>::Place;

    /// A place of its own with a copy of the files of a golden folder.
    fn copy(&self, folder: &Path) -> <Self::Environment as Environment>::Place;

    /// A place where nothing is.
    fn nowhere(&self) -> <Self::Environment as Environment>::Place;

    /// The files at a place.
    fn files(&self, place: &<Self::Environment as Environment>::Place) -> Files;

    /// A place of its own with a copy of a golden table.
    fn table(&self, file: &Path) -> <Self::Environment as Environment>::Place;

    /// A place for a table where nothing is.
    fn no_table(&self) -> <Self::Environment as Environment>::Place;

    /// The table at a place. Panics where there is none, or anything else beside it.
    fn table_bytes(&self, place: &<Self::Environment as Environment>::Place) -> Vec<u8>;
}

/// Directories, memory maps and threads; in a sandbox directories and positional calls.
#[derive(Debug)]
pub struct NativeDoor {
    root: PathBuf,
    places: AtomicU32,
    #[cfg(not(target_os = "wasi"))]
    _temporary: Option<TempDir>,
}

impl NativeDoor {
    /// A door with a temporary folder for copies.
    ///
    /// # Errors
    /// What the file system says.
    #[cfg(not(target_os = "wasi"))]
    pub fn new() -> io::Result<Self> {
        let temporary = tempfile::tempdir()?;
        let door = Self::in_folder(temporary.path())?;
        Ok(NativeDoor { _temporary: Some(temporary), ..door })
    }

    /// A door with an empty folder for copies, which stay there.
    ///
    /// # Errors
    /// What the file system says, and a folder that is not empty.
    pub fn in_folder(root: &Path) -> io::Result<Self> {
        if std::fs::read_dir(root)?.next().is_some() {
            return Err(io::Error::other(format!("{} is not empty", root.display())));
        }
        Ok(NativeDoor {
            root: root.into(),
            places: AtomicU32::new(0),
            #[cfg(not(target_os = "wasi"))]
            _temporary: None,
        })
    }
}

impl Door for NativeDoor {
    type Environment = Native;

    fn original(&self, folder: &Path) -> PathBuf {
        if folder.join(".keep").exists() { self.copy(folder) } else { folder.into() }
    }

    fn copy(&self, folder: &Path) -> PathBuf {
        let place = self.nowhere();
        let copied = folder::read(folder).and_then(|files| folder::write(&place, &files));
        copied.unwrap_or_else(|error| panic!("could not copy {}: {error}", folder.display()));
        place
    }

    fn nowhere(&self) -> PathBuf {
        self.root.join(self.places.fetch_add(1, Ordering::Relaxed).to_string())
    }

    fn files(&self, place: &PathBuf) -> Files {
        folder::read(place).unwrap_or_else(|error| panic!("could not read {}: {error}", place.display()))
    }

    fn table(&self, file: &Path) -> PathBuf {
        let place = self.no_table();
        std::fs::write(&place, golden_table(file))
            .unwrap_or_else(|error| panic!("could not copy {}: {error}", file.display()));
        place
    }

    fn no_table(&self) -> PathBuf {
        let folder = self.nowhere();
        std::fs::create_dir(&folder)
            .unwrap_or_else(|error| panic!("could not make {}: {error}", folder.display()));
        folder.join(FileId::Table.to_string())
    }

    fn table_bytes(&self, place: &PathBuf) -> Vec<u8> {
        only_table(self.files(&place.parent().expect("it is in a folder").into()))
    }
}

/// Files in memory, everything on one thread, nothing mapped.
#[derive(Clone, Copy, Debug)]
pub struct MemoryDoor;

impl Door for MemoryDoor {
    type Environment = MemoryEnvironment;

    fn original(&self, folder: &Path) -> MemoryPlace {
        self.copy(folder)
    }

    fn copy(&self, folder: &Path) -> MemoryPlace {
        let files = folder::read(folder)
            .unwrap_or_else(|error| panic!("could not read {}: {error}", folder.display()));
        MemoryPlace::holding(&MemoryStorage::from_files(files))
    }

    fn nowhere(&self) -> MemoryPlace {
        MemoryPlace::new()
    }

    fn files(&self, place: &MemoryPlace) -> Files {
        place.storage().map(|storage| storage.files().into_iter().collect()).unwrap_or_default()
    }

    fn table(&self, file: &Path) -> MemoryPlace {
        let files = [(FileId::Table.to_string(), golden_table(file))];
        MemoryPlace::holding(&MemoryStorage::from_files(files))
    }

    fn no_table(&self) -> MemoryPlace {
        MemoryPlace::new()
    }

    fn table_bytes(&self, place: &MemoryPlace) -> Vec<u8> {
        only_table(self.files(place))
    }
}

fn golden_table(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| panic!("could not read {}: {error}", file.display()))
}

fn only_table(mut files: Files) -> Vec<u8> {
    let table = files.remove(&FileId::Table.to_string());
    assert!(files.is_empty(), "beside the table there are {:?}", files.keys());
    table.expect("the table is gone")
}
