//! How much memory the process took.

/// The most bytes that were in memory at once since the process began, pages of mapped files included; `None` where the system
/// does not tell as Linux does.
pub(crate) fn peak() -> Option<u64> {
    in_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The high-water mark in the text of `/proc/self/status`, which counts in KiB and calls them kB.
fn in_status(status: &str) -> Option<u64> {
    let mark = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = mark.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_in_the_status() {
        let status = "Name:\trecask\nVmPeak:\t    9000 kB\nVmHWM:\t    4321 kB\nVmRSS:\t    1000 kB\n";
        assert_eq!(in_status(status), Some(4321 * 1024));
        for status in ["", "VmHWM:\n", "VmHWM:\t12\n", "VmHWM:\t-1 kB\n", "VmHWM:\t18446744073709551615 kB\n"]
        {
            assert_eq!(in_status(status), None, "{status:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_covers_what_is_held() {
        let held = std::hint::black_box(vec![1u8; 8 << 20]);
        assert!(peak().unwrap() >= held.len() as u64);
    }
}
