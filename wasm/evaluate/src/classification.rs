//! Classification: one label and one prediction for each record.

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::calibration::{Calibration, CalibrationReport};
use crate::classes::{Average, ClassReport, Classes};
use crate::scores::{Judgement, Meaning, judge};
use crate::summation::{Sum, share};

/// Adds up predictions that are the numbers of classes, or scores for each class.
///
/// ```
/// use recask_evaluate::classification::{Classification, Options};
///
/// let mut evaluation = Classification::of_classes(&Options::default())?;
/// for (label, prediction) in [(0, 0), (0, 1), (1, 1), (2, 2)] {
///     evaluation.add_class(label, prediction)?;
/// }
/// let report = evaluation.report();
/// assert_eq!(report.accuracy, Some(0.75));
/// assert_eq!(report.confusion_matrix.unwrap()[0], [1, 1, 0]);
/// # Ok::<(), recask::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Classification {
    classes: Classes,
    scored: Option<Scored>,
}

/// What scores give beside a prediction.
#[derive(Clone, Debug)]
struct Scored {
    meaning: Meaning,
    k: u64,
    within_k: u64,
    calibration: Calibration,
    loss: Sum,
    brier: Sum,
}

/// How a classification is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many classes there are; `None` for as many as labels and predictions need.
    pub classes: Option<u64>,
    /// What scores mean.
    pub scores: Meaning,
    /// Of how many largest scores one has to be the label's for [`TopK`].
    pub top_k: u64,
    /// How many bins the calibration has.
    pub bins: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { classes: None, scores: Meaning::default(), top_k: 5, bins: 15 }
    }
}

/// The result of a classification. Where there is nothing to compute it from, a figure is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassificationReport {
    /// How many records were evaluated.
    pub records: u64,
    /// How many classes there are.
    pub classes: u64,
    /// What the scores mean; null where predictions are the numbers of classes.
    pub scores: Option<Meaning>,
    /// Records whose prediction is the label.
    pub correct: u64,
    /// Their share.
    pub accuracy: Option<f64>,
    /// For scores.
    pub top_k: Option<TopK>,
    /// See [`Classes::macro_average`].
    pub macro_average: Option<Average>,
    /// See [`Classes::micro_average`].
    pub micro_average: Option<Average>,
    /// See [`Classes::weighted_average`].
    pub weighted_average: Option<Average>,
    /// For probabilities and logits: the mean of [`Probable::loss`](crate::scores::Probable::loss).
    pub log_loss: Option<f64>,
    /// For probabilities and logits: the mean of [`Probable::brier`](crate::scores::Probable::brier).
    pub brier_score: Option<f64>,
    /// For probabilities and logits.
    pub calibration: Option<CalibrationReport>,
    /// Every class, in order.
    pub per_class: Vec<ClassReport>,
    /// For each label, how often each class was predicted; null beyond
    /// [`MOST_CLASSES_IN_MATRIX`](crate::classes::MOST_CLASSES_IN_MATRIX).
    pub confusion_matrix: Option<Vec<Vec<u64>>>,
}

/// How often the label is among the classes with the largest scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TopK {
    /// Among so many.
    pub k: u64,
    /// The share of records with such a label. Of equal scores, those of smaller classes come first.
    pub accuracy: Option<f64>,
}

impl Classification {
    /// For predictions that are the numbers of classes.
    ///
    /// # Errors
    /// [`Code::TooLarge`] and [`Code::InvalidArgument`] as in [`Classes::new`].
    pub fn of_classes(options: &Options) -> Result<Self> {
        Ok(Classification { classes: Classes::new(options.classes)?, scored: None })
    }

    /// For predictions that are scores for each of `classes` classes.
    ///
    /// # Errors
    /// As [`Classification::of_classes`]; [`Code::InvalidArgument`] for bins that are too few or too many, for a `top_k` of 0,
    /// and where another number of classes was told.
    pub fn of_scores(classes: u64, options: &Options) -> Result<Self> {
        let wrong = |text: String| Err(Error::new(Code::InvalidArgument, text));
        if let Some(told) = options.classes.filter(|told| *told != classes) {
            return wrong(format!("the predictions have scores for {classes} classes, not for {told}"));
        }
        if options.top_k == 0 {
            return wrong("the label cannot be among the 0 largest scores; give 1 or more".into());
        }
        let scored = Scored {
            meaning: options.scores,
            k: options.top_k,
            within_k: 0,
            calibration: Calibration::new(options.bins)?,
            loss: Sum::default(),
            brier: Sum::default(),
        };
        Ok(Classification { classes: Classes::new(Some(classes))?, scored: Some(scored) })
    }

    /// Adds a record whose prediction is a class.
    ///
    /// # Errors
    /// As [`Classes::count`].
    pub fn add_class(&mut self, label: u64, prediction: u64) -> Result<()> {
        self.classes.count(label, prediction)
    }

    /// Adds a record that has scores, which are changed.
    ///
    /// # Errors
    /// As [`judge`]; [`Code::ShapeMismatch`] for another number of scores than there are classes;
    /// [`Code::InvalidArgument`] where predictions are the numbers of classes.
    pub fn add_scores(&mut self, label: u64, scores: &mut [f64]) -> Result<Judgement> {
        let Some(scored) = &mut self.scored else {
            return Err(Error::new(Code::InvalidArgument, "the predictions are classes and have no scores"));
        };
        if scores.len() as u64 != self.classes.len() {
            let (found, wanted) = (scores.len(), self.classes.len());
            let text = format!("the record has {found} scores, those before it have {wanted}");
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        let judgement = judge(scores, label, scored.meaning)?;
        self.classes.count(label, judgement.prediction)?;
        scored.within_k += u64::from(judgement.before_label < scored.k);
        if let Some(probable) = judgement.probable {
            scored.calibration.count(probable.confidence, judgement.prediction == label);
            scored.loss.add(probable.loss);
            scored.brier.add(probable.brier);
        }
        Ok(judgement)
    }

    /// What the records so far come to.
    #[must_use]
    pub fn report(&self) -> ClassificationReport {
        let (records, correct) = self.classes.records_and_correct();
        let scored = self.scored.as_ref();
        let probable = scored.filter(|scored| scored.meaning != Meaning::Ranking);
        ClassificationReport {
            records,
            classes: self.classes.len(),
            scores: scored.map(|scored| scored.meaning),
            correct,
            accuracy: share(correct, records),
            top_k: scored.map(|scored| TopK { k: scored.k, accuracy: share(scored.within_k, records) }),
            macro_average: self.classes.macro_average(),
            micro_average: self.classes.micro_average(),
            weighted_average: self.classes.weighted_average(),
            log_loss: probable.and_then(|scored| scored.loss.mean(records)),
            brier_score: probable.and_then(|scored| scored.brier.mean(records)),
            calibration: probable.map(|scored| scored.calibration.report()),
            per_class: self.classes.each().collect(),
            confusion_matrix: self.classes.confusion_matrix(),
        }
    }
}
