//! Commands that this build does not have.

use std::ffi::OsString;

use clap::Args;
use recask::{Code, Error};

use crate::failure::Failure;

/// Left out of this build; use the native command
#[derive(Args, Debug)]
pub(crate) struct LeftOut {
    /// Whatever the command takes where it is
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

pub(crate) fn run(command: &str, needs: &str) -> Result<(), Failure> {
    let text = format!("this build has no {needs}, so recask {command} is left out; use the native command");
    Err(Error::new(Code::Unsupported, text).into())
}
