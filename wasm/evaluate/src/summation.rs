//! Sums that come out the same on every machine, and hardly depend on how many values they have.

/// A compensated sum: every addition's rounding error is added up beside it, so that the total is as good as one in twice
/// the precision, rounded once. Ogita, Rump and Oishi, *Accurate sum and dot product* (2005), algorithms 4.4 (`Sum2`) and
/// 5.3 (`Dot2`).
///
/// Values are added one by one in the order of the records, whatever the batches in which they were read. All operations are
/// those of IEEE 754, which have one result everywhere. A total that overflows is not a number or infinite.
///
/// ```
/// use recask_evaluate::summation::Sum;
///
/// let mut sum = Sum::default();
/// for value in [1e16, 1.0, -1e16] {
///     sum.add(value);
/// }
/// assert_eq!(sum.total(), 1.0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        let high = self.high + value;
        let of_value = high - self.high;
        self.low += (self.high - (high - of_value)) + (value - of_value);
        self.high = high;
    }

    /// Adds `a * b` without rounding the product.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.low += libm::fma(a, b, -product);
        self.add(product);
    }

    /// Adds `factor` times another sum.
    fn add_multiple(&mut self, factor: f64, other: Sum) {
        self.add_product(factor, other.high);
        self.add_product(factor, other.low);
    }

    /// The sum, rounded to one number.
    #[must_use]
    pub fn total(self) -> f64 {
        self.high + self.low
    }

    /// The total over so many values; `None` of none.
    #[must_use]
    pub fn mean(self, count: u64) -> Option<f64> {
        (count > 0).then(|| self.total() / real(count))
    }
}

/// What is to be summed up about two quantities for their variances and their covariance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Products {
    pub(crate) x: Sum,
    pub(crate) y: Sum,
    pub(crate) xy: Sum,
}

impl Products {
    /// The sum of `(x - mean of x) * (y - mean of y)` over `count` values.
    ///
    /// The means are rounded, but `sum(xy) - a sum(y) - b sum(x) + count a b` is the sum of `(x - a) (y - b)` for any `a` and
    /// `b`, and in twice the precision little is lost to cancellation.
    pub(crate) fn centred(&self, count: u64) -> Option<f64> {
        let (a, b) = (self.x.mean(count)?, self.y.mean(count)?);
        let mut centred = self.xy;
        centred.add_multiple(-a, self.y);
        centred.add_multiple(-b, self.x);
        let mut product = Sum::default();
        product.add_product(a, b);
        centred.add_multiple(real(count), product);
        Some(centred.total())
    }
}

/// A count as a number: exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "no data set has 2^53 records")]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}

/// `part / whole`; `None` of nothing.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| real(part) / real(whole))
}
