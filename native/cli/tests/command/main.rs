//! The built command, run as a process.

mod changes;
mod demo;
mod eval;
mod failures;
mod help;
mod index;
mod load;
mod load_losses;
mod load_resume;
mod read_only;
mod records;
mod reports;
mod sampling;
mod signals;
mod support;
mod tables_changes;
mod tables_convert;
mod tables_query;
mod tables_reports;
mod tables_rows;
