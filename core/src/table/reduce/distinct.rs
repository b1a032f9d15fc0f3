//! How many different values a column has.

use spin::Mutex;
use xxhash_rust::xxh3::xxh3_64;

use super::Selection;
use super::sketch::Sketch;
use crate::dtype::{DType, Element, Kind, to_vec};
use crate::environment::Environment;
use crate::error::Result;

/// A number of different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distinct {
    /// How many there are, or an estimate.
    pub count: u64,
    /// Whether it is no estimate.
    pub is_exact: bool,
}

impl<E: Environment> Selection<E> {
    /// Counts the different values of one selected column.
    ///
    /// Up to 4,096 are counted exactly. Beyond, it is an estimate with a standard error of 0.8 %: two of three are closer than
    /// that, and all but three of a thousand within 2.5 %. The same values give the same number, in any order and with any
    /// number of threads. Values are the same where they compare equal, and all NaN are one value; complex numbers and
    /// `long double` are the same where their bytes are. Reads each value once; memory does not depend on the number of rows.
    ///
    /// ```
    /// use recask_core::Table;
    /// use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace};
    /// use recask_core::table::ColumnInput;
    ///
    /// let carrier = ColumnInput::of("carrier", &[3u8, 1, 3, 3]);
    /// let table = Table::<MemoryEnvironment>::create(MemoryPlace::new(), &[carrier])?;
    /// let carriers = table.all().distinct("carrier")?;
    /// assert!(carriers.is_exact);
    /// assert_eq!(carriers.count, 2);
    /// # Ok::<(), recask_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ColumnNotFound`](crate::Code::ColumnNotFound), and what the file says.
    pub fn distinct(&self, name: &str) -> Result<Distinct> {
        let position = self.position(name)?;
        let dtype = self.table.schema().columns()[position].dtype();
        let width = usize::try_from(dtype.itemsize()).unwrap_or(usize::MAX);
        if width == 0 {
            return Ok(Distinct { count: u64::from(!self.is_empty()), is_exact: true });
        }
        let whole = Mutex::new(Sketch::default());
        self.each_step(position, |bytes| {
            let mut sketch = Sketch::default();
            add(dtype, width, bytes, &mut sketch)?;
            whole.lock().merge(sketch);
            Ok(())
        })?;
        let (count, is_exact) = whole.into_inner().count();
        Ok(Distinct { count, is_exact })
    }
}

fn add(dtype: &DType, width: usize, bytes: &[u8], sketch: &mut Sketch) -> Result<()> {
    match (dtype.kind(), width) {
        (Kind::Bool, 1) => bytes.iter().for_each(|&byte| sketch.add(xxh3_64(&[u8::from(byte != 0)]))),
        (Kind::Float, 2) => floats::<half::f16>(dtype, bytes, sketch)?,
        (Kind::Float, 4) => floats::<f32>(dtype, bytes, sketch)?,
        (Kind::Float, 8) => floats::<f64>(dtype, bytes, sketch)?,
        _ => bytes.chunks_exact(width).for_each(|value| sketch.add(xxh3_64(value))),
    }
    Ok(())
}

/// With 0 added, -0 is 0, as it compares.
fn floats<T: Element + Into<f64>>(dtype: &DType, bytes: &[u8], sketch: &mut Sketch) -> Result<()> {
    for value in to_vec::<T>(dtype, bytes)? {
        let value: f64 = value.into();
        let value = if value.is_nan() { f64::NAN } else { value + 0.0 };
        sketch.add(xxh3_64(&value.to_bits().to_le_bytes()));
    }
    Ok(())
}
