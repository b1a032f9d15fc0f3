//! Names of arrays and fields as names of folders.

use super::problem::Site;
use recask_core::Result;
use recask_core::storage::FileId;

/// What some file system that a dataset may travel to refuses.
const REFUSED: &[char] = &['/', '\\', ':', '*', '?', '"', '<', '>', '|'];
/// Names of devices on Windows, with any extension.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul"];

/// Whether a folder of this name can be made everywhere, inside of its parent.
pub(super) fn check(name: &str, site: Site<'_>) -> Result<()> {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = DEVICES.contains(&stem.as_str())
        || ["com", "lpt"].iter().any(|port| {
            stem.strip_prefix(port).is_some_and(|digit| matches!(digit.as_bytes(), [b'0'..=b'9']))
        });
    let reason = if name.is_empty() {
        "is empty"
    } else if name.len() > 200 {
        "is longer than 200 bytes"
    } else if name.contains(REFUSED) || name.contains(char::is_control) {
        "has a character that file names must not have"
    } else if name.ends_with(['.', ' ']) {
        "ends with a dot or a space"
    } else if device || FileId::from_name(name).is_some() {
        "is reserved"
    } else {
        return Ok(());
    };
    Err(site.invalid(format_args!(
        "the name {name:?} {reason}, so no stream can have it; rename it, or choose the others as fields"
    )))
}
