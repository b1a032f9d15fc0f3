//! Whether predictions are right as often as they claim to be.

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::summation::{Sum, real, share};

/// The most bins.
pub const MOST_BINS: u32 = 65_536;

/// Records by the confidence of their prediction, the probability of the predicted class, in bins of one width.
///
/// Of `n` bins, the one numbered `i` has the confidences in `(i / n, (i + 1) / n]`, and the first one also 0, as in Guo et
/// al., *On Calibration of Modern Neural Networks* (2017), section 2.
#[derive(Clone, Debug)]
pub struct Calibration {
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    records: u64,
    correct: u64,
    confidence: Sum,
}

/// How well confidence and accuracy agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationReport {
    /// The expected calibration error, equation 3 of Guo et al.: the mean over all records of the difference between accuracy and
    /// mean confidence in the record's bin; null without records.
    pub expected_error: Option<f64>,
    /// The maximum calibration error, equation 5: the largest such difference of a bin that has records.
    pub maximum_error: Option<f64>,
    /// All bins, those without records included.
    pub bins: Vec<BinReport>,
}

/// One bin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BinReport {
    /// Confidences above this.
    pub above: f64,
    /// And up to this one.
    pub up_to: f64,
    /// How many records have such a confidence.
    pub records: u64,
    /// Their mean confidence; null without records.
    pub confidence: Option<f64>,
    /// The share of them whose prediction is right; null without records.
    pub accuracy: Option<f64>,
}

impl Calibration {
    /// With so many bins.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for none, or more than [`MOST_BINS`].
    pub fn new(bins: u32) -> Result<Self> {
        if !(1..=MOST_BINS).contains(&bins) {
            let text = format!("{bins} bins make no sense; from 1 to {MOST_BINS} are possible");
            return Err(Error::new(Code::InvalidArgument, text));
        }
        Ok(Calibration { bins: vec![Bin::default(); bins as usize] })
    }

    /// Counts a prediction that was made with a confidence from 0 to 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number that is no bin becomes the first or the last one"
    )]
    pub fn count(&mut self, confidence: f64, correct: bool) {
        let number = libm::ceil(confidence * real(self.bins.len() as u64)) - 1.0;
        let last = self.bins.len() - 1;
        if let Some(bin) = self.bins.get_mut((number as usize).min(last)) {
            bin.records += 1;
            bin.correct += u64::from(correct);
            bin.confidence.add(confidence);
        }
    }

    /// The errors and the bins.
    #[must_use]
    pub fn report(&self) -> CalibrationReport {
        let width = real(self.bins.len() as u64);
        let bins: Vec<BinReport> = (0..)
            .zip(&self.bins)
            .map(|(number, bin)| BinReport {
                above: real(number) / width,
                up_to: real(number + 1) / width,
                records: bin.records,
                confidence: bin.confidence.mean(bin.records),
                accuracy: share(bin.correct, bin.records),
            })
            .collect();
        let gaps: Vec<(u64, f64)> = bins
            .iter()
            .filter_map(|bin| Some((bin.records, libm::fabs(bin.accuracy? - bin.confidence?))))
            .collect();
        let records = gaps.iter().map(|(records, _)| records).sum();
        let mut expected = Sum::default();
        gaps.iter().for_each(|&(records, gap)| expected.add_product(real(records), gap));
        let maximum = gaps
            .iter()
            .map(|&(_, gap)| gap)
            .fold(None, |most: Option<f64>, gap| Some(most.map_or(gap, |most| most.max(gap))));
        CalibrationReport { expected_error: expected.mean(records), maximum_error: maximum, bins }
    }
}
