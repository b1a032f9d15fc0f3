//! Rules about opening, making and removing files.

use alloc::vec::Vec;

use super::{Abilities, Case, Outcome, equal, fail, succeed};
use crate::storage::{FileId, OpenMode, Storage, StorageErrorKind, StorageFile};

pub(super) fn cases<S: Storage>() -> Vec<Case<S>> {
    alloc::vec![
        Case::always("a missing file is not found", missing),
        Case::always("a new file is empty and must not exist", create_new),
        Case::always("open or create keeps what is there", open_or_create),
        Case::always("a removed file is gone and may be made again", removed),
        Case::always("a renamed file takes the place of the other", renamed),
        Case::always("names are those on disk", names),
        Case::when(|abilities| abilities.foreign_name.is_some(), "foreign names are listed", foreign),
        Case::always("names can be synced", sync_names),
    ]
}

fn missing<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    fail("opening to read", storage.open(FileId::Meta, OpenMode::Read), StorageErrorKind::NotFound)?;
    fail("opening to write", storage.open(FileId::Meta, OpenMode::ReadWrite), StorageErrorKind::NotFound)?;
    fail("removing", storage.remove(FileId::Meta), StorageErrorKind::NotFound)
}

fn create_new<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let file = succeed("creating", storage.open(FileId::Meta, OpenMode::CreateNew))?;
    equal("emptiness", succeed("asking", file.is_empty())?, true)?;
    succeed("writing", file.write_all_at(0, b"kept"))?;
    let again = storage.open(FileId::Meta, OpenMode::CreateNew);
    fail("creating again", again, StorageErrorKind::AlreadyExists)?;
    equal("the size afterwards", succeed("asking", file.len())?, 4)
}

fn open_or_create<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let file = succeed("creating", storage.open(FileId::Journal, OpenMode::OpenOrCreate))?;
    succeed("writing", file.write_all_at(0, b"kept"))?;
    drop(file);
    let again = succeed("opening", storage.open(FileId::Journal, OpenMode::OpenOrCreate))?;
    let mut content = [0; 4];
    succeed("reading", again.read_exact_at(0, &mut content))?;
    equal("the content", content, *b"kept")
}

fn removed<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let file = succeed("creating", storage.open(FileId::Loc(3), OpenMode::CreateNew))?;
    succeed("writing", file.write_all_at(0, b"old"))?;
    drop(file);
    succeed("removing", storage.remove(FileId::Loc(3)))?;
    fail("opening", storage.open(FileId::Loc(3), OpenMode::Read), StorageErrorKind::NotFound)?;
    fail("removing again", storage.remove(FileId::Loc(3)), StorageErrorKind::NotFound)?;
    let again = succeed("creating again", storage.open(FileId::Loc(3), OpenMode::CreateNew))?;
    equal("the size of the new file", succeed("asking", again.len())?, 0)
}

fn renamed<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let missing = storage.rename(FileId::Meta, FileId::Store);
    fail("renaming a missing file", missing, StorageErrorKind::NotFound)?;
    for (id, content) in [(FileId::Meta, b"new"), (FileId::Store, b"old")] {
        let file = succeed("creating", storage.open(id, OpenMode::CreateNew))?;
        succeed("writing", file.write_all_at(0, content))?;
    }
    let old = succeed("opening", storage.open(FileId::Store, OpenMode::Read))?;
    succeed("renaming", storage.rename(FileId::Meta, FileId::Store))?;
    fail("opening the old name", storage.open(FileId::Meta, OpenMode::Read), StorageErrorKind::NotFound)?;
    let new = succeed("opening", storage.open(FileId::Store, OpenMode::Read))?;
    for (what, file, expected) in [("what was opened before", old, b"old"), ("the new file", new, b"new")] {
        let mut content = [0; 3];
        succeed("reading", file.read_exact_at(0, &mut content))?;
        equal(what, content, *expected)?;
    }
    Ok(())
}

fn names<S: Storage>(make: &dyn Fn() -> S, abilities: Abilities) -> Outcome {
    let storage = make();
    let ids = [
        (FileId::Store, "store.zr"),
        (FileId::Meta, "meta.zr"),
        (FileId::Dict, "dict.zr"),
        (FileId::Loc(0), "0.loc"),
        (FileId::Chunk(u32::MAX), "4294967295.chunk"),
        (FileId::Journal, "recask.journal"),
        (FileId::Lock, "recask.lock"),
    ];
    for (id, _) in ids {
        succeed("creating", storage.open(id, OpenMode::CreateNew))?;
    }
    let mut found = succeed("listing", storage.names())?;
    found.retain(|name| Some(name.as_str()) != abilities.foreign_name);
    found.sort();
    let mut expected = ids.map(|(_, name)| name);
    expected.sort_unstable();
    equal("the names", found.iter().map(alloc::string::String::as_str).collect(), expected.to_vec())
}

fn foreign<S: Storage>(make: &dyn Fn() -> S, abilities: Abilities) -> Outcome {
    let found = succeed("listing", make().names())?;
    equal("the names", found.iter().map(alloc::string::String::as_str).collect(), {
        abilities.foreign_name.into_iter().collect::<Vec<_>>()
    })
}

fn sync_names<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    succeed("syncing an empty directory", storage.sync_names())?;
    succeed("creating", storage.open(FileId::Meta, OpenMode::CreateNew))?;
    succeed("syncing", storage.sync_names())?;
    succeed("opening", storage.open(FileId::Meta, OpenMode::Read)).map(drop)
}
