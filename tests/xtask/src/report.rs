//! What people read: failures, headings, durations.

use std::fmt;
use std::time::{Duration, Instant};

/// Why a task stopped.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

pub(crate) type Result<T = ()> = std::result::Result<T, Failure>;

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure(error.to_string())
    }
}

pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Failure(message.into()))
}

/// Says what a task does beside running other programs.
pub(crate) fn say(text: impl fmt::Display) {
    println!("   {text}");
}

/// The steps of a long task as they pass, and their table at the end.
#[derive(Default)]
pub(crate) struct Steps {
    passed: Vec<(String, Duration)>,
}

impl Steps {
    /// Runs one step below its heading.
    pub(crate) fn run(&mut self, name: &str, step: impl FnOnce() -> Result) -> Result {
        println!("\n=== {name}");
        let start = Instant::now();
        let done = step();
        let took = start.elapsed();
        match done {
            Ok(()) => {
                println!("=== {name}: ok in {}", seconds(took));
                self.passed.push((name.into(), took));
                Ok(())
            }
            Err(Failure(message)) => {
                println!("\n=== {name}: FAILED after {}", seconds(took));
                self.print();
                println!("{:>9}  {name}: FAILED: {message}", seconds(took));
                fail(format!("{name} failed; the later steps did not run"))
            }
        }
    }

    pub(crate) fn print(&self) {
        println!();
        for (name, took) in &self.passed {
            println!("{:>9}  {name}", seconds(*took));
        }
        let total = self.passed.iter().map(|(_, took)| *took).sum();
        println!("{:>9}  {} steps passed", seconds(total), self.passed.len());
    }
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
