//! Counting labels and predictions by class.

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::summation::{Sum, real, share};

/// The most classes that are counted.
pub const MOST_CLASSES: u64 = 65_536;
/// The most classes for which every pair of label and prediction is counted: a matrix of 8 MiB.
pub const MOST_CLASSES_IN_MATRIX: u64 = 1024;

/// How often each class was right, and taken for which.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Whether the number of classes was told, instead of following from the labels and predictions.
    told: bool,
    tallies: Vec<Tally>,
    /// `None` for too many classes.
    matrix: Option<Matrix>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    support: u64,
    predicted: u64,
    correct: u64,
}

/// Square, with labels as rows; there may be more rows than classes.
#[derive(Clone, Debug, Default)]
struct Matrix {
    side: usize,
    counts: Vec<u64>,
}

/// What is known of one class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassReport {
    /// Its number.
    pub class: u64,
    /// Records that have it for a label.
    pub support: u64,
    /// Records for which it was predicted.
    pub predicted: u64,
    /// Records that have it and for which it was predicted.
    pub correct: u64,
    /// `correct / predicted`, the share of its predictions that are right; 0 where it was never predicted.
    pub precision: f64,
    /// `correct / support`, the share of its records that were found; 0 where it has none.
    pub recall: f64,
    /// The harmonic mean of both, `2 correct / (support + predicted)`; 0 where the class does not occur.
    pub f1: f64,
}

/// Precision, recall and F1 over classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Average {
    /// Of [`ClassReport::precision`].
    pub precision: f64,
    /// Of [`ClassReport::recall`].
    pub recall: f64,
    /// Of [`ClassReport::f1`].
    pub f1: f64,
}

impl Classes {
    /// For `count` classes; with `None` for as many as labels and predictions need.
    ///
    /// # Errors
    /// [`Code::TooLarge`] beyond [`MOST_CLASSES`], [`Code::InvalidArgument`] for none.
    pub fn new(count: Option<u64>) -> Result<Self> {
        let mut classes =
            Classes { told: count.is_some(), tallies: Vec::new(), matrix: Some(Matrix::default()) };
        match count {
            Some(0) => {
                return Err(Error::new(Code::InvalidArgument, "there must be at least one class"));
            }
            Some(count) => classes.grow(count)?,
            None => {}
        }
        Ok(classes)
    }

    /// Counts one record.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] for a class that there is not, [`Code::TooLarge`] for one beyond [`MOST_CLASSES`].
    pub fn count(&mut self, label: u64, prediction: u64) -> Result<()> {
        for (what, class) in [("label", label), ("prediction", prediction)] {
            if class < self.len() {
                continue;
            }
            if self.told {
                let text = format!("the {what} is {class}, there are {} classes from 0 on", self.len());
                return Err(Error::new(Code::IndexOutOfRange, text));
            }
            if class >= MOST_CLASSES {
                let text =
                    format!("the {what} is {class}; at most {MOST_CLASSES} classes from 0 on are counted");
                return Err(Error::new(Code::TooLarge, text));
            }
            self.grow(class + 1)?;
        }
        let (row, column) = (index(label), index(prediction));
        if let Some(tally) = self.tallies.get_mut(row) {
            tally.support += 1;
            tally.correct += u64::from(label == prediction);
        }
        if let Some(tally) = self.tallies.get_mut(column) {
            tally.predicted += 1;
        }
        if let Some(matrix) = &mut self.matrix
            && let Some(count) = matrix.counts.get_mut(row * matrix.side + column)
        {
            *count += 1;
        }
        Ok(())
    }

    /// How many classes there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.tallies.len() as u64
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
    }

    /// How many records were counted, and how many of them have the right prediction.
    #[must_use]
    pub fn records_and_correct(&self) -> (u64, u64) {
        let sum = |of: fn(&Tally) -> u64| self.tallies.iter().map(of).sum();
        (sum(|tally| tally.support), sum(|tally| tally.correct))
    }

    /// Every class, in order.
    pub fn each(&self) -> impl Iterator<Item = ClassReport> + '_ {
        (0..).zip(&self.tallies).map(|(class, &Tally { support, predicted, correct })| ClassReport {
            class,
            support,
            predicted,
            correct,
            precision: share(correct, predicted).unwrap_or(0.0),
            recall: share(correct, support).unwrap_or(0.0),
            f1: share(2 * correct, support + predicted).unwrap_or(0.0),
        })
    }

    /// The plain mean over the classes that occur as a label or a prediction; `None` without records.
    #[must_use]
    pub fn macro_average(&self) -> Option<Average> {
        self.average(|class| u64::from(class.support + class.predicted > 0))
    }

    /// The mean over the classes, each as often as it is a label; `None` without records.
    #[must_use]
    pub fn weighted_average(&self) -> Option<Average> {
        self.average(|class| class.support)
    }

    /// Over the records of all classes together, where all three are the accuracy, as every record has one label and one
    /// prediction; `None` without records.
    #[must_use]
    pub fn micro_average(&self) -> Option<Average> {
        let (records, correct) = self.records_and_correct();
        share(correct, records).map(|share| Average { precision: share, recall: share, f1: share })
    }

    fn average(&self, weight: fn(&ClassReport) -> u64) -> Option<Average> {
        let mut weights = 0;
        let [mut precision, mut recall, mut f1] = [Sum::default(); 3];
        for class in self.each() {
            let weight = weight(&class);
            weights += weight;
            precision.add_product(real(weight), class.precision);
            recall.add_product(real(weight), class.recall);
            f1.add_product(real(weight), class.f1);
        }
        Some(Average {
            precision: precision.mean(weights)?,
            recall: recall.mean(weights)?,
            f1: f1.mean(weights)?,
        })
    }

    /// For each label, how often each class was predicted; `None` beyond [`MOST_CLASSES_IN_MATRIX`].
    #[must_use]
    pub fn confusion_matrix(&self) -> Option<Vec<Vec<u64>>> {
        let matrix = self.matrix.as_ref()?;
        let classes = self.tallies.len();
        let rows = matrix.counts.chunks_exact(matrix.side.max(1)).take(classes);
        Some(rows.map(|row| row.iter().copied().take(classes).collect()).collect())
    }

    fn grow(&mut self, classes: u64) -> Result<()> {
        if classes > MOST_CLASSES {
            let text = format!("{classes} classes are too many; at most {MOST_CLASSES} are counted");
            return Err(Error::new(Code::TooLarge, text));
        }
        self.tallies.resize(index(classes), Tally::default());
        if classes > MOST_CLASSES_IN_MATRIX {
            self.matrix = None;
        } else if let Some(matrix) = &mut self.matrix {
            matrix.grow(index(classes));
        }
        Ok(())
    }
}

impl Matrix {
    fn grow(&mut self, classes: usize) {
        if classes <= self.side {
            return;
        }
        let side = classes.next_power_of_two();
        let mut counts = vec![0; side * side];
        let rows = self.counts.chunks_exact(self.side.max(1));
        for (old, new) in rows.zip(counts.chunks_exact_mut(side)) {
            new.iter_mut().zip(old).for_each(|(new, old)| *new = *old);
        }
        *self = Matrix { side, counts };
    }
}

/// Of a class below [`MOST_CLASSES`].
fn index(class: u64) -> usize {
    usize::try_from(class).unwrap_or(usize::MAX)
}
