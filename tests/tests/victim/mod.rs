//! A process that is killed while it writes.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Kills a program that appends without end and announces each commit with a line, a moment after it announced `lines`
/// commits; returns the last announcement that got through: how many records or rows were committed.
pub(crate) fn append_and_die(program: &str, path: &Path, lines: usize) -> Option<u64> {
    let mut victim =
        Command::new(program).arg(path).stdout(Stdio::piped()).spawn().expect("the victim starts");
    let mut announcements = BufReader::new(victim.stdout.take().expect("stdout was piped")).lines();
    let mut last = None;
    for _ in 0..lines {
        last = announcements.next();
    }
    std::thread::sleep(Duration::from_micros(300 * lines as u64));
    victim.kill().expect("SIGKILL");
    let status = victim.wait().expect("it died");
    assert!(!status.success(), "the victim was not killed");
    // What it announced between the last line and its death counts as well.
    let last = announcements.last().or(last)?.expect("a line");
    Some(last.parse().expect("a number"))
}
