//! What the tests of column tables share: files in memory, threads, and the golden manifests.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::marker::PhantomData;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use recask_core::environment::{Access, Environment};
use recask_core::exec::Executor;
use recask_core::format::cstore::Json;
use recask_core::storage::memory::{MemoryFile, MemoryStorage};
use recask_core::storage::{
    FileId, LockMode, OpenMode, Storage, StorageError, StorageErrorKind, StorageFile,
};
use recask_core::{Code, Error, Result, Table};

pub(crate) mod laid_out;
pub(crate) mod script;
pub(crate) mod writing;

/// A file that is read by positional reads alone.
pub(crate) fn unmapped(bytes: Vec<u8>) -> MemoryFile {
    MemoryStorage::from_files([("meta.zr".into(), bytes)]).open(FileId::Meta, OpenMode::Read).unwrap()
}

/// A file that is mapped.
pub(crate) struct Mapped(pub(crate) Vec<u8>);

impl StorageFile for Mapped {
    fn len(&self) -> Result<u64, StorageError> {
        Ok(self.0.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        let end = offset + buf.len() as u64;
        let short = || StorageError::new(StorageErrorKind::UnexpectedEnd, "the file is shorter");
        buf.copy_from_slice(self.mapped(offset..end).ok_or_else(short)?);
        Ok(())
    }

    fn write_all_at(&self, _: u64, _: &[u8]) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn set_len(&self, _: u64) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn sync(&self) -> Result<(), StorageError> {
        Ok(())
    }

    fn mapped(&self, range: Range<u64>) -> Option<&[u8]> {
        self.0.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
    }
}

/// A file that is not mapped and counts how often it is read.
pub(crate) struct Counting(pub(crate) MemoryFile, pub(crate) AtomicUsize);

impl StorageFile for Counting {
    fn len(&self) -> Result<u64, StorageError> {
        self.0.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StorageError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read_exact_at(offset, buf)
    }

    fn write_all_at(&self, _: u64, _: &[u8]) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn set_len(&self, _: u64) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn sync(&self) -> Result<(), StorageError> {
        Ok(())
    }
}

fn read_only() -> StorageError {
    StorageError::new(StorageErrorKind::PermissionDenied, "the file is read only")
}

/// Opens a table in any file, with any executor.
pub(crate) fn open<F: StorageFile + 'static, X: Executor + Default + 'static>(
    file: F,
    executor: X,
) -> Result<Table<OneFile<F, X>>> {
    Table::from_file(file, executor)
}

/// Tables in files that are there already: nothing is reached by a place.
pub(crate) struct OneFile<F, X>(PhantomData<(F, X)>);

impl<F: StorageFile + 'static, X: Executor + Default + 'static> Environment for OneFile<F, X> {
    type Storage = NoStorage<F>;
    type Executor = X;
    type Place = ();

    fn attach(_: &(), _: Access) -> Result<NoStorage<F>> {
        Err(Error::new(Code::StoreNotFound, "there are no places here"))
    }

    fn attach_file(_: &(), access: Access) -> Result<NoStorage<F>> {
        Self::attach(&(), access)
    }

    fn describe(_: &()) -> String {
        "no place".into()
    }

    fn executor() -> X {
        X::default()
    }
}

pub(crate) struct NoStorage<F>(PhantomData<F>);

impl<F: StorageFile + 'static> Storage for NoStorage<F> {
    type File = F;
    type Lock = ();

    fn open(&self, _: FileId, _: OpenMode) -> Result<F, StorageError> {
        Err(read_only())
    }

    fn remove(&self, _: FileId) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn rename(&self, _: FileId, _: FileId) -> Result<(), StorageError> {
        Err(read_only())
    }

    fn names(&self) -> Result<Vec<String>, StorageError> {
        Ok(Vec::new())
    }

    fn sync_names(&self) -> Result<(), StorageError> {
        Ok(())
    }

    fn lock(&self, _: FileId, _: LockMode) -> Result<(), StorageError> {
        Ok(())
    }
}

/// One thread for each task.
#[derive(Clone, Copy, Default)]
pub(crate) struct Threads;

impl Executor for Threads {
    fn width(&self) -> std::num::NonZeroUsize {
        std::num::NonZeroUsize::new(4).unwrap()
    }

    fn try_for_each<T, E, F>(&self, tasks: Vec<T>, run: F) -> Result<(), E>
    where
        T: Send,
        E: Send,
        F: Fn(T) -> Result<(), E> + Sync + Send,
    {
        let run = &run;
        std::thread::scope(|scope| {
            let handles: Vec<_> = tasks.into_iter().map(|task| scope.spawn(move || run(task))).collect();
            handles.into_iter().try_for_each(|handle| handle.join().unwrap())
        })
    }
}

/// A file among the golden ones.
pub(crate) fn golden(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/cstore").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files that a golden manifest describes. It names columns that only a parser like Python's can read.
pub(crate) fn described(manifest: &str) -> Vec<Json> {
    let manifest = Json::parse(&golden(manifest)).unwrap();
    items(manifest.get("files").unwrap()).to_vec()
}

pub(crate) fn items(json: &Json) -> &[Json] {
    let Json::Array(items) = json else { panic!("no list: {json:?}") };
    items
}

pub(crate) fn text(json: &Json) -> &str {
    let Json::String(text) = json else { panic!("no string: {json:?}") };
    text.as_str()
}

pub(crate) fn int(json: &Json) -> i64 {
    let Json::Integer(digits) = json else { panic!("no integer: {json:?}") };
    digits.parse().unwrap()
}

pub(crate) fn field<'a>(json: &'a Json, key: &str) -> &'a str {
    text(json.get(key).unwrap_or_else(|| panic!("no {key}: {json:?}")))
}
