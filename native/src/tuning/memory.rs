//! Which memory nodes there are, and the policy of a thread for the pages that it brings in.

use std::sync::OnceLock;

/// The nodes on which this process may have memory; none where the system does not say.
pub(super) fn allowed_nodes() -> &'static [usize] {
    static NODES: OnceLock<Vec<usize>> = OnceLock::new();
    NODES.get_or_init(|| {
        // Also right in a container that may use some nodes only.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Mems_allowed_list:"));
        line.and_then(|list| numbers(list.trim())).unwrap_or_default()
    })
}

pub(super) fn several_nodes() -> bool {
    cfg!(target_os = "linux") && allowed_nodes().len() > 1
}

/// Reads `0-3,8`.
fn numbers(list: &str) -> Option<Vec<usize>> {
    /// More than any kernel has nodes.
    const MOST: usize = 1 << 16;
    let mut numbers = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse().ok()?, last.parse().ok().filter(|&last: &usize| last < MOST)?);
        numbers.extend(first..=last);
    }
    Some(numbers)
}

/// While it lives, the pages that this thread brings in are interleaved over the memory nodes. It stays on its thread.
#[derive(Debug)]
pub(crate) struct Placed {
    #[cfg(target_os = "linux")]
    _before: super::policy::Replaced,
    #[cfg(not(target_os = "linux"))]
    _never: std::convert::Infallible,
}

impl Placed {
    /// Nothing where there is one node, or where the system refuses: a table works the same on any pages.
    pub(super) fn interleaved() -> Option<Self> {
        if !several_nodes() {
            return None;
        }
        #[cfg(target_os = "linux")]
        return Some(Placed { _before: super::policy::Replaced::by_interleaving(allowed_nodes())? });
        #[cfg(not(target_os = "linux"))]
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_nodes_are_read() {
        assert_eq!(numbers("0"), Some(vec![0]));
        assert_eq!(numbers("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(numbers(""), None);
        assert_eq!(numbers("0-x"), None);
        assert_eq!(numbers("0-18446744073709551615"), None);
    }
}
