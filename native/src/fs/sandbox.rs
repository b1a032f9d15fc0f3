//! What a WASI sandbox does in its own way: positional calls, and the folders that it was given.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use wasip1::{Ciovec, Errno, Fd, Iovec};

pub(crate) fn read_at(file: &File, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
    let target = [Iovec { buf: buf.as_mut_ptr(), buf_len: buf.len() }];
    // SAFETY: the descriptor is open, and the one vector is memory that is borrowed exclusively until the call returns.
    unsafe { wasip1::fd_pread(descriptor(file)?, &target, offset) }.map_err(system_error)
}

pub(super) fn write_at(file: &File, offset: u64, data: &[u8]) -> io::Result<usize> {
    let source = [Ciovec { buf: data.as_ptr(), buf_len: data.len() }];
    // SAFETY: the descriptor is open, and the one vector is memory that is borrowed until the call returns.
    unsafe { wasip1::fd_pwrite(descriptor(file)?, &source, offset) }.map_err(system_error)
}

/// A second name for a file. Some C libraries, through which the standard library goes, mistake the old name for the new one.
pub(super) fn hard_link(old: &Path, new: &Path) -> io::Result<()> {
    let ((old_folder, old), (new_folder, new)) = (locate(old)?, locate(new)?);
    // SAFETY: both descriptors are those of folders that were opened before the program began and stay open.
    unsafe { wasip1::path_link(old_folder, 0, &old, new_folder, &new) }.map_err(system_error)
}

/// The given folder around a path, and the names from there.
fn locate(path: &Path) -> io::Result<(Fd, String)> {
    let wanted = names_inside(path);
    let inside = given_folders().iter().filter_map(|folder| {
        let rest = wanted.as_deref()?.strip_prefix(names_inside(&folder.name)?).ok()?;
        Some((folder.descriptor, rest.to_str()?.to_owned()))
    });
    inside.min_by_key(|(_, rest)| rest.len()).ok_or_else(|| system_error(wasip1::ERRNO_NOTCAPABLE))
}

/// Why a path cannot be reached, where it lies outside of what the sandbox was given.
pub(crate) fn refusal(path: &Path) -> Option<String> {
    let given = given_folders();
    if locate(path).is_ok() {
        return None;
    }
    let names: Vec<_> = given.iter().map(|folder| folder.name.display().to_string()).collect();
    let has =
        if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    Some(format!(
        "the sandbox was not given the folder of {} ({has}): give it to the program that runs the sandbox as a preopened \
         folder, under the name that is used here",
        path.display()
    ))
}

/// Where a path leads, from the root. Sandboxes cannot tell of links on the way; the last one is what matters, since a new file
/// must not take its place.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if !path.symlink_metadata()?.is_symlink() {
            return names_inside(&path)
                .map(|names| Path::new("/").join(names))
                .ok_or(ErrorKind::NotFound.into());
        }
        let target = path.read_link()?;
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(ErrorKind::Other.into())
}

/// The names that lead to a path from the root, which relative paths start from too; `None` where it leaves the root.
fn names_inside(path: &Path) -> Option<PathBuf> {
    let mut inside = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => inside.push(name),
            Component::ParentDir if !inside.pop() => return None,
            _ => {}
        }
    }
    Some(inside)
}

/// A folder that was opened before the program began, by the name that it has for it.
struct Given {
    descriptor: Fd,
    name: PathBuf,
}

fn given_folders() -> &'static [Given] {
    static GIVEN: OnceLock<Vec<Given>> = OnceLock::new();
    GIVEN.get_or_init(|| {
        // Descriptors begin behind those of the standard streams; the first one that is no such folder ends them.
        (3..).map_while(folder_of).collect()
    })
}

fn folder_of(descriptor: Fd) -> Option<Given> {
    // SAFETY: the call asks about a descriptor, open or not, by its number.
    let found = unsafe { wasip1::fd_prestat_get(descriptor) }.ok()?;
    if found.tag != wasip1::PREOPENTYPE_DIR.raw() {
        return None;
    }
    // SAFETY: there is one kind of such descriptors, and the tag says that this is of it.
    let mut name = vec![0; unsafe { found.u.dir }.pr_name_len];
    // SAFETY: the sandbox writes no more bytes than there are in the vector.
    unsafe { wasip1::fd_prestat_dir_name(descriptor, name.as_mut_ptr(), name.len()) }.ok()?;
    // Some runtimes count the zero behind the name.
    let name = String::from_utf8_lossy(&name);
    Some(Given { descriptor, name: PathBuf::from(name.trim_end_matches('\0')) })
}

fn descriptor(file: &File) -> io::Result<Fd> {
    Fd::try_from(file.as_raw_fd())
        .map_err(|_| io::Error::from_raw_os_error(i32::from(wasip1::ERRNO_BADF.raw())))
}

fn system_error(error: Errno) -> io::Error {
    io::Error::from_raw_os_error(i32::from(error.raw()))
}
