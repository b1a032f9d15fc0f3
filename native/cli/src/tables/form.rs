//! In which form an answer with rows is given.

use clap::Args;

use crate::args::Global;
use crate::failure::Failure;

/// Options of the commands that print rows.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct FormArgs {
    /// Answer in CSV, for other programs (of tables)
    #[arg(long)]
    pub(crate) csv: bool,
}

/// What rows are printed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An aligned table.
    People,
    /// One object a line.
    Json,
    Csv,
}

impl FormArgs {
    pub(crate) fn form(self, global: Global) -> Result<Form, Failure> {
        match (global.json, self.csv) {
            (true, true) => Err(Failure::Usage("give --json or --csv, not both".into())),
            (true, false) => Ok(Form::Json),
            (false, true) => Ok(Form::Csv),
            (false, false) => Ok(Form::People),
        }
    }
}
