//! The file of a table as a storage: names, permissions, links, locks, maps.

use std::fs;
use std::path::{Path, PathBuf};

use recask::fs::Directory;
use recask::{Code, Native};
use recask_core::environment::{Access, Environment as _};
use recask_core::storage::conformance::{Abilities, storage_suite};
use recask_core::storage::{FileId, LockMode, OpenMode, Storage as _, StorageErrorKind, StorageFile as _};

fn attach(path: &Path, access: Access) -> Directory {
    Native::attach_file(&path.to_path_buf(), access).unwrap()
}

/// Writes `content` as the draft of the table.
fn draft(storage: &Directory, content: &[u8]) {
    storage.open(FileId::Draft, OpenMode::CreateNew).unwrap().write_all_at(0, content).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_directory_of_a_table_conforms() {
    let root = tempfile::tempdir().unwrap();
    let make = || {
        let folder = tempfile::tempdir_in(root.path()).unwrap().keep();
        attach(&folder.join("x.cstore"), Access::Create)
    };
    storage_suite(&make, Abilities { locks: true, sparse: true, foreign_name: None });
}

#[test]
fn the_table_has_the_name_of_its_place_and_the_draft_lies_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let storage = attach(&root.path().join("prices.cstore"), Access::Create);
    drop(storage.open(FileId::Table, OpenMode::CreateNew).unwrap());
    draft(&storage, b"");
    assert_eq!(names(root.path()), ["prices.cstore", "prices.cstore.draft"]);
}

#[test]
fn missing_folders_are_made_and_abandoned() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/x.cstore");
    for access in [Access::Read, Access::Write] {
        let error = Native::attach_file(&path, access).unwrap_err();
        assert_eq!(error.code(), Code::StoreNotFound);
    }
    assert!(names(root.path()).is_empty());
    let storage = attach(&path, Access::Create);
    assert!(root.path().join("a/b").is_dir());
    Native::abandon(storage);
    assert!(names(root.path()).is_empty());

    Native::abandon(attach(&root.path().join("x.cstore"), Access::Create));
    assert!(root.path().is_dir(), "a folder that was there stays");
}

#[test]
fn a_name_without_a_folder_lies_in_the_current_one() {
    let storage = attach(Path::new("not-there.cstore"), Access::Create);
    let here = std::env::current_dir().unwrap();
    assert_eq!(storage.path(), here);
    assert!(storage.names().unwrap().iter().any(|name| name == "Cargo.toml"));
    storage.sync_names().unwrap();
}

#[test]
fn what_is_no_file_is_no_table() {
    let root = tempfile::tempdir().unwrap();
    for access in [Access::Read, Access::Write, Access::Create] {
        let error = Native::attach_file(&root.path().into(), access).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().ends_with("is a directory, but a table is a file"), "{error}");
        let error = Native::attach_file(&PathBuf::new(), access).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Native::attach_file(&file.join("x.cstore"), Access::Read).unwrap_err();
    assert_eq!(error.code(), Code::StoreNotFound);
    let error = Native::attach_file(&file.join("x.cstore"), Access::Create).unwrap_err();
    assert_eq!(error.message(), format!("{} is a file: a table cannot lie in it", file.display()));
    assert_eq!(names(root.path()), ["file"]);
}

#[test]
fn a_draft_that_takes_the_place_of_the_table_is_the_table() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("x.cstore");
    fs::write(&path, "old").unwrap();
    let storage = attach(&path, Access::Write);
    let reader = storage.open(FileId::Table, OpenMode::Read).unwrap();
    draft(&storage, b"newer");
    storage.rename(FileId::Draft, FileId::Table).unwrap();
    assert_eq!(names(root.path()), ["x.cstore"]);
    assert_eq!(fs::read(&path).unwrap(), b"newer");
    assert_eq!((reader.len().unwrap(), reader.mapped(0..3)), (3, Some(&b"old"[..])));
}

#[test]
fn a_lock_of_a_missing_table_makes_none() {
    let root = tempfile::tempdir().unwrap();
    let storage = attach(&root.path().join("x.cstore"), Access::Create);
    for id in [FileId::Table, FileId::Draft] {
        for mode in [LockMode::Shared, LockMode::Exclusive] {
            assert_eq!(storage.lock(id, mode).unwrap_err().kind(), StorageErrorKind::NotFound);
        }
    }
    assert!(names(root.path()).is_empty());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
    use std::process::Command;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn the_new_table_keeps_permissions_and_the_draft_is_never_wider() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        for wanted in [0o600, 0o640, 0o664, 0o666] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            let storage = attach(&path, Access::Write);
            draft(&storage, b"new");
            let before = mode(&root.path().join("x.cstore.draft"));
            assert_eq!(before & !wanted, 0, "a draft of {before:o} for a table of {wanted:o}");
            storage.rename(FileId::Draft, FileId::Table).unwrap();
            assert_eq!((mode(&path), fs::read(&path).unwrap()), (wanted, b"new".to_vec()));
        }
    }

    #[test]
    fn a_first_table_gets_the_permissions_that_files_get() {
        let root = tempfile::tempdir().unwrap();
        let usual = root.path().join("usual");
        fs::write(&usual, "").unwrap();
        let path = root.path().join("x.cstore");
        let storage = attach(&path, Access::Create);
        draft(&storage, b"new");
        storage.rename(FileId::Draft, FileId::Table).unwrap();
        assert_eq!(mode(&path), mode(&usual));
    }

    #[test]
    fn the_new_table_keeps_its_owner_where_the_system_allows_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "old").unwrap();
        if std::os::unix::fs::chown(&path, Some(1234), Some(2345)).is_err() {
            println!("only root can give files away");
            return;
        }
        let storage = attach(&path, Access::Write);
        draft(&storage, b"new");
        storage.rename(FileId::Draft, FileId::Table).unwrap();
        let found = fs::metadata(&path).unwrap();
        assert_eq!((found.uid(), found.gid(), found.len()), (1234, 2345, 3));
    }

    #[test]
    fn the_new_table_keeps_extended_attributes_where_there_are_any() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "old").unwrap();
        if xattr::set(&path, "user.origin", b"station 7").is_err() {
            println!("this file system has no extended attributes");
            return;
        }
        let storage = attach(&path, Access::Write);
        draft(&storage, b"new");
        storage.rename(FileId::Draft, FileId::Table).unwrap();
        assert_eq!(xattr::get(&path, "user.origin").unwrap().as_deref(), Some(&b"station 7"[..]));
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_symbolic_link_leads_to_the_table_and_stays_one() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["data", "links"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("data/x.cstore"), "old").unwrap();
        let link = root.path().join("links/y.cstore");
        symlink("../data/x.cstore", &link).unwrap();
        let storage = attach(&link, Access::Write);
        draft(&storage, b"newer");
        assert_eq!(names(&root.path().join("data")), ["x.cstore", "x.cstore.draft"]);
        storage.rename(FileId::Draft, FileId::Table).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("../data/x.cstore"));
        assert_eq!(fs::read(&link).unwrap(), b"newer");
        assert_eq!(names(&root.path().join("links")), ["y.cstore"]);
    }

    #[test]
    fn opening_a_pipe_does_not_wait() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("pipe.cstore");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        for access in [Access::Read, Access::Write, Access::Create] {
            let error = Native::attach_file(&path, access).unwrap_err();
            assert_eq!(error.code(), Code::InvalidArgument);
            assert!(error.message().ends_with("is a device or a pipe, but a table is a file"), "{error}");
        }
    }

    #[test]
    fn a_file_that_took_the_name_of_the_locked_one_is_not_touched() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "old").unwrap();
        let storage = attach(&path, Access::Write);
        let lock = storage.lock(FileId::Table, LockMode::Exclusive).unwrap();
        storage.open(FileId::Table, OpenMode::ReadWrite).unwrap();
        fs::write(root.path().join("other"), "other").unwrap();
        fs::rename(root.path().join("other"), &path).unwrap();
        for mode in [OpenMode::Read, OpenMode::ReadWrite] {
            let error = storage.open(FileId::Table, mode).unwrap_err();
            assert_eq!(error.kind(), StorageErrorKind::Busy);
            assert!(error.to_string().contains("was replaced by another program"), "{error}");
        }
        drop(lock);
        storage.open(FileId::Table, OpenMode::ReadWrite).unwrap();
    }

    #[test]
    fn a_locked_draft_keeps_its_lock_as_the_table() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "old").unwrap();
        let storage = attach(&path, Access::Write);
        let old = storage.lock(FileId::Table, LockMode::Exclusive).unwrap();
        draft(&storage, b"new");
        let new = storage.lock(FileId::Draft, LockMode::Exclusive).unwrap();
        storage.rename(FileId::Draft, FileId::Table).unwrap();
        drop(old);
        let other = attach(&path, Access::Write);
        let busy = other.lock(FileId::Table, LockMode::Shared).unwrap_err();
        assert_eq!(busy.kind(), StorageErrorKind::Busy);
        storage.open(FileId::Table, OpenMode::ReadWrite).unwrap().write_all_at(0, b"own").unwrap();
        drop(new);
        other.lock(FileId::Table, LockMode::Exclusive).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"own");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use recask::tuning::{Advice, Tuning};

    use super::*;

    /// The mappings of a file in this process, each with its flags.
    fn mappings(path: &Path) -> Vec<String> {
        let path = path.canonicalize().unwrap().display().to_string();
        let all = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut found = Vec::new();
        let mut ours = false;
        for line in all.lines() {
            if let Some(flags) = line.strip_prefix("VmFlags: ") {
                if ours {
                    found.push(flags.trim().to_owned());
                }
            } else if !line.split_whitespace().next().is_some_and(|word| word.ends_with(':')) {
                ours = line.ends_with(&path);
            }
        }
        found
    }

    #[test]
    fn a_table_is_mapped_once_to_be_read_and_not_to_be_written() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "content").unwrap();
        let storage = attach(&path, Access::Write);
        let writer = storage.open(FileId::Table, OpenMode::ReadWrite).unwrap();
        assert!(mappings(&path).is_empty() && writer.mapped(0..1).is_none());
        let reader = storage.open(FileId::Table, OpenMode::Read).unwrap();
        assert_eq!(mappings(&path).len(), 1);
        drop(reader);
        assert!(mappings(&path).is_empty());
    }

    #[test]
    fn the_system_is_told_how_a_table_will_be_read() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.cstore");
        fs::write(&path, "content").unwrap();
        let flags_with = |advice| {
            let tuning = Tuning { advice, ..Tuning::current() };
            let storage = attach(&path, Access::Read).tuned(tuning);
            let _reader = storage.open(FileId::Table, OpenMode::Read).unwrap();
            let [flags] = mappings(&path).try_into().unwrap();
            let words: Vec<&str> = flags.split(' ').collect();
            (words.contains(&"sr"), words.contains(&"rr"))
        };
        assert_eq!(flags_with(Advice::Normal), (false, false));
        assert_eq!(flags_with(Advice::Sequential), (true, false));
        assert_eq!(flags_with(Advice::Random), (false, true));
        assert_eq!(flags_with(Advice::WillNeed), (false, false));
    }
}
