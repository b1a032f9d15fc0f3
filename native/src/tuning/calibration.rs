//! Measuring how many threads gather fastest on this machine.

mod cache;
mod source;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recask_core::progress::Progress;
use recask_core::{Code, Error, Result};

use self::source::Source;
use super::{Advice, Host, Placement, Tuning};
use crate::Selection;

/// The time of gathering rows at random with several numbers of threads.
///
/// ```
/// use recask::tuning::{Calibration, Effort, Host};
///
/// let small = Effort { rows: 10_000, gathered: 1000, time: std::time::Duration::ZERO, ..Effort::default() };
/// let measured = Calibration::measure(&Host::detect(), &small, &())?;
/// assert_eq!(measured.measured()[0].threads.get(), 1);
/// assert!(measured.measured().iter().any(|found| found.threads == measured.gather_threads()));
/// // measured.remember()?; writes it down for `Tuning::of_this_host`.
/// # Ok::<(), recask::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    host: Host,
    measured: Vec<Measurement>,
    gather_threads: NonZeroUsize,
}

/// What one number of threads took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measurement {
    /// Threads that gathered.
    pub threads: NonZeroUsize,
    /// Rows of one gather.
    pub rows: usize,
    /// The median of all rounds.
    pub median: Duration,
}

impl Measurement {
    /// Rows gathered in a second.
    #[must_use]
    pub fn rows_per_second(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a rate needs three digits")]
        let rows = self.rows as f64;
        rows / self.median.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// How much a calibration may take.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Rows of four bytes in the table that is gathered from: more than the caches of the processor hold.
    pub rows: u64,
    /// Rows of one gather.
    pub gathered: usize,
    /// Rounds end when they took so long; there are always three.
    pub time: Duration,
    /// Where the table is written meanwhile.
    pub folder: PathBuf,
}

impl Default for Effort {
    /// 256 MiB in the folder for temporary files, gathers of two million rows, three seconds.
    fn default() -> Self {
        Effort {
            rows: 64 << 20,
            gathered: 2 << 20,
            time: Duration::from_secs(3),
            folder: std::env::temp_dir(),
        }
    }
}

impl Calibration {
    /// Measures. All candidates take turns in every round, so that whatever else the machine does disturbs them alike.
    /// Progress counts the gathers.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] without rows, [`Code::Interrupted`], and what the system says about the table.
    pub fn measure(host: &Host, effort: &Effort, progress: &dyn Progress) -> Result<Self> {
        const LEAST_ROUNDS: usize = 3;
        if effort.rows == 0 || effort.gathered == 0 {
            return Err(Error::new(Code::InvalidArgument, "a calibration needs rows to gather"));
        }
        let source = Source::write(effort, progress)?;
        let mut candidates = Vec::new();
        for threads in candidates_up_to(host.logical_cores) {
            let tuning = Tuning {
                threads,
                gather_threads: threads,
                advice: Advice::Random,
                placement: Placement::Auto,
            };
            let rows = source.open(&tuning)?;
            candidates.push((threads, rows, Vec::new()));
        }
        let mut values = vec![0; effort.gathered * 4];
        let mut gather = |rows: &Selection| {
            if !progress.proceed() {
                return Err(interrupted());
            }
            let start = Instant::now();
            rows.gather_into(&mut [&mut values])?;
            progress.advance(1);
            Ok(start.elapsed())
        };
        // The first touch of every page is not what is measured.
        for (_, rows, _) in &candidates {
            gather(rows)?;
        }
        let start = Instant::now();
        let mut rounds = 0;
        while rounds < LEAST_ROUNDS || start.elapsed() < effort.time {
            for (_, rows, times) in &mut candidates {
                times.push(gather(rows)?);
            }
            rounds += 1;
        }
        let measured = candidates.into_iter().map(|(threads, _, times)| Measurement {
            threads,
            rows: effort.gathered,
            median: median(times),
        });
        Ok(Self::of(host.clone(), measured.collect()))
    }

    fn of(host: Host, measured: Vec<Measurement>) -> Self {
        let gather_threads = fewest_of_the_fast(&measured);
        Calibration { host, measured, gather_threads }
    }

    /// The fewest threads that are nearly as fast as any number.
    #[must_use]
    pub fn gather_threads(&self) -> NonZeroUsize {
        self.gather_threads
    }

    /// All that was measured, by the number of threads.
    #[must_use]
    pub fn measured(&self) -> &[Measurement] {
        &self.measured
    }

    /// Where calibrations are remembered: `recask/calibration.json` in `$XDG_CACHE_HOME`, in `~/.cache`, or in the folder
    /// for caches of Windows. `None` without a home.
    #[must_use]
    pub fn path() -> Option<PathBuf> {
        cache::path()
    }

    /// Writes it down in place of an earlier one, and answers where. [`Tuning::of_this_host`] finds it from then on.
    ///
    /// # Errors
    /// [`Code::Io`] and its relatives, also when there is no home.
    pub fn remember(&self) -> Result<PathBuf> {
        let path = cache::path().ok_or_else(|| {
            Error::new(Code::Io, "there is no folder for caches: set XDG_CACHE_HOME or HOME")
        })?;
        self.remember_in(&path)?;
        Ok(path)
    }

    /// What was remembered for this machine. A note that is unreadable, or of another machine or version, is none.
    #[must_use]
    pub fn recall(host: &Host) -> Option<Self> {
        Self::recall_from(&cache::path()?, host)
    }

    /// Removes what was remembered; whether there was anything.
    ///
    /// # Errors
    /// What the system says.
    pub fn forget() -> Result<bool> {
        cache::path().map_or(Ok(false), |path| cache::remove(&path))
    }

    fn remember_in(&self, path: &Path) -> Result<()> {
        cache::write(path, &self.host, &self.measured)
    }

    fn recall_from(path: &Path, host: &Host) -> Option<Self> {
        let measured = cache::read(path, host)?;
        Some(Self::of(host.clone(), measured))
    }
}

fn interrupted() -> Error {
    Error::new(Code::Interrupted, "the calibration was interrupted; nothing is remembered")
}

/// 1, 2, 4, … and the limit itself.
fn candidates_up_to(limit: NonZeroUsize) -> impl Iterator<Item = NonZeroUsize> {
    let limit = limit.min(NonZeroUsize::new(rayon::current_num_threads()).unwrap_or(NonZeroUsize::MIN));
    let powers = (0..usize::BITS).map_while(|power| NonZeroUsize::new(1 << power));
    powers.take_while(move |&threads| threads < limit).chain([limit])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// More threads that gain less than a twentieth are better left to others.
fn fewest_of_the_fast(measured: &[Measurement]) -> NonZeroUsize {
    const NEARLY: f64 = 0.95;
    let best = measured.iter().map(|found| found.median).min().unwrap_or_default();
    let fast = measured.iter().filter(|found| found.median.mul_f64(NEARLY) <= best);
    fast.map(|found| found.threads).min().unwrap_or(NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    fn took(threads: usize, millis: u64) -> Measurement {
        Measurement { threads: count(threads), rows: 1000, median: Duration::from_millis(millis) }
    }

    #[test]
    fn the_fewest_threads_within_a_twentieth_of_the_best_are_chosen() {
        assert_eq!(fewest_of_the_fast(&[took(1, 1000), took(2, 520), took(4, 505), took(8, 500)]).get(), 2);
        assert_eq!(fewest_of_the_fast(&[took(1, 1000), took(2, 530), took(4, 505), took(8, 500)]).get(), 4);
        assert_eq!(fewest_of_the_fast(&[took(1, 500), took(2, 900)]).get(), 1);
        assert_eq!(took(1, 500).rows_per_second(), 2000.0);
    }

    #[test]
    fn candidates_double_and_end_with_the_limit() {
        let available = rayon::current_num_threads();
        let found: Vec<usize> = candidates_up_to(count(1 << 20)).map(NonZeroUsize::get).collect();
        assert_eq!((found[0], *found.last().unwrap()), (1, available));
        assert!(found.is_sorted() && found.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(candidates_up_to(count(1)).map(NonZeroUsize::get).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn the_median_is_the_middle() {
        let times = [5, 1, 9].map(Duration::from_secs);
        assert_eq!(median(times.to_vec()), Duration::from_secs(5));
    }

    #[test]
    fn what_is_remembered_is_recalled_on_the_same_machine_only() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("caches/recask/calibration.json");
        let host = Host::detect();
        assert_eq!(Calibration::recall_from(&path, &host), None);
        let calibration = Calibration::of(host.clone(), vec![took(1, 1000), took(2, 500)]);
        calibration.remember_in(&path).unwrap();
        assert_eq!(Calibration::recall_from(&path, &host), Some(calibration));
        let other = Host { processor: "another".into(), ..host.clone() };
        assert_eq!(Calibration::recall_from(&path, &other), None);
        let newer = Calibration::of(host.clone(), vec![took(1, 100), took(2, 500)]);
        newer.remember_in(&path).unwrap();
        assert_eq!(Calibration::recall_from(&path, &host).unwrap().gather_threads().get(), 1);
        let beside = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1, "a temporary file stayed");
        assert!(cache::remove(&path).unwrap());
        assert!(!cache::remove(&path).unwrap());
    }

    #[test]
    fn a_note_that_says_nothing_is_none() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("calibration.json");
        let host = Host::detect();
        Calibration::of(host.clone(), vec![took(2, 7)]).remember_in(&path).unwrap();
        let note = std::fs::read_to_string(&path).unwrap();
        for wrong in [
            String::new(),
            "null".to_owned(),
            note[..note.len() / 2].to_owned(),
            note.replace("\"threads\": 2", "\"threads\": 0"),
            note.replace("\"measured\": [", "\"measured\": [7, "),
            note.replace("\"nanoseconds\": 7000000", "\"nanoseconds\": -1"),
        ] {
            assert_ne!(wrong, note);
            std::fs::write(&path, &wrong).unwrap();
            assert_eq!(Calibration::recall_from(&path, &host), None, "{wrong}");
        }
        let nothing = note.replace(&note[note.find("[").unwrap() + 1..note.find("]").unwrap()], "");
        std::fs::write(&path, nothing).unwrap();
        assert_eq!(Calibration::recall_from(&path, &host), None);
    }

    #[test]
    fn an_interrupted_calibration_measures_nothing() {
        struct Stopped;
        impl Progress for Stopped {
            fn proceed(&self) -> bool {
                false
            }
        }
        let root = tempfile::tempdir().unwrap();
        let effort = Effort { rows: 100, gathered: 10, folder: root.path().into(), ..Effort::default() };
        let error = Calibration::measure(&Host::detect(), &effort, &Stopped).unwrap_err();
        assert_eq!(error.code(), Code::Interrupted);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    }
}
