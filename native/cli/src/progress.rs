//! A progress bar for long work that watches Ctrl-C too.

#[cfg(feature = "terminal")]
mod drawn;
#[cfg(not(feature = "terminal"))]
#[path = "progress/unseen.rs"]
mod drawn;

pub(crate) use self::drawn::Bar;

/// What a bar counts.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "demo"),
    allow(dead_code, reason = "some are counted by commands that are left out")
)]
pub(crate) enum Unit {
    Records,
    Rows,
    Bytes,
    Batches,
    /// Of a number that nobody knows.
    Steps,
}
