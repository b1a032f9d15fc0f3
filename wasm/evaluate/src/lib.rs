//! Evaluates predictions against labels: classification and regression over record stores and column tables, in constant memory,
//! with a result that is the same to the byte on every machine.
//!
//! [`evaluate`] reads and adds up; [`Classification`] and [`Regression`] are the sums alone, for records from anywhere. The program
//! `evaluate` is the same in a WASI sandbox, `recask eval` natively.
//!
//! # Why the bytes are the same
//! Records are added up one by one in their order, whatever the batches and threads that read them; sums are compensated
//! ([`summation::Sum`]); logarithms, exponentials and roots are those of the crate `libm`, not of the system; and numbers are
//! written with the fewest digits that read back as the same.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod calibration;
pub mod classes;
pub mod classification;
mod evaluation;
mod numbers;
mod records;
pub mod regression;
pub mod report;
pub mod scores;
mod source;
pub mod summation;

pub use classification::Classification;
pub use evaluation::{Request, Task, evaluate};
pub use regression::Regression;
pub use report::Report;
pub use source::{MOST_VALUES, Place};
