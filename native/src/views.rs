//! Batches as `ndarray` views, without a copy.

use ndarray::{ArrayViewD, IxDyn};
use recask_core::dtype::Element;
use recask_core::{Code, DenseBatch, Error, RaggedRecord, Result};

/// Views of results as arrays.
pub trait ArrayView {
    /// The elements as an array of `T` in C order.
    ///
    /// # Errors
    /// [`Code::DTypeMismatch`]; [`Code::TooLarge`] where the extents do not fit this machine.
    fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>>;
}

impl ArrayView for DenseBatch {
    fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        view(self.shape(), self.values()?)
    }
}

impl ArrayView for RaggedRecord<'_> {
    fn view<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        view(self.shape, self.values()?)
    }
}

fn view<'v, T>(shape: &[u64], values: &'v [T]) -> Result<ArrayViewD<'v, T>> {
    let extents: Result<Vec<usize>, _> = shape.iter().map(|&dim| usize::try_from(dim)).collect();
    let wrong = || Error::new(Code::TooLarge, "the extents of the array do not fit this machine");
    ArrayViewD::from_shape(IxDyn(&extents.map_err(|_| wrong())?), values).map_err(|_| wrong())
}
