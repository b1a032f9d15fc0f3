use alloc::format;
use core::fmt;
use core::str::FromStr;

use crate::error::{Code, Error, Result};

/// The order in which a [`Sampler`](super::Sampler) visits the records.
///
/// ```
/// use recask_core::sampler::Mode;
///
/// let mode: Mode = "cyclic".parse()?;
/// assert_eq!(mode, Mode::Cyclic);
/// assert_eq!(mode.to_string(), "cyclic");
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// One record after the other, and from the start again. The stream of loaderx's `sequential`.
    Sequential,
    /// Uniform with replacement, from one sfc64 generator. The stream of loaderx 1.7.2's `iid`.
    ///
    /// The generator has no jump: reaching step `k` costs `k · batch` draws. Prefer [`Mode::IidSeek`] where the
    /// exact stream of loaderx does not matter.
    Iid,
    /// Without replacement inside a cycle, in a new order in every cycle. The stream of loaderx's `cyclic`.
    ///
    /// When the batch does not divide the length, the last `length mod batch` positions of every cycle are
    /// dropped, which are other records each time. When the batch exceeds the length, every step is one
    /// permutation of all records, so its batch has `length` indices.
    Cyclic,
    /// Uniform with replacement, every draw a function of the seed and its number alone, so any step is reached
    /// at once. Recask's own; loaderx has no such stream.
    ///
    /// All arithmetic is on unsigned 64-bit integers and wraps. With `G = 0x9E3779B97F4A7C15` and
    ///
    /// ```text
    /// F(z):  z = (z xor (z >> 30)) · 0xBF58476D1CE4E5B9
    ///        z = (z xor (z >> 27)) · 0x94D049BB133111EB
    ///        F = z xor (z >> 31)
    ///
    /// key1 = F(seed + G)
    /// key2 = F(key1 + G)
    /// ```
    ///
    /// index `j` of step `k` is draw number `c = k · batch + j`. The draw makes attempts `a = 0, 1, 2, …`:
    ///
    /// ```text
    /// x = F(F(key1 xor c) + key2 + a · G)
    /// ```
    ///
    /// and takes `floor(x · length / 2^64)` from the first attempt for which
    /// `(x · length) mod 2^64 >= 2^64 mod length` (Lemire's condition, which makes it exactly unbiased).
    IidSeek,
}

impl Mode {
    /// Every mode.
    pub const ALL: &'static [Mode] = &[Mode::Sequential, Mode::Iid, Mode::Cyclic, Mode::IidSeek];

    /// The name that every door uses: `sequential`, `iid`, `cyclic`, `iid_seek`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Sequential => "sequential",
            Mode::Iid => "iid",
            Mode::Cyclic => "cyclic",
            Mode::IidSeek => "iid_seek",
        }
    }

    /// Whether the seed decides the order; it does in all modes but [`Mode::Sequential`].
    #[must_use]
    pub const fn needs_seed(self) -> bool {
        !matches!(self, Mode::Sequential)
    }
}

impl FromStr for Mode {
    type Err = Error;

    /// Reads the name of a mode, as [`Mode::as_str`] writes it; anything else is [`Code::InvalidArgument`].
    fn from_str(name: &str) -> Result<Self> {
        Mode::ALL.iter().copied().find(|mode| mode.as_str() == name).ok_or_else(|| {
            Error::new(
                Code::InvalidArgument,
                format!("there is no sampler mode '{name}'; choose sequential, iid, cyclic or iid_seek"),
            )
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
