//! The built command, run as a process.

mod changes;
mod demo;
mod failures;
mod help;
mod records;
mod reports;
mod sampling;
mod signals;
mod support;
