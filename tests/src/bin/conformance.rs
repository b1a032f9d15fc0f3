//! Runs the conformance suite through a door and prints one line a case.
//!
//! ```text
//! conformance --door native|memory [--only TEXT] [--work FOLDER]
//! ```
//!
//! Copies of golden data go into the folder FOLDER, which must be empty, or else into a temporary one. In a WASI sandbox, which has
//! no temporary folders and its own names for what it is given, FOLDER is needed, and the variable `RECASK_TESTS` says where the
//! folder `tests` is.
//!
//! Standard output has a line for each case and nothing else: `ok NAME`, `FAIL NAME: reason` or `skip NAME: reason`. Names
//! hold no spaces and no colons. A summary goes to standard error. The exit status is 1 where a case failed, 2 where
//! the suite could not be run.

use std::error::Error;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use recask_tests::cases::{self, Case};
use recask_tests::check::{self, Outcome};
use recask_tests::door::{Door, MemoryDoor, NativeDoor};

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<usize, Box<dyn Error>> {
    let (mut door, mut only, mut work) = (String::from("native"), String::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--door" => door = value,
            "--only" => only = value,
            "--work" => work = Some(PathBuf::from(value)),
            _ => return Err(format!("there is no option {argument}; use --door, --only and --work").into()),
        }
    }
    let cases = cases::all()?;
    let wanted = cases.iter().filter(|case| case.name.contains(&only));
    // A panic is a failed case, and its line says so; where it ends everything, its own message must say so.
    if cfg!(panic = "unwind") {
        std::panic::set_hook(Box::new(|_| {}));
    }
    match door.as_str() {
        "native" => print(&native(work.as_deref())?, wanted),
        "memory" => print(&MemoryDoor, wanted),
        _ => Err(format!("there is no door {door} here; use native or memory").into()),
    }
}

fn native(work: Option<&Path>) -> Result<NativeDoor, Box<dyn Error>> {
    match work {
        Some(folder) => Ok(NativeDoor::in_folder(folder)?),
        #[cfg(not(target_os = "wasi"))]
        None => Ok(NativeDoor::new()?),
        #[cfg(target_os = "wasi")]
        None => Err("there are no temporary folders here; give an empty one with --work".into()),
    }
}

fn print<'c, D: Door>(door: &D, cases: impl Iterator<Item = &'c Case>) -> Result<usize, Box<dyn Error>> {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    let mut out = io::stdout().lock();
    for case in cases {
        let outcome = check::run(door, &case.test);
        match outcome {
            Outcome::Ok => passed += 1,
            Outcome::Fail(_) => failed += 1,
            Outcome::Skip(_) => skipped += 1,
        }
        writeln!(out, "{}", outcome.line(&case.name))?;
    }
    eprintln!("{passed} passed, {failed} failed, {skipped} skipped");
    Ok(failed)
}
