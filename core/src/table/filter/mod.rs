//! Filters of rows: the WHERE clause of SQL over the columns of a table, as text or built in Rust.
//!
//! ```
//! use recask_core::DType;
//! use recask_core::table::filter::{Batch, Filter, Parameters, col};
//!
//! let schema = [("delay", DType::I16), ("distance", DType::parse("<f4")?)];
//! let late = Filter::parse("delay > 60 AND distance BETWEEN 100 AND 500.5", &schema)?;
//! assert_eq!(late.columns(), [0, 1]);
//!
//! struct Rows<'a>(usize, [&'a [u8]; 2]);
//! impl Batch for Rows<'_> {
//!     fn rows(&self) -> usize { self.0 }
//!     fn column(&self, index: usize) -> &[u8] { self.1[index] }
//! }
//! let delay: Vec<u8> = [90i16, 90, 5].iter().flat_map(|v| v.to_le_bytes()).collect();
//! let distance: Vec<u8> = [200f32, 900.0, 200.0].iter().flat_map(|v| v.to_le_bytes()).collect();
//! let mut mask = Vec::new();
//! late.evaluate(&Rows(3, [&delay, &distance]), &mut mask)?;
//! assert_eq!(mask, [true, false, false]);
//!
//! let built = Filter::new(col("delay").gt(60).and(col("distance").between(100, 500.5)), &schema)?;
//! assert_eq!(built, late);
//! let given = Filter::with_parameters("delay > ?", &schema, &Parameters::new().push(60))?;
//! assert_eq!(given.to_string(), "\"delay\" > 60");
//! # Ok::<(), recask_core::Error>(())
//! ```
//!
//! # The language
//!
//! * **Columns** by name, case-sensitive; `"in quotes"` where a name is not a plain word or is one of the operators.
//! * **Constants**: `42`, `1.5e3`, `'it''s'`, `TRUE`, `DATE '2020-01-31'`, `TIMESTAMP '2020-01-31 12:30:59.5'`,
//!   `INTERVAL '90' SECOND`, `INTERVAL '1 day 2.5 hours'`. A string beside a time is one: `at >= '2020-01-31'`.
//! * **Parameters** `?`, `$1`, `:name` for any constant; see [`Parameters`].
//! * `=` (also `==`), `<>` (also `!=`), `<`, `<=`, `>`, `>=`, `BETWEEN`, `IN (…)`, `LIKE` and `ILIKE` with `%`, `_` and
//!   `ESCAPE` (there is no escape without it), `IS NULL`, `IS TRUE`, `IS FALSE`, all with `NOT`; `AND`, `OR`, `NOT`.
//! * `+`, `-`, `*`, `/`, `%`; `abs`, `lower`, `upper`, `length`. Times subtract, and add intervals.
//!
//! # What it means
//!
//! Every condition is true or false; there is no third answer as in SQL. **NaN and NaT** are as in NumPy: of all
//! comparisons with them only `<>` holds, so `NOT (x < 5)` holds for them too. `IS NULL` finds them.
//!
//! **Comparisons are exact**, between all integers and floats, and between times of all units: nothing is rounded to be
//! compared. One exception is NumPy's too: a decimal constant beside a column of 16- or 32-bit floats has the precision
//! of that column, so that `x = 0.1` finds what was stored as 0.1.
//!
//! **Arithmetic** is exact for integers, up to 128 bits, beyond which it is an error. `/` always gives a float, as
//! `7 / 2` is 3.5; `%` has the sign of its right side, and by zero is 0 for integers and NaN for floats: all as
//! in NumPy. Everything with a float is computed in 64 bits.
//!
//! **Texts** end before their trailing NULs and compare by code points. Columns of bytes are taken as UTF-8; `length` and `_`
//! count characters.
//!
//! Complex numbers, floats of 16 bytes, void and structures cannot be in a filter. Times without a unit only have
//! `IS NULL`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Code, Error, Result};

mod block;
mod bounds;
mod check;
mod compare;
mod display;
mod expression;
mod lexer;
mod like;
mod moment;
mod number;
mod parameters;
mod parse;
mod predicate;
mod prune;
mod schema;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod tokens;
mod value;

use block::{BLOCK_ROWS, Block};
pub use expression::{Expr, col, lit};
pub use parameters::Parameters;
use predicate::{Predicate, Scratch};
pub use prune::Extremes;
pub use schema::{Batch, Columns};
pub use time::{Instant, Span};
pub use value::Value;

/// How deep an expression can nest, so that it fits on the stack of a browser's worker. Chains of `AND` and `OR` do not
/// count, lists neither; each term of a sum does.
pub const MAX_DEPTH: usize = 32;

/// A condition on the rows of a table, checked against its columns.
///
/// Its [`Display`](fmt::Display) is a text that parses back to it. Two are equal when their expressions and the
/// columns that they read are.
#[derive(Clone, Debug)]
pub struct Filter {
    expr: Expr,
    predicate: Predicate,
    columns: Vec<usize>,
    /// The bytes of one value of each of the columns.
    widths: Vec<usize>,
}

impl Filter {
    /// Reads a filter for a table with these columns.
    ///
    /// # Errors
    /// [`Code::InvalidFilter`] for what is not a filter, with the 1-based character where that shows.
    pub fn parse<C: Columns + ?Sized>(text: &str, schema: &C) -> Result<Self> {
        Filter::with_parameters(text, schema, &Parameters::new())
    }

    /// Reads a filter with the values of its parameters `?`, `$1` and `:name`.
    ///
    /// # Errors
    /// Those of [`Filter::parse`], and where a value is missing or one by position is not used.
    pub fn with_parameters<C: Columns + ?Sized>(
        text: &str,
        schema: &C,
        parameters: &Parameters,
    ) -> Result<Self> {
        Filter::new(parse::parse(text, schema, parameters)?, schema)
    }

    /// Checks a built expression against the columns of a table.
    ///
    /// # Errors
    /// [`Code::InvalidFilter`] for unknown columns, for types that do not go together, and for an expression that is not
    /// a condition or deeper than [`MAX_DEPTH`].
    pub fn new<C: Columns + ?Sized>(expr: Expr, schema: &C) -> Result<Self> {
        let (predicate, columns) = check::check(&expr, schema)?;
        let (columns, widths) = columns.into_iter().unzip();
        Ok(Filter { expr, predicate, columns, widths })
    }

    /// The indices of the columns that it reads, in ascending order.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The expression that it was made from.
    #[must_use]
    pub fn expression(&self) -> &Expr {
        &self.expr
    }

    /// Makes `mask` as long as the batch, with true for each row that passes.
    ///
    /// # Errors
    /// [`Code::BufferSize`] where a column of the batch does not have the bytes of its rows, and
    /// [`Code::InvalidFilter`] where integer arithmetic leaves 128 bits.
    pub fn evaluate(&self, batch: &dyn Batch, mask: &mut Vec<bool>) -> Result<()> {
        let rows = batch.rows();
        for (index, width) in self.columns.iter().zip(&self.widths) {
            let bytes = batch.column(*index).len();
            if width.checked_mul(rows) != Some(bytes) {
                let message = format!("column {index} has {bytes} bytes for {rows} rows of {width} bytes");
                return Err(Error::new(Code::BufferSize, message));
            }
        }
        mask.clear();
        mask.resize(rows, false);
        let mut scratch = Scratch::default();
        for (number, mask) in mask.chunks_mut(BLOCK_ROWS).enumerate() {
            let block = Block { batch, start: number * BLOCK_ROWS, rows: mask.len() };
            self.predicate.evaluate(&block, &mut scratch, mask)?;
        }
        Ok(())
    }

    /// Whether any of many rows can pass, by the least and greatest values of the columns where they are known. False is
    /// certain; true is not.
    #[must_use]
    pub fn can_match<'a>(&self, extremes: &dyn Fn(usize) -> Option<Extremes<'a>>) -> bool {
        self.predicate.possible(extremes).yes
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expr.fmt(f)
    }
}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.expr == other.expr && self.columns == other.columns
    }
}

fn invalid(message: String, at: Option<usize>) -> Error {
    match at {
        Some(at) => {
            let message = format!("{message} (at character {at} of the filter)");
            Error::new(Code::InvalidFilter, message).at_character(at)
        }
        None => Error::new(Code::InvalidFilter, message),
    }
}

/// The start of a text for a message, with everything unprintable escaped.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown = String::new();
    for c in text.chars().take(SHOWN) {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

fn too_deep() -> Error {
    invalid(format!("the filter nests more than {MAX_DEPTH} deep"), None)
}
