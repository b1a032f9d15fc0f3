//! Running one case through one door.

mod loads;
mod reads;
mod samplers;
mod states;
mod tables;
mod writes;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use recask_core::Error;

use crate::cases::{Expect, Fault, Refusal, Test};
use crate::door::Door;

/// How a case went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As expected.
    Ok,
    /// Not as expected, and why.
    Fail(String),
    /// This door cannot have the case, and why.
    Skip(String),
}

impl Outcome {
    /// The line that the `conformance` program prints.
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        match self {
            Outcome::Ok => format!("ok {name}"),
            Outcome::Fail(reason) => format!("FAIL {name}: {}", one_line(reason)),
            Outcome::Skip(reason) => format!("skip {name}: {}", one_line(reason)),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Ok => "ok",
            Outcome::Fail(_) => "FAIL",
            Outcome::Skip(_) => "skip",
        })
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs one case. A panic of the library is a failed case.
pub fn run<D: Door>(door: &D, test: &Test) -> Outcome {
    let checked = catch_unwind(AssertUnwindSafe(|| match test {
        Test::Open(case) => reads::open(door, case),
        Test::Read(case) => reads::read(door, case),
        Test::Gather(case) => reads::gather(door, case),
        Test::Record(case) => reads::record(door, case),
        Test::Stats(case) => reads::stats(door, case),
        Test::Verify(case) => reads::verify(door, case),
        Test::Write(case) => writes::write(door, case),
        Test::Sampler(case) => samplers::batches(case),
        Test::StepsOf(case) => samplers::steps_of(case),
        Test::Epoch(case) => samplers::epoch(case),
        Test::TableRead(case) => tables::read(door, case),
        Test::TableUpdate(case) => tables::update(door, case),
        Test::TableCopy(case) => tables::copy(door, case),
        Test::TableCompact(case) => tables::compact(door, case),
        Test::Load(case) => loads::load(door, case),
        Test::StateOf(case) => states::written(door, case),
        Test::State(case) => states::read(door, case),
    }));
    match checked {
        Ok(Ok(())) => Outcome::Ok,
        Ok(Err(reason)) => Outcome::Fail(reason),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Outcome::Fail(format!("panicked: {}", text.unwrap_or("without a message")))
        }
    }
}

/// `Err` says what differs.
type Checked = Result<(), String>;

/// Compares an answer or an error with what is expected.
fn settle<T, W>(
    got: Result<T, Error>,
    expected: &Expect<W>,
    compare: impl FnOnce(T, &W) -> Checked,
) -> Checked {
    match (got, expected) {
        (Ok(got), Expect::Answer(wanted)) => compare(got, wanted),
        (Err(error), Expect::Refusal(refusal)) => refused(&error, refusal),
        (Ok(_), Expect::Refusal(refusal)) => Err(format!("no error, expected {}", refusal.error)),
        (Err(error), Expect::Answer(_)) => Err(format!("{error:?}")),
    }
}

fn refused(error: &Error, refusal: &Refusal) -> Checked {
    let wanted = Fault {
        record: refusal.record,
        file: refusal.file.clone(),
        offset: refusal.offset,
        code: refusal.error.clone(),
    };
    let stream = refusal.stream.as_deref();
    let step = refusal.step.map(|step| step.0);
    if is_as_wanted(&fault_of(error), &wanted)
        && (stream.is_none() || stream == error.stream())
        && (step.is_none() || step == error.step())
    {
        Ok(())
    } else {
        Err(format!("{error:?}, expected {refusal:?}"))
    }
}

/// Compares what `wanted` says; what it leaves out may be anything.
fn is_as_wanted(found: &Fault, wanted: &Fault) -> bool {
    found.code == wanted.code
        && (wanted.file.is_none() || wanted.file == found.file)
        && (wanted.record.is_none() || wanted.record == found.record)
        && (wanted.offset.is_none() || wanted.offset == found.offset)
}

/// Both lists in the order of records, files and offsets.
fn same_faults(mut found: Vec<Fault>, wanted: &[Fault]) -> Checked {
    let mut wanted = wanted.to_vec();
    found.sort();
    wanted.sort();
    let all = found.len() == wanted.len()
        && found.iter().zip(&wanted).all(|(found, wanted)| is_as_wanted(found, wanted));
    if all { Ok(()) } else { Err(format!("faults: {found:?}, expected {wanted:?}")) }
}

fn fault_of(error: &Error) -> Fault {
    Fault {
        record: error.record(),
        file: error.file().map(|file| file.to_string()),
        offset: error.offset(),
        code: error.code().to_string(),
    }
}

fn same<T: PartialEq<W> + fmt::Debug + ?Sized, W: fmt::Debug + ?Sized>(
    what: &str,
    got: &T,
    wanted: &W,
) -> Checked {
    if got == wanted { Ok(()) } else { Err(format!("{what}: {got:?}, expected {wanted:?}")) }
}
