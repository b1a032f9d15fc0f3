//! Reducing columns to a few numbers, in one pass and bounded memory.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use half::f16;

use super::gather::Gather;
use super::rows::Piece;
use super::select::Selection;
use crate::buffer::Buffer;
use crate::dense::too_large;
use crate::dtype::{DType, Element, Kind, to_vec};
use crate::environment::Environment;
use crate::error::Result;
use crate::exec::Executor as _;
use crate::storage::StorageFile;

mod distinct;
mod partial;
mod sketch;
mod texts;

pub use distinct::Distinct;
use partial::Partial;

/// What a NaN or a NaT does to a reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// One makes the result missing too, as in NumPy's `min`, `sum`, `mean` and `std`.
    #[default]
    Propagate,
    /// They are left out, as in NumPy's `nanmin`, `nansum`, `nanmean` and `nanstd`.
    Skip,
}

/// The result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of integers, bools (0 and 1) and times (ticks), exact.
    Int(i128),
    /// Of floats.
    Float(f64),
    /// NaT.
    NotATime,
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Values, missing ones included.
    pub count: u64,
    /// NaN or NaT among them.
    pub missing: u64,
    /// The smallest value; `None` where there is none, and for types without numbers.
    pub minimum: Option<Number>,
    /// The largest value; `None` as for the smallest.
    pub maximum: Option<Number>,
    /// The smallest text, by code points and without the NULs behind it; `None` where there is none, and for other types than
    /// texts and bytes. What is not Unicode in it, or not UTF-8 in bytes, shows as `U+FFFD`.
    pub minimum_text: Option<String>,
    /// The largest text; `None` as for the smallest.
    pub maximum_text: Option<String>,
    /// The sum, 0 of no values; `None` for points in time and for types without numbers. Integers do not overflow, floats
    /// are added with 64 bits and a correction, whatever their width.
    pub sum: Option<Number>,
    /// The mean; `None` where there is no value, and for types without numbers. Ticks for times.
    pub mean: Option<f64>,
    /// The standard deviation of the whole population (NumPy's `std`); `None` as for the mean.
    pub deviation: Option<f64>,
}

/// Rows of one step: the unit of memory and of parallel work, and so what the last digits of sums depend on.
const STEP: usize = 1 << 16;
/// The most bytes of one step where values are wide.
const STEP_BYTES: usize = 4 << 20;

impl<E: Environment> Selection<E> {
    /// Hands out the values of a column, a few MiB at once and in no order.
    fn each_step(&self, position: usize, run: impl Fn(&[u8]) -> Result<()> + Sync + Send) -> Result<()> {
        let gather = Gather::new(&self.table, &[position])?;
        let width = gather.columns().first().map_or(0, |column| column.width);
        if width == 0 || self.is_empty() {
            return Ok(());
        }
        let step = (STEP_BYTES / width).clamp(1, STEP);
        // There are fewer steps than bytes in the files.
        let steps = (0..self.len()).step_by(step).map(|start| self.rows.piece(start, step)).collect();
        self.table.executor().try_for_each(steps, |piece| run(&read(&gather, piece)?))
    }

    /// Reduces one selected column. Reads each value once; the result does not depend on the number of threads.
    ///
    /// # Errors
    /// [`ColumnNotFound`](crate::Code::ColumnNotFound), and what the file says.
    pub fn summary(&self, name: &str, missing: Missing) -> Result<Summary> {
        self.summary_at(self.position(name)?, missing)
    }

    /// Reduces every selected column, in order.
    ///
    /// # Errors
    /// What the file says.
    pub fn summaries(&self, missing: Missing) -> Result<Vec<Summary>> {
        self.columns.iter().map(|&position| self.summary_at(position, missing)).collect()
    }

    fn summary_at(&self, position: usize, missing: Missing) -> Result<Summary> {
        let dtype = self.table.schema().columns()[position].dtype();
        let Some(reduce) = reducer(dtype) else {
            let (minimum_text, maximum_text) = self.extreme_texts(position)?.unzip();
            return Ok(Summary {
                count: self.len(),
                missing: 0,
                minimum: None,
                maximum: None,
                minimum_text,
                maximum_text,
                sum: None,
                mean: None,
                deviation: None,
            });
        };
        let gather = Gather::new(&self.table, &[position])?;
        // A table may have more rows than this machine can address.
        let steps = self.len().div_ceil(STEP as u64);
        let mut partials = alloc::vec![Partial::default(); usize::try_from(steps).map_err(|_| too_large())?];
        let starts = (0..).step_by(STEP);
        let tasks: Vec<_> = starts
            .zip(&mut partials)
            .map(|(start, partial)| (self.rows.piece(start, STEP), partial))
            .collect();
        self.table.executor().try_for_each(tasks, |(piece, partial)| {
            *partial = reduce(dtype, &read(&gather, piece)?)?;
            Ok(())
        })?;
        let total = partials.into_iter().fold(Partial::default(), Partial::and);
        Ok(total.summary(dtype.kind(), missing))
    }
}

fn read<F: StorageFile>(gather: &Gather<'_, F>, piece: Piece<'_>) -> Result<Buffer> {
    let width = gather.columns().first().map_or(0, |column| column.width);
    let mut bytes = Buffer::zeroed(piece.len().checked_mul(width).ok_or_else(too_large)? as u64)?;
    gather.fill(piece, &mut [&mut bytes])?;
    Ok(bytes)
}

type Reduce = fn(&DType, &[u8]) -> Result<Partial>;

/// `None` for types without numbers, and for `long double`, which only the machine that wrote it understands.
fn reducer(dtype: &DType) -> Option<Reduce> {
    Some(match (dtype.kind(), dtype.itemsize()) {
        // A byte that is neither 0 nor 1 is true.
        (Kind::Bool, 1) => {
            |_, bytes| Ok(Partial::of_integers(bytes.iter().map(|&byte| i128::from(byte != 0)), 0))
        }
        (Kind::Int, 1) => integers::<i8>,
        (Kind::Int, 2) => integers::<i16>,
        (Kind::Int, 4) => integers::<i32>,
        (Kind::Int, 8) => integers::<i64>,
        (Kind::UInt, 1) => integers::<u8>,
        (Kind::UInt, 2) => integers::<u16>,
        (Kind::UInt, 4) => integers::<u32>,
        (Kind::UInt, 8) => integers::<u64>,
        (Kind::DateTime | Kind::TimeDelta, 8) => times,
        (Kind::Float, 2) => |dtype, bytes| {
            let values = to_vec::<f16>(dtype, bytes)?;
            Ok(Partial::of_floats(values.iter().map(|value| value.to_f64())))
        },
        (Kind::Float, 4) => |dtype, bytes| {
            let values = to_vec::<f32>(dtype, bytes)?;
            Ok(Partial::of_floats(values.iter().map(|&value| f64::from(value))))
        },
        (Kind::Float, 8) => |dtype, bytes| {
            let values = to_vec::<f64>(dtype, bytes)?;
            Ok(Partial::of_floats(values.iter().copied()))
        },
        _ => return None,
    })
}

fn integers<T: Element + Into<i128>>(dtype: &DType, bytes: &[u8]) -> Result<Partial> {
    let values = to_vec::<T>(dtype, bytes)?;
    Ok(Partial::of_integers(values.iter().map(|&value| value.into()), 0))
}

fn times(dtype: &DType, bytes: &[u8]) -> Result<Partial> {
    /// NumPy's NaT.
    const NOT_A_TIME: i64 = i64::MIN;
    let values = to_vec::<i64>(dtype, bytes)?;
    let times = values.iter().copied().filter(|&ticks| ticks != NOT_A_TIME);
    let missing = values.len() - times.clone().count();
    Ok(Partial::of_integers(times.map(i128::from), missing as u64))
}

impl PartialOrd for Number {
    /// Numbers of one column; NaN and NaT have no order.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
            _ => None,
        }
    }
}
