//! Appends numbered rows to the table at the given path until it is killed, and announces after every commit how many
//! rows there are. The test `table_interop` kills it.

#[path = "../../tests/table_interop/numbered.rs"]
mod numbered;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use numbered::numbered;
use recask::TableWriter;
use recask::core::table::ColumnInput;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: append_rows_without_end TABLE");
        return ExitCode::from(2);
    };
    let Err(error) = append_without_end(path.into());
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

fn append_without_end(path: PathBuf) -> Result<std::convert::Infallible, Box<dyn std::error::Error>> {
    let mut writer = TableWriter::update(path)?;
    let mut announcements = std::io::stdout().lock();
    loop {
        let first = writer.rows();
        let (rows, values): (Vec<u64>, Vec<f32>) = (first..first + 1 + first % 5).map(numbered).unzip();
        writer.write(&[ColumnInput::of("row", &rows), ColumnInput::of("value", &values)])?;
        writer.commit()?;
        writeln!(announcements, "{}", writer.rows())?;
        announcements.flush()?;
    }
}
