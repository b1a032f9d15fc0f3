//! A bar on a terminal.

use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recask::Progress;

use super::Unit;
use crate::args::Global;
use crate::interrupt;

/// Work that is done sooner shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// Shows rate and time left on a terminal once the work takes long, and stops it on Ctrl-C.
pub(crate) struct Bar {
    bar: ProgressBar,
    started: Instant,
    /// Whether it waits for its time to appear.
    waiting: AtomicBool,
}

impl Bar {
    /// A bar for `total` units of work; `title` is a verb such as `verifying`.
    pub(crate) fn new(global: Global, title: &'static str, total: u64, unit: Unit) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = match unit {
            Unit::Records => "{msg} {wide_bar} {human_pos}/{human_len} records  {per_sec}  {eta} left",
            Unit::Rows => "{msg} {wide_bar} {human_pos}/{human_len} rows  {per_sec}  {eta} left",
            Unit::Batches => "{msg} {wide_bar} {human_pos}/{human_len} batches  {per_sec}  {eta} left",
            Unit::Steps => "{msg} {spinner} {human_pos} steps",
            Unit::Bytes => {
                "{msg} {wide_bar} {binary_bytes}/{binary_total_bytes}  {binary_bytes_per_sec}  {eta} left"
            }
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(title);
        let wanted = !global.json && !global.quiet && std::io::stderr().is_terminal();
        Bar { bar, started: Instant::now(), waiting: AtomicBool::new(wanted) }
    }

    fn appear_when_late(&self) {
        if self.waiting.load(Ordering::Relaxed)
            && self.started.elapsed() >= PATIENCE
            && self.waiting.swap(false, Ordering::Relaxed)
        {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for Bar {
    fn advance(&self, units: u64) {
        self.bar.inc(units);
        self.appear_when_late();
    }

    fn proceed(&self) -> bool {
        !interrupt::requested()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
