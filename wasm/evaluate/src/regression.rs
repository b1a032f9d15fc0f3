//! Regression: numbers beside numbers.

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::summation::{Products, Sum};

/// The most values of a record for which each is evaluated on its own too.
pub const MOST_OUTPUTS: usize = 256;

/// Adds up labels and predictions that have one value or several.
///
/// ```
/// use recask_evaluate::regression::Regression;
///
/// let mut evaluation = Regression::new(1);
/// for (label, prediction) in [(3.0, 2.5), (-0.5, 0.0), (2.0, 2.0), (7.0, 8.0)] {
///     evaluation.add(&[label], &[prediction])?;
/// }
/// let report = evaluation.report();
/// assert_eq!((report.overall.mae, report.overall.mse), (Some(0.5), Some(0.375)));
/// # Ok::<(), recask::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Regression {
    values: usize,
    records: u64,
    overall: Moments,
    /// Of each value, where they are few.
    outputs: Vec<Moments>,
}

/// The result of a regression. Where there is nothing to compute it from, or a sum overflows, a figure is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegressionReport {
    /// How many records were evaluated.
    pub records: u64,
    /// How many values each has.
    pub values: u64,
    /// All values of all records as one sample.
    #[serde(flatten)]
    pub overall: Figures,
    /// Each value of a record on its own; null where there is one, or more than [`MOST_OUTPUTS`].
    pub per_output: Option<Vec<Figures>>,
}

/// How far predictions are from labels; an error is the prediction without the label.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// The mean of the absolute errors.
    pub mae: Option<f64>,
    /// The mean of the squared errors.
    pub mse: Option<f64>,
    /// Its square root.
    pub rmse: Option<f64>,
    /// The coefficient of determination: 1 - (sum of squared errors) / (sum of the labels' squared differences from their mean);
    /// null where all labels are the same.
    pub r2: Option<f64>,
    /// The largest absolute error.
    pub max_error: Option<f64>,
    /// The mean of the errors.
    pub bias: Option<f64>,
    /// Pearson's correlation of labels and predictions; null where all labels or all predictions are the same.
    pub pearson: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: u64,
    absolute: Sum,
    error: Sum,
    squared: Sum,
    largest: f64,
    label: Sample,
    prediction: Sample,
    product: Sum,
}

/// One of both quantities.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    sum: Sum,
    squares: Sum,
    first: f64,
    varies: bool,
}

impl Regression {
    /// For records of so many values.
    #[must_use]
    pub fn new(values: usize) -> Self {
        let outputs = if (2..=MOST_OUTPUTS).contains(&values) { values } else { 0 };
        let overall = Moments::default();
        Regression { values, records: 0, overall, outputs: vec![Moments::default(); outputs] }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for values that are not finite, [`Code::ShapeMismatch`] for too few or too many.
    pub fn add(&mut self, labels: &[f64], predictions: &[f64]) -> Result<()> {
        if labels.len() != self.values || predictions.len() != self.values {
            let (labels, predictions, wanted) = (labels.len(), predictions.len(), self.values);
            let text = format!("{labels} labels and {predictions} predictions are not {wanted} of each");
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        for (what, values) in [("label", labels), ("prediction", predictions)] {
            if let Some((at, value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
                let text = format!("value {at} of the {what} is {value}; values have to be finite");
                return Err(Error::new(Code::InvalidArgument, text));
            }
        }
        self.records += 1;
        labels.iter().zip(predictions).for_each(|(&label, &prediction)| self.overall.add(label, prediction));
        for (moments, (&label, &prediction)) in self.outputs.iter_mut().zip(labels.iter().zip(predictions)) {
            moments.add(label, prediction);
        }
        Ok(())
    }

    /// What the records so far come to.
    #[must_use]
    pub fn report(&self) -> RegressionReport {
        RegressionReport {
            records: self.records,
            values: self.values as u64,
            overall: self.overall.figures(),
            per_output: (!self.outputs.is_empty())
                .then(|| self.outputs.iter().map(Moments::figures).collect()),
        }
    }
}

impl Moments {
    fn add(&mut self, label: f64, prediction: f64) {
        let error = prediction - label;
        self.label.add(label, self.count);
        self.prediction.add(prediction, self.count);
        self.product.add_product(label, prediction);
        self.count += 1;
        self.error.add(error);
        self.absolute.add(libm::fabs(error));
        self.squared.add_product(error, error);
        self.largest = self.largest.max(libm::fabs(error));
    }

    fn figures(&self) -> Figures {
        let mean = |sum: Sum| sum.mean(self.count).filter(|mean| mean.is_finite());
        let mse = mean(self.squared);
        let spread = |sample: &Sample| sample.spread(self.count).filter(|_| sample.varies);
        let labels = spread(&self.label);
        let r2 = labels.map(|spread| 1.0 - self.squared.total() / spread);
        let both = Products { x: self.label.sum, y: self.prediction.sum, xy: self.product };
        let pearson = || {
            let deviation = libm::sqrt(labels?) * libm::sqrt(spread(&self.prediction)?);
            Some((both.centred(self.count)? / deviation).clamp(-1.0, 1.0))
        };
        Figures {
            mae: mean(self.absolute),
            mse,
            rmse: mse.map(libm::sqrt),
            r2: r2.filter(|r2| r2.is_finite()),
            max_error: (self.count > 0 && self.largest.is_finite()).then_some(self.largest),
            bias: mean(self.error),
            pearson: pearson().filter(|pearson| pearson.is_finite()),
        }
    }
}

impl Sample {
    fn add(&mut self, value: f64, before: u64) {
        if before == 0 {
            self.first = value;
        }
        self.varies |= value.total_cmp(&self.first).is_ne();
        self.sum.add(value);
        self.squares.add_product(value, value);
    }

    /// The sum of squared differences from the mean.
    fn spread(&self, count: u64) -> Option<f64> {
        let products = Products { x: self.sum, y: self.sum, xy: self.squares };
        products.centred(count).filter(|spread| *spread > 0.0)
    }
}
