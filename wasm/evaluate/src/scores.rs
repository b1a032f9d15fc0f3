//! What the scores of one record say.

use std::fmt;

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::summation::Sum;

/// A label's probability below this counts as this, so that one record has a loss of 36.04 at most: the distance from 1 to
/// the next number.
pub const LEAST_PROBABILITY: f64 = f64::EPSILON;
/// How far the probabilities of one record may be from a sum of 1: what rounding to 16 bits takes from them.
pub const SLACK: f64 = 0.01;

/// What the numbers that a record has for each class mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Meaning {
    /// Probabilities: each from 0 to 1, their sum 1, both within [`SLACK`].
    #[default]
    Probabilities,
    /// Logarithms of probabilities but for one constant: probabilities are `exp(x)` over the sum of them all.
    Logits,
    /// Numbers that only order the classes, such as distances with a minus; nothing that needs a probability is computed.
    Ranking,
}

/// What one record's scores come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The class with the largest score; of equal ones the first, as NumPy's `argmax`.
    pub prediction: u64,
    /// How many classes come before the label: those with a larger score, and those before it with the same.
    pub before_label: u64,
    /// What needs probabilities.
    pub probable: Option<Probable>,
}

/// What one record's probabilities come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probable {
    /// The probability of the predicted class, at most 1.
    pub confidence: f64,
    /// The probability of the label.
    pub of_label: f64,
    /// Minus its logarithm, to the base e: the label's part of the log loss.
    pub loss: f64,
    /// The sum over the classes of the squared difference between the probability and 1 for the label, 0 for others: Brier,
    /// *Verification of Forecasts Expressed in Terms of Probability* (1950); from 0 to 2.
    pub brier: f64,
}

/// Judges the scores of one record, one for each class. Logits become probabilities in place.
///
/// ```
/// use recask_evaluate::scores::{Meaning, judge};
///
/// let judgement = judge(&mut [0.25, 0.5, 0.25], 2, Meaning::Probabilities)?;
/// assert_eq!((judgement.prediction, judgement.before_label), (1, 2));
/// assert_eq!(judgement.probable.unwrap().brier, 0.0625 + 0.25 + 0.5625);
/// # Ok::<(), recask::Error>(())
/// ```
///
/// # Errors
/// [`Code::IndexOutOfRange`] for a label that is no class; [`Code::InvalidArgument`] for scores that are not finite, and for
/// probabilities that are none.
pub fn judge(scores: &mut [f64], label: u64, meaning: Meaning) -> Result<Judgement> {
    let Some((at, of_label)) = usize::try_from(label).ok().and_then(|at| Some((at, *scores.get(at)?))) else {
        let text = format!("the label is {label}, there are {} classes from 0 on", scores.len());
        return Err(Error::new(Code::IndexOutOfRange, text));
    };
    if let Some((class, score)) = scores.iter().enumerate().find(|(_, score)| !score.is_finite()) {
        let text = format!("the score of class {class} is {score}; scores have to be finite");
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let best = |best: (usize, f64), (class, &score): (usize, &f64)| {
        if score > best.1 { (class, score) } else { best }
    };
    let (prediction, largest) = scores.iter().enumerate().fold((0, f64::NEG_INFINITY), best);
    let before = |&(class, &score): &(usize, &f64)| score > of_label || (class < at && score >= of_label);
    let before_label = scores.iter().enumerate().filter(before).count() as u64;
    let probable = match meaning {
        Meaning::Ranking => None,
        Meaning::Probabilities => {
            check_probabilities(scores)?;
            let loss = -libm::log(of_label.clamp(LEAST_PROBABILITY, 1.0));
            Some(probable(scores, prediction, at, loss))
        }
        Meaning::Logits => {
            let loss = softmax(scores, largest) + (largest - of_label);
            // Rounding must not make a loss negative.
            Some(probable(scores, prediction, at, loss.max(0.0)))
        }
    };
    Ok(Judgement { prediction: prediction as u64, before_label, probable })
}

/// Turns logits into probabilities; gives the logarithm of the sum of `exp(x - largest)`.
fn softmax(logits: &mut [f64], largest: f64) -> f64 {
    let mut sum = Sum::default();
    for logit in &mut *logits {
        *logit = libm::exp(*logit - largest);
        sum.add(*logit);
    }
    let sum = sum.total();
    logits.iter_mut().for_each(|power| *power /= sum);
    libm::log(sum)
}

fn check_probabilities(scores: &[f64]) -> Result<()> {
    const ADVICE: &str = "give --scores logits or --scores ranking for scores of other kinds";
    let outside = |score: f64| !(-0.0..=1.0 + SLACK).contains(&score);
    if let Some((class, score)) = scores.iter().enumerate().find(|(_, score)| outside(**score)) {
        let text = format!("the score of class {class} is {score}, which is no probability; {ADVICE}");
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let mut sum = Sum::default();
    scores.iter().for_each(|&score| sum.add(score));
    let sum = sum.total();
    if libm::fabs(sum - 1.0) > SLACK {
        let text = format!("the probabilities sum to {sum}, not to 1; {ADVICE}");
        return Err(Error::new(Code::InvalidArgument, text));
    }
    Ok(())
}

fn probable(probabilities: &[f64], prediction: usize, label: usize, loss: f64) -> Probable {
    let of = |class: usize| probabilities.get(class).copied().unwrap_or(0.0).clamp(0.0, 1.0);
    let mut brier = Sum::default();
    for (class, &probability) in probabilities.iter().enumerate() {
        let difference = if class == label { probability - 1.0 } else { probability };
        brier.add_product(difference, difference);
    }
    Probable { confidence: of(prediction), of_label: of(label), loss, brier: brier.total() }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Meaning::Probabilities => "probabilities",
            Meaning::Logits => "logits",
            Meaning::Ranking => "ranking",
        })
    }
}
