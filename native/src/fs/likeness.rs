//! What a file keeps when another one takes its place: permissions, owner, extended attributes.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

/// A file made with these options can be read by nobody who may not read `old`, from its first moment.
pub(super) fn create_no_wider(options: &mut OpenOptions, old: &Path) {
    #[cfg(unix)]
    if let Ok(old) = fs::metadata(old) {
        use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
        options.mode(old.mode() & 0o777);
    }
    #[cfg(not(unix))]
    let _ = (options, old);
}

/// Makes `new` look like `old`, where there is one.
pub(super) fn take_after(new: &Path, old: &Path) -> io::Result<()> {
    // A sandbox knows no permissions.
    if cfg!(target_os = "wasi") {
        return Ok(());
    }
    let looks = match fs::metadata(old) {
        Ok(looks) => looks,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    #[cfg(unix)]
    {
        take_owner(new, &looks)?;
        take_attributes(new, old);
    }
    // Last, because a new owner takes bits away.
    fs::set_permissions(new, looks.permissions())
}

/// Whoever may not give files away owns what it writes.
#[cfg(unix)]
fn take_owner(new: &Path, looks: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let own = fs::metadata(new)?;
    let group = (own.gid() != looks.gid()).then(|| looks.gid());
    let owner = (own.uid() != looks.uid()).then(|| looks.uid());
    // One by one: a member may give a file to its group without being able to give it to another owner.
    for (owner, group) in [(None, group), (owner, None)] {
        match chown(new, owner, group) {
            Err(error) if error.kind() != ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// As many as the file system and the rights of this process allow; a table is whole without them.
#[cfg(unix)]
fn take_attributes(new: &Path, old: &Path) {
    for name in xattr::list(old).into_iter().flatten() {
        if let Ok(Some(value)) = xattr::get(old, &name) {
            let _ = xattr::set(new, &name, &value);
        }
    }
}
