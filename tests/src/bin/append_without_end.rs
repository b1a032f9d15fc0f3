//! Appends numbered records to the store at the given path until it is killed, and announces after every commit how
//! many records there are. The test `interop` kills it.

#[path = "../../tests/interop/numbered.rs"]
mod numbered;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use numbered::numbered;
use recask::{AnyStore, OpenOptions};

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: append_without_end STORE");
        return ExitCode::from(2);
    };
    let Err(error) = append_without_end(path.into());
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

fn append_without_end(path: PathBuf) -> Result<std::convert::Infallible, Box<dyn std::error::Error>> {
    let mut store = AnyStore::open_with(path, &OpenOptions { write: true, ..OpenOptions::default() })?;
    let mut announcements = std::io::stdout().lock();
    loop {
        let first = store.len();
        let records: Vec<_> =
            (first..first + 1 + first % 5).map(|index| numbered(store.kind(), index)).collect();
        match &mut store {
            AnyStore::Dense(store) => {
                let bytes: Vec<u8> = records.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
                store.append_bytes(&bytes)?;
            }
            AnyStore::Ragged(store) => {
                let records: Vec<_> = records.iter().map(|(shape, bytes)| (&shape[..], &bytes[..])).collect();
                store.append_bytes(&records)?;
            }
        }
        writeln!(announcements, "{}", store.len())?;
        announcements.flush()?;
    }
}
