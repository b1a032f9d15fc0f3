//! Column tables: what a PATH names, and how rows are chosen and shown.

use std::path::Path;

use recask::{Code, Error, convert};

use crate::failure::{At as _, Failure};

pub(crate) mod cell;
pub(crate) mod choice;
pub(crate) mod compact;
pub(crate) mod export;
pub(crate) mod figure;
pub(crate) mod form;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod layout;
pub(crate) mod place;
pub(crate) mod recode;
pub(crate) mod rows;
pub(crate) mod show;
pub(crate) mod source;
pub(crate) mod stats;
pub(crate) mod verify;

pub(crate) use choice::Choice;
pub(crate) use form::{Form, FormArgs};
pub(crate) use place::TablePlace;
pub(crate) use rows::Printer;

/// The table at a path, for commands that only tables have.
pub(crate) fn required(path: &Path) -> Result<TablePlace, Failure> {
    if let Some(place) = TablePlace::at(path) {
        return Ok(place);
    }
    recask::fs::check_reachable(path)?;
    let error = if convert::is_store(path) || convert::streams(path).is_ok_and(|streams| !streams.is_empty())
    {
        Error::new(Code::KindMismatch, "this is a record store, and the command works on column tables")
    } else if path.is_dir() {
        Error::new(Code::StoreNotFound, "there are no tables (*.cstore) in this folder")
    } else if path.exists() {
        Error::new(Code::CorruptHeader, "this is no table: it does not begin with CSTORE")
    } else {
        Error::new(Code::StoreNotFound, "there is no such file")
    };
    Err(error).at(path)
}

/// Refuses a table, and any other file, for commands that only record stores have.
pub(crate) fn refuse_table(path: &Path) -> Result<(), Failure> {
    if !path.is_file() {
        return Ok(());
    }
    let error = match TablePlace::at(path) {
        Some(_) => {
            Error::new(Code::KindMismatch, "this is a column table, and the command works on record stores")
        }
        None => Error::new(
            Code::InvalidArgument,
            "this is neither a store nor a table; recask import makes one of it",
        ),
    };
    Err(error).at(path)
}

/// Refuses options of tables where there is a record store.
pub(crate) fn refuse(options: &[(&str, bool)], path: &Path) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            Err(Failure::Usage(format!("{option} is for tables, and {} is none", path.display())))
        }
        None => Ok(()),
    }
}
