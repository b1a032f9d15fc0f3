//! Item shapes: any rank, every product checked.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Code, Error, Result};

/// The extents of one item. Rank 0 is a scalar.
///
/// ```
/// let image = recask_core::shape::Shape::from([28, 28]);
/// assert_eq!(image.elements()?, 784);
/// assert_eq!(image.to_string(), "(28, 28)");
/// # Ok::<(), recask_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape(Vec<u64>);

impl Shape {
    /// The shape of one element.
    #[must_use]
    pub const fn scalar() -> Self {
        Shape(Vec::new())
    }

    /// The extents, outermost first.
    #[must_use]
    pub fn dims(&self) -> &[u64] {
        &self.0
    }

    /// How many extents there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The product of the extents; 1 for a scalar.
    ///
    /// # Errors
    /// [`Code::InvalidShape`] when it exceeds 64 bits.
    pub fn elements(&self) -> Result<u64> {
        elements_of(&self.0)
    }
}

/// The product of `dims`; 1 for none.
///
/// # Errors
/// [`Code::InvalidShape`] when it exceeds 64 bits.
pub fn elements_of(dims: &[u64]) -> Result<u64> {
    // A zero extent makes the product zero whatever the others are.
    if dims.contains(&0) {
        return Ok(0);
    }
    dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim)).ok_or_else(|| {
        Error::new(
            Code::InvalidShape,
            format!("the shape {} has more than 2^64 elements", Shape(dims.to_vec())),
        )
    })
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, dim) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{dim}")?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

impl<const N: usize> From<[u64; N]> for Shape {
    fn from(dims: [u64; N]) -> Self {
        Shape(dims.to_vec())
    }
}

impl From<&[u64]> for Shape {
    fn from(dims: &[u64]) -> Self {
        Shape(dims.to_vec())
    }
}

impl From<Vec<u64>> for Shape {
    fn from(dims: Vec<u64>) -> Self {
        Shape(dims)
    }
}

impl From<()> for Shape {
    fn from((): ()) -> Self {
        Shape::scalar()
    }
}
