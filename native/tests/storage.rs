//! The file system as a storage: the rules that every storage keeps, and what only a file system has.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;

use recask::fs::Directory;
use recask_core::storage::conformance::{Abilities, cases};
use recask_core::storage::{FileId, LockMode, OpenMode, Storage as _, StorageErrorKind, StorageFile as _};

const CHUNK: FileId = FileId::Chunk(0);

fn directory() -> (tempfile::TempDir, Directory) {
    let temporary = tempfile::tempdir().unwrap();
    let directory = Directory::new(temporary.path());
    (temporary, directory)
}

#[test]
fn conforms() {
    let abilities = Abilities { locks: true, sparse: true, foreign_name: Some("notes.txt") };
    let root = tempfile::tempdir().unwrap();
    let make = || {
        let path = tempfile::tempdir_in(root.path()).unwrap().keep();
        std::fs::write(path.join("notes.txt"), "mine").unwrap();
        Directory::new(path)
    };
    let mut failed = Vec::new();
    for case in cases::<Directory>(abilities) {
        match (case.run)(&make, abilities) {
            Ok(()) => println!("ok: {}", case.name),
            Err(failure) => {
                println!("FAILED: {}: {failure}", case.name);
                failed.push(case.name);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn errors_name_the_path_and_what_the_system_said() {
    let (temporary, directory) = directory();
    let path = temporary.path().join("meta.zr");
    let missing = directory.open(FileId::Meta, OpenMode::Read).unwrap_err().to_string();
    assert!(missing.starts_with(&format!("could not open {}: ", path.display())), "{missing}");

    directory.open(FileId::Meta, OpenMode::CreateNew).unwrap().write_all_at(0, b"abc").unwrap();
    let file = directory.open(FileId::Meta, OpenMode::Read).unwrap();
    let short = file.read_exact_at(2, &mut [0; 5]).unwrap_err().to_string();
    assert_eq!(
        short,
        format!("could not read 5 bytes at offset 2 of {}: the file is shorter", path.display())
    );

    let held = directory.lock(FileId::Meta, LockMode::Shared).unwrap();
    let busy = directory.lock(FileId::Meta, LockMode::Exclusive).unwrap_err().to_string();
    assert!(busy.contains(path.to_str().unwrap()), "{busy}");
    drop(held);
}

#[test]
fn a_header_that_an_appender_rewrites_is_not_mapped() {
    let (_temporary, directory) = directory();
    directory.open(FileId::Meta, OpenMode::CreateNew).unwrap().write_all_at(0, b"header").unwrap();
    assert_eq!(directory.open(FileId::Meta, OpenMode::Read).unwrap().mapped(0..1), None);
}

#[test]
fn a_file_opened_for_reading_is_mapped_as_far_as_it_reached() {
    let (_temporary, directory) = directory();
    let writer = directory.open(CHUNK, OpenMode::CreateNew).unwrap();
    assert_eq!(directory.open(CHUNK, OpenMode::Read).unwrap().mapped(0..1), None);
    writer.write_all_at(0, b"payload").unwrap();
    let reader = directory.open(CHUNK, OpenMode::Read).unwrap();
    assert_eq!(reader.mapped(3..7), Some(&b"load"[..]));
    assert_eq!(writer.mapped(0..7), None);

    writer.write_all_at(7, b"more").unwrap();
    assert_eq!(reader.mapped(7..11), None);
    let mut more = [0; 4];
    reader.read_exact_at(7, &mut more).unwrap();
    assert_eq!((reader.len().unwrap(), &more), (11, b"more"));

    writer.set_len(2).unwrap();
    assert_eq!(reader.len().unwrap(), 2);
}

#[test]
fn eight_threads_read_one_file_at_once() {
    const WORDS: u64 = 100_000;
    let (_temporary, directory) = directory();
    let content: Vec<u8> = (0..WORDS).flat_map(u64::to_le_bytes).collect();
    directory.open(CHUNK, OpenMode::CreateNew).unwrap().write_all_at(0, &content).unwrap();
    for mode in [OpenMode::Read, OpenMode::ReadWrite] {
        let file = directory.open(CHUNK, mode).unwrap();
        let start = Barrier::new(8);
        thread::scope(|scope| {
            for thread in 0..8 {
                let (file, start) = (&file, &start);
                scope.spawn(move || {
                    start.wait();
                    for step in 0..2000 {
                        let word = (thread * 7919 + step * 104_729) % WORDS;
                        let mut bytes = [0; 8];
                        file.read_exact_at(word * 8, &mut bytes).unwrap();
                        assert_eq!(u64::from_le_bytes(bytes), word);
                    }
                });
            }
        });
    }
}

#[test]
fn a_new_file_under_the_name_of_a_locked_and_removed_one_is_free() {
    let (_temporary, directory) = directory();
    let held = directory.lock(FileId::Journal, LockMode::Exclusive).unwrap();
    directory.remove(FileId::Journal).unwrap();
    let _new = directory.lock(FileId::Journal, LockMode::Exclusive).unwrap();
    drop(held);
    let busy = directory.lock(FileId::Journal, LockMode::Exclusive).unwrap_err();
    assert_eq!(busy.kind(), StorageErrorKind::Busy);
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;

    /// The flags of the descriptors that this process has open on `path`.
    fn access_modes(path: &Path) -> Vec<u32> {
        const ACCESS_MODE: u32 = 0o3;
        let path = path.canonicalize().unwrap();
        let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().map(|entry| entry.unwrap());
        let ours = descriptors.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == path));
        ours.map(|entry| {
            let info = Path::new("/proc/self/fdinfo").join(entry.file_name());
            let info = std::fs::read_to_string(info).unwrap();
            let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap();
            u32::from_str_radix(flags.trim(), 8).unwrap() & ACCESS_MODE
        })
        .collect()
    }

    #[test]
    fn reading_and_sharing_need_no_permission_to_write() {
        const READ_ONLY: u32 = 0;
        const READ_WRITE: u32 = 2;
        let (temporary, directory) = directory();
        let path = temporary.path().join("meta.zr");
        drop(directory.open(FileId::Meta, OpenMode::CreateNew).unwrap());
        let reader = directory.open(FileId::Meta, OpenMode::Read).unwrap();
        let lock = directory.lock(FileId::Meta, LockMode::Shared).unwrap();
        assert_eq!(access_modes(&path), [READ_ONLY, READ_ONLY]);
        drop((reader, lock));
        let writer = directory.open(FileId::Meta, OpenMode::ReadWrite).unwrap();
        let lock = directory.lock(FileId::Meta, LockMode::Exclusive).unwrap();
        assert_eq!(access_modes(&path), [READ_WRITE, READ_WRITE]);
        drop((writer, lock));
        assert!(access_modes(&path).is_empty());
    }

    #[test]
    fn a_full_device_is_full() {
        let (temporary, directory) = directory();
        std::os::unix::fs::symlink("/dev/full", temporary.path().join("0.chunk")).unwrap();
        let file = directory.open(CHUNK, OpenMode::ReadWrite).unwrap();
        for error in [file.write_all_at(0, b"x"), file.write_all_vectored_at(0, &[b"x", b"y"])] {
            let error = error.unwrap_err();
            assert_eq!(error.kind(), StorageErrorKind::Full);
            assert!(error.to_string().ends_with("no space left on device (os error 28)"), "{error}");
        }
    }
}

#[cfg(unix)]
#[test]
fn locks_are_those_of_flock_in_other_processes() {
    let (temporary, directory) = directory();
    drop(directory.open(FileId::Meta, OpenMode::CreateNew).unwrap());
    let path = temporary.path().join("meta.zr");
    let busy = |mode| directory.lock(FileId::Meta, mode).unwrap_err().kind() == StorageErrorKind::Busy;

    let other = Flock::holding(&path, "LOCK_EX");
    assert!(busy(LockMode::Shared) && busy(LockMode::Exclusive));
    other.release();
    let ours = directory.lock(FileId::Meta, LockMode::Exclusive).unwrap();
    drop(ours);

    let other = Flock::holding(&path, "LOCK_SH");
    assert!(busy(LockMode::Exclusive));
    let ours = directory.lock(FileId::Meta, LockMode::Shared).unwrap();
    other.release();
    assert_eq!(try_flock(&path, "LOCK_EX"), "busy");
    assert_eq!(try_flock(&path, "LOCK_SH"), "held");
    drop(ours);
    assert_eq!(try_flock(&path, "LOCK_EX"), "held");
}

/// A Python process that locks like loaderx, and holds the lock until its standard input ends.
struct Flock(std::process::Child);

const FLOCK: &str = "
import fcntl, sys
file = open(sys.argv[1], 'r+b')
try:
    fcntl.flock(file, getattr(fcntl, sys.argv[2]) | fcntl.LOCK_NB)
    print('held', flush=True)
except BlockingIOError:
    print('busy', flush=True)
sys.stdin.read()
";

impl Flock {
    fn start(path: &Path, mode: &str) -> (Self, String) {
        let mut child = Command::new("python3")
            .args(["-c", FLOCK, path.to_str().unwrap(), mode])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test needs python3");
        let mut answer = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
        (Flock(child), answer.trim().to_owned())
    }

    fn holding(path: &Path, mode: &str) -> Self {
        let (flock, answer) = Self::start(path, mode);
        assert_eq!(answer, "held");
        flock
    }

    fn release(mut self) {
        self.0.stdin.take().unwrap().flush().unwrap();
        assert!(self.0.wait().unwrap().success());
    }
}

fn try_flock(path: &Path, mode: &str) -> String {
    let (flock, answer) = Flock::start(path, mode);
    flock.release();
    answer
}
