//! Rules about advisory locks.

use alloc::vec;
use alloc::vec::Vec;

use super::{Abilities, Case, Outcome, equal, fail, succeed};
use crate::storage::{FileId, LockMode, OpenMode, Storage, StorageErrorKind, StorageFile};

pub(super) fn cases<S: Storage>() -> Vec<Case<S>> {
    let locks: fn(Abilities) -> bool = |abilities| abilities.locks;
    vec![
        Case::when(locks, "shared locks stand beside each other", shared),
        Case::when(locks, "an exclusive lock stands alone", exclusive),
        Case::when(locks, "a dropped lock is released", released),
        Case::when(locks, "locks of different files are independent", independent),
        Case::when(locks, "locking a missing file is not found", missing),
        Case::when(locks, "an exclusive lock makes the lock file and the journal", creates),
        Case::when(locks, "a lock stops no reads and writes", advisory),
    ]
}

fn storage_with_meta<S: Storage>(make: &dyn Fn() -> S) -> Result<S, alloc::string::String> {
    let storage = make();
    succeed("creating", storage.open(FileId::Meta, OpenMode::CreateNew))?;
    Ok(storage)
}

fn shared<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = storage_with_meta(make)?;
    let _first = succeed("locking", storage.lock(FileId::Meta, LockMode::Shared))?;
    let _second = succeed("locking again", storage.lock(FileId::Meta, LockMode::Shared))?;
    fail("locking alone", storage.lock(FileId::Meta, LockMode::Exclusive), StorageErrorKind::Busy)
}

fn exclusive<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = storage_with_meta(make)?;
    let _held = succeed("locking", storage.lock(FileId::Meta, LockMode::Exclusive))?;
    fail("sharing", storage.lock(FileId::Meta, LockMode::Shared), StorageErrorKind::Busy)?;
    fail("locking again", storage.lock(FileId::Meta, LockMode::Exclusive), StorageErrorKind::Busy)
}

fn released<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = storage_with_meta(make)?;
    let alone = succeed("locking", storage.lock(FileId::Meta, LockMode::Exclusive))?;
    drop(alone);
    let first = succeed("sharing", storage.lock(FileId::Meta, LockMode::Shared))?;
    let second = succeed("sharing again", storage.lock(FileId::Meta, LockMode::Shared))?;
    drop(first);
    fail("locking beside", storage.lock(FileId::Meta, LockMode::Exclusive), StorageErrorKind::Busy)?;
    drop(second);
    succeed("locking alone", storage.lock(FileId::Meta, LockMode::Exclusive)).map(drop)
}

fn independent<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = storage_with_meta(make)?;
    let _meta = succeed("locking", storage.lock(FileId::Meta, LockMode::Exclusive))?;
    let _lock = succeed("locking another file", storage.lock(FileId::Lock, LockMode::Exclusive))?;
    let other = storage_with_meta(make)?;
    succeed("locking in another directory", other.lock(FileId::Meta, LockMode::Exclusive)).map(drop)
}

fn missing<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    for id in [FileId::Meta, FileId::Store, FileId::Lock, FileId::Journal] {
        fail("sharing", storage.lock(id, LockMode::Shared), StorageErrorKind::NotFound)?;
    }
    for id in [FileId::Meta, FileId::Store, FileId::Chunk(0)] {
        fail("locking", storage.lock(id, LockMode::Exclusive), StorageErrorKind::NotFound)?;
        fail("opening afterwards", storage.open(id, OpenMode::Read), StorageErrorKind::NotFound)?;
    }
    Ok(())
}

fn creates<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    for id in [FileId::Lock, FileId::Journal] {
        let held = succeed("locking", storage.lock(id, LockMode::Exclusive))?;
        let file = succeed("opening", storage.open(id, OpenMode::ReadWrite))?;
        equal("the size", succeed("asking", file.len())?, 0)?;
        succeed("writing", file.write_all_at(0, b"kept"))?;
        drop(held);
        let _again = succeed("locking again", storage.lock(id, LockMode::Exclusive))?;
        equal("the size afterwards", succeed("asking", file.len())?, 4)?;
    }
    Ok(())
}

fn advisory<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = storage_with_meta(make)?;
    let _held = succeed("locking", storage.lock(FileId::Meta, LockMode::Exclusive))?;
    let file = succeed("opening", storage.open(FileId::Meta, OpenMode::ReadWrite))?;
    succeed("writing", file.write_all_at(0, b"x"))?;
    let mut byte = [0];
    succeed("reading", file.read_exact_at(0, &mut byte))?;
    equal("the byte", byte, *b"x")?;
    succeed("removing", storage.remove(FileId::Meta))
}
