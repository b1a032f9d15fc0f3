//! Places in the file system: a path that leads to a directory, or will.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use recask_core::environment::{Access, Environment};
use recask_core::{Code, Error, Result};

use super::error::system_text;
use super::{Directory, canonical, check_reachable, check_writable, sync_directory};
use crate::exec::RayonExecutor;
use crate::tuning::Tuning;

/// Stores in directories and tables in files, with rayon's global threads.
#[derive(Clone, Copy, Debug)]
pub struct Native;

impl Environment for Native {
    type Storage = Directory;
    type Executor = RayonExecutor;
    type Place = PathBuf;

    /// Missing directories on the way are made with [`Access::Create`], and their names are durable on return.
    fn attach(place: &PathBuf, access: Access) -> Result<Directory> {
        if place.as_os_str().is_empty() {
            return Err(Error::new(Code::InvalidArgument, "the path of a store must not be empty"));
        }
        if access != Access::Read {
            check_writable(place)?;
        }
        match fs::metadata(place) {
            Ok(found) if found.is_dir() => Ok(Directory::new(place)),
            Ok(_) => Err(not_a_directory(place)),
            Err(error) if error.kind() == ErrorKind::NotFound && access == Access::Create => make(place),
            Err(error) if is_missing(&error) && access != Access::Create => {
                check_reachable(place)?;
                let message = format!("there is no directory {}", place.display());
                Err(Error::new(Code::StoreNotFound, message).caused_by(error))
            }
            Err(error) => Err(failed("open", place, error)),
        }
    }

    /// A symbolic link leads to the file that it names.
    fn attach_file(place: &PathBuf, access: Access) -> Result<Directory> {
        if place.as_os_str().is_empty() {
            return Err(Error::new(Code::InvalidArgument, "the path of a table must not be empty"));
        }
        if access != Access::Read {
            check_writable(place)?;
        }
        let file = match canonical(place) {
            // Opening a pipe waits for somebody to write into it.
            Ok(file) if !file.is_file() => return Err(not_a_file(&file, place)),
            Ok(file) => file,
            // The name must stay the same when the process changes its directory.
            Err(error) if is_missing(&error) && access == Access::Create => {
                std::path::absolute(place).map_err(|error| failed("find", place, error))?
            }
            Err(error) if is_missing(&error) => {
                check_reachable(place)?;
                let message = format!("there is no file {}", place.display());
                return Err(Error::new(Code::StoreNotFound, message).caused_by(error));
            }
            Err(error) => return Err(failed("open", place, error)),
        };
        let parent = file.parent().unwrap_or(&file);
        let mut directory = match fs::metadata(parent) {
            Ok(found) if !found.is_dir() => return Err(no_folder(parent)),
            Err(error) if error.kind() == ErrorKind::NotFound && access == Access::Create => make(parent)?,
            _ => Directory::new(parent),
        };
        directory.table = Some(file.into());
        Ok(directory)
    }

    fn describe(place: &PathBuf) -> String {
        place.display().to_string()
    }

    fn executor() -> RayonExecutor {
        RayonExecutor::default()
    }

    fn table_executor() -> RayonExecutor {
        RayonExecutor::tuned(&Tuning::current())
    }

    fn abandon(storage: Directory) {
        unmake(&storage.made);
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn make(place: &Path) -> Result<Directory> {
    let mut made = Vec::new();
    match make_with_ancestors(place, &mut made) {
        Ok(()) => Ok(Directory { made: made.into(), ..Directory::new(place) }),
        Err(error) => {
            unmake(&made);
            Err(failed("create", place, error))
        }
    }
}

fn make_with_ancestors(place: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing: Vec<&Path> =
        place.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_path_buf()),
            // Another process was faster, or the path goes through `..`.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && path.is_dir() => continue,
            Err(error) => return Err(error),
        }
        if let Some(parent) = path.parent() {
            sync_directory(parent)?;
        }
    }
    Ok(())
}

/// Removes directories that are empty; one that somebody uses by now stays, and so do those around it.
fn unmake(made: &[PathBuf]) {
    for path in made.iter().rev() {
        if fs::remove_dir(path).is_err() {
            break;
        }
    }
}

fn not_a_directory(place: &Path) -> Error {
    let message =
        format!("{} is a file, but a store is a directory: give the path of a directory", place.display());
    Error::new(Code::InvalidArgument, message)
}

fn not_a_file(found: &Path, place: &Path) -> Error {
    let what = if found.is_dir() { "a directory" } else { "a device or a pipe" };
    Error::new(Code::InvalidArgument, format!("{} is {what}, but a table is a file", place.display()))
}

fn no_folder(parent: &Path) -> Error {
    let message = format!("{} is a file: a table cannot lie in it", parent.display());
    Error::new(Code::InvalidArgument, message)
}

fn failed(action: &str, place: &Path, error: io::Error) -> Error {
    if let Err(outside) = check_reachable(place) {
        return outside.caused_by(error);
    }
    let code = match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Code::PermissionDenied,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Code::DeviceFull,
        _ => Code::Io,
    };
    let message = format!("could not {action} the directory {}: {}", place.display(), system_text(&error));
    Error::new(code, message).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn only_create_makes_directories() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("a/b");
        for access in [Access::Read, Access::Write] {
            let error = Native::attach(&place, access).unwrap_err();
            assert_eq!(error.code(), Code::StoreNotFound);
            assert!(error.message().contains(place.to_str().unwrap()), "{error}");
        }
        assert!(names(root.path()).is_empty());
        assert_eq!(Native::attach(&place, Access::Create).unwrap().path(), place);
        assert!(place.is_dir());
        Native::attach(&place, Access::Read).unwrap();
    }

    #[test]
    fn abandon_removes_what_attach_made() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("kept")).unwrap();
        let storage = Native::attach(&root.path().join("kept/a/b"), Access::Create).unwrap();
        Native::abandon(storage);
        assert_eq!(names(root.path()), ["kept"]);
        assert!(names(&root.path().join("kept")).is_empty());
    }

    #[test]
    fn abandon_keeps_directories_in_use_and_those_that_were_there() {
        let root = tempfile::tempdir().unwrap();
        let storage = Native::attach(&root.path().join("a/b"), Access::Create).unwrap();
        fs::write(root.path().join("a/mine"), "").unwrap();
        Native::abandon(storage);
        assert_eq!(names(&root.path().join("a")), ["mine"]);

        let there = root.path().join("there");
        fs::create_dir(&there).unwrap();
        Native::abandon(Native::attach(&there, Access::Create).unwrap());
        assert!(there.is_dir());
    }

    #[test]
    fn a_failed_create_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let too_long = root.path().join("a").join("b".repeat(5000));
        let error = Native::attach(&too_long, Access::Create).unwrap_err();
        assert_eq!(error.code(), Code::Io);
        let too_long_at_last = root.path().join("a").join("b".repeat(300));
        Native::attach(&too_long_at_last, Access::Create).unwrap_err();
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn a_file_is_no_place() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        for access in [Access::Read, Access::Write, Access::Create] {
            assert_eq!(Native::attach(&file, access).unwrap_err().code(), Code::InvalidArgument);
        }
        let inside = file.join("store");
        assert_eq!(Native::attach(&inside, Access::Read).unwrap_err().code(), Code::StoreNotFound);
        let error = Native::attach(&inside, Access::Create).unwrap_err();
        assert_eq!(error.code(), Code::Io);
        assert!(error.message().contains(inside.to_str().unwrap()), "{error}");
    }

    #[test]
    fn an_empty_path_is_no_place() {
        let error = Native::attach(&PathBuf::new(), Access::Create).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
    }

    #[test]
    fn a_path_through_a_missing_parent_is_made() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("a/../b/");
        let storage = Native::attach(&place, Access::Create).unwrap();
        assert!(root.path().join("b").is_dir());
        Native::abandon(storage);
        assert!(!root.path().join("b").exists());
    }
}
