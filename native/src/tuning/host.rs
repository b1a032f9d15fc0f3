//! What is known of the machine.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

/// The parts of a machine that decide how fast memory is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// The processor as it calls itself; empty where the system does not say.
    pub processor: String,
    /// Processors with memory of their own.
    pub sockets: NonZeroUsize,
    /// Cores that this process may use; threads that share one count once.
    pub physical_cores: NonZeroUsize,
    /// Threads that this process may run at once.
    pub logical_cores: NonZeroUsize,
    /// Memory nodes that this process may use.
    pub memory_nodes: NonZeroUsize,
}

impl Host {
    /// Asks the system. What it does not say is taken as one, and so are the cores in a build without threads.
    #[must_use]
    pub fn detect() -> Self {
        let (physical_cores, logical_cores) = cores();
        let memory_nodes = at_least_one(super::memory::allowed_nodes().len());
        let sockets = at_least_one(sockets_in(Path::new("/sys/devices/system/cpu")));
        Host { processor: processor(), sockets, physical_cores, logical_cores, memory_nodes }
    }

    /// How many threads saturate the memory, as a rule of thumb: half of the cores, of each socket at most eight; all
    /// cores where there are few, because a single one does not saturate anything.
    ///
    /// ```
    /// # use std::num::NonZeroUsize;
    /// # use recask::tuning::Host;
    /// let with = |cores, sockets| Host {
    ///     physical_cores: NonZeroUsize::new(cores).unwrap(),
    ///     sockets: NonZeroUsize::new(sockets).unwrap(),
    ///     ..Host::detect()
    /// };
    /// assert_eq!(with(2, 1).gather_threads().get(), 2);
    /// assert_eq!(with(12, 1).gather_threads().get(), 6);
    /// assert_eq!(with(64, 1).gather_threads().get(), 8);
    /// assert_eq!(with(64, 2).gather_threads().get(), 16);
    /// ```
    #[must_use]
    pub fn gather_threads(&self) -> NonZeroUsize {
        const FEW: usize = 4;
        const OF_EACH_SOCKET: usize = 8;
        let cores = self.physical_cores.get();
        let saturating = (cores / 2).min(self.sockets.get().saturating_mul(OF_EACH_SOCKET));
        at_least_one(saturating.max(cores.min(FEW)))
    }
}

/// Physical and logical ones.
#[cfg(feature = "threads")]
fn cores() -> (NonZeroUsize, NonZeroUsize) {
    let logical = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    (at_least_one(num_cpus::get_physical()).min(logical), logical)
}

#[cfg(not(feature = "threads"))]
fn cores() -> (NonZeroUsize, NonZeroUsize) {
    (NonZeroUsize::MIN, NonZeroUsize::MIN)
}

fn at_least_one(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN)
}

/// The line of the processor's name, where the system has such a file.
fn processor() -> String {
    let known = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let named = known.lines().find_map(|line| line.strip_prefix("model name"));
    let name = named.and_then(|rest| Some(rest.split_once(':')?.1.trim().to_owned()));
    name.or_else(|| std::env::var("PROCESSOR_IDENTIFIER").ok()).unwrap_or_default()
}

fn sockets_in(cpus: &Path) -> usize {
    let entries = fs::read_dir(cpus).into_iter().flatten().flatten();
    let packages: BTreeSet<String> = entries
        .filter_map(|entry| fs::read_to_string(entry.path().join("topology/physical_package_id")).ok())
        .collect();
    packages.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "threads")]
    #[test]
    fn a_process_may_use_no_more_than_there_is() {
        let host = Host::detect();
        assert!(host.physical_cores <= host.logical_cores, "{host:?}");
        assert_eq!(Some(host.logical_cores), std::thread::available_parallelism().ok());
    }

    #[test]
    fn sockets_are_the_different_packages() {
        let root = tempfile::tempdir().unwrap();
        for (cpu, package) in [("cpu0", "0\n"), ("cpu1", "1\n"), ("cpu2", "0\n"), ("cpu3", "1\n")] {
            let topology = root.path().join(cpu).join("topology");
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("physical_package_id"), package).unwrap();
        }
        fs::create_dir(root.path().join("cpufreq")).unwrap();
        assert_eq!(sockets_in(root.path()), 2);
        assert_eq!(sockets_in(&root.path().join("missing")), 0);
    }
}
