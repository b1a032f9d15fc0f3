//! How column tables use this machine: threads, read-ahead, the placement of pages.
//!
//! Every setting has a default that fits the machine; [`Tuning::set_current`] changes it for tables that are opened from
//! then on, [`open_with`](crate::table::open_with) for one table. `Calibration` (feature `threads`) measures the one setting that no
//! rule predicts well, and remembers it.

#[cfg(feature = "threads")]
mod calibration;
mod host;
mod memory;
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the only place that calls the kernel for memory policies")]
mod policy;

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::{PoisonError, RwLock};

use recask_core::{Code, Error, Result};

#[cfg(feature = "threads")]
pub use calibration::{Calibration, Effort, Measurement};
pub use host::Host;
pub(crate) use memory::Placed;

/// How tables use this machine. See the [module](self).
///
/// ```
/// use recask::tuning::{Advice, Tuning};
///
/// let scan = Tuning { advice: Advice::Sequential, ..Tuning::current() };
/// assert_eq!(scan.advice.to_string(), "sequential");
/// assert!(scan.gather_threads <= scan.threads);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Threads that work at once, at most: rayon's global ones, whose number bounds this one too. By default as many
    /// as there are physical cores, or as a calibration found useful; one in a build without threads.
    pub threads: NonZeroUsize,
    /// Threads that one gather may use of them: it waits for memory, so there is a number beyond which more do not
    /// help. By default what a calibration measured here, else [`Host::gather_threads`].
    pub gather_threads: NonZeroUsize,
    /// What the system is told about the order of reading.
    pub advice: Advice,
    /// Where the pages of a table go on a machine with several memory nodes.
    pub placement: Placement,
}

static CURRENT: RwLock<Option<Tuning>> = RwLock::new(None);

impl Tuning {
    /// The settings that tables get when they are opened: those of [`Tuning::set_current`], else those of
    /// [`Tuning::of_this_host`], which are then looked up once.
    #[must_use]
    pub fn current() -> Self {
        if let Some(tuning) = *CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
            return tuning;
        }
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Self::of_this_host)
    }

    /// Makes these the settings of every table that this process opens from now on.
    pub fn set_current(self) {
        *CURRENT.write().unwrap_or_else(PoisonError::into_inner) = Some(self);
    }

    /// The defaults of this machine, with the remembered calibration where there is one.
    #[must_use]
    pub fn of_this_host() -> Self {
        let host = Host::detect();
        let gather_threads = calibrated(&host).unwrap_or_else(|| host.gather_threads());
        let threads = host.physical_cores.max(gather_threads);
        Tuning { threads, gather_threads, advice: Advice::default(), placement: Placement::default() }
    }
}

/// The threads that a remembered calibration found to be enough.
#[cfg(feature = "threads")]
fn calibrated(host: &Host) -> Option<NonZeroUsize> {
    Some(Calibration::recall(host)?.gather_threads())
}

#[cfg(not(feature = "threads"))]
fn calibrated(_host: &Host) -> Option<NonZeroUsize> {
    None
}

impl Default for Tuning {
    fn default() -> Self {
        Self::of_this_host()
    }
}

/// In which order a table will be read, so that the system reads ahead accordingly. Where a system takes no such advice,
/// this does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Advice {
    /// No advice: the system watches.
    #[default]
    Normal,
    /// From the front to the back: read far ahead.
    Sequential,
    /// Here and there: read nothing ahead.
    Random,
    /// All of it soon: start reading now.
    WillNeed,
}

impl Advice {
    /// All of them.
    pub const ALL: [Advice; 4] = [Advice::Normal, Advice::Sequential, Advice::Random, Advice::WillNeed];

    /// The word for it: what `Display` writes and `FromStr` reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Advice::Normal => "normal",
            Advice::Sequential => "sequential",
            Advice::Random => "random",
            Advice::WillNeed => "willneed",
        }
    }
}

/// On which memory nodes the pages of a table are put when they are first written or read from the disk. Only Linux
/// has this, and only machines with several nodes; elsewhere nothing is done.
///
/// Linux places the pages of a file by the policy of the thread that brings them in, not by that of the mapping. So
/// threads take the policy for the time in which they write a table or read it in parallel, and give it back.
/// Pages that are in memory already stay where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// As [`Placement::Interleave`].
    #[default]
    Auto,
    /// In turn over all nodes that this process may use, so that every processor has the same way to them.
    Interleave,
    /// As the system does it: on the node of the thread that brings them in.
    Local,
}

impl Placement {
    /// All of them.
    pub const ALL: [Placement; 3] = [Placement::Auto, Placement::Interleave, Placement::Local];

    /// The word for it: what `Display` writes and `FromStr` reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Placement::Auto => "auto",
            Placement::Interleave => "interleave",
            Placement::Local => "local",
        }
    }

    /// Whether pages are interleaved on this machine: not where there is one memory node.
    #[must_use]
    pub fn interleaves(self) -> bool {
        self != Placement::Local && memory::several_nodes()
    }

    /// The calling thread places pages like this until the answer is dropped.
    pub(crate) fn scope(self) -> Option<Placed> {
        if self == Placement::Local { None } else { Placed::interleaved() }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Advice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Advice::ALL.into_iter().find(|advice| advice.name() == text);
        found.ok_or_else(|| no_such("advice", text, &Advice::ALL.map(Advice::name)))
    }
}

impl FromStr for Placement {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Placement::ALL.into_iter().find(|placement| placement.name() == text);
        found.ok_or_else(|| no_such("placement", text, &Placement::ALL.map(Placement::name)))
    }
}

fn no_such(what: &str, text: &str, known: &[&str]) -> Error {
    Error::new(Code::InvalidArgument, format!("there is no {what} {text:?}: use one of {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written() {
        for advice in Advice::ALL {
            assert_eq!(advice.to_string().parse::<Advice>().unwrap(), advice);
        }
        for placement in Placement::ALL {
            assert_eq!(placement.to_string().parse::<Placement>().unwrap(), placement);
        }
        let error = "fast".parse::<Advice>().unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(
            error.message(),
            "there is no advice \"fast\": use one of normal, sequential, random, willneed"
        );
    }

    #[test]
    fn the_defaults_fit_the_host() {
        let (tuning, host) = (Tuning::of_this_host(), Host::detect());
        assert!(tuning.threads >= host.physical_cores);
        assert!(tuning.gather_threads <= tuning.threads);
        assert_eq!((tuning.advice, tuning.placement), (Advice::Normal, Placement::Auto));
    }
}
