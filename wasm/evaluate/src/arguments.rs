//! The command line of an evaluation, the same for every command that has one.

use std::path::PathBuf;

use clap::Args;
use recask::{Error, Result};

use crate::classification::Options;
use crate::evaluation::{Request, Task};
use crate::scores::Meaning;
use crate::source::Place;

/// Explains what the arguments cannot.
pub const AFTER_HELP: &str = "\
Classes: labels are integers from 0 on, in records of one value or a column. Predictions are
integers too, or floats for each class: records of shape [classes], dense or ragged, or one
--prediction-column for each class. Anything else is a regression: as many numbers in each
prediction as in each label.

With --scores probabilities, those of a record are from 0 to 1 and sum to 1, both within 0.01;
logits become probabilities by the softmax; a ranking only orders the classes. Of equal scores
the first one wins. A score that is not finite, or a label that is no class, is an error that
names the record.

The answer is one JSON object: format, task, records, then of a classification: classes, scores,
correct, accuracy, top_k, macro_average, micro_average, weighted_average, log_loss, brier_score,
calibration {expected_error, maximum_error, bins}, per_class, confusion_matrix (a row for each
label); of a regression: values, mae, mse, rmse, r2, max_error, bias, pearson, per_output. What
cannot be computed is null. The same input gives the same bytes on every machine, natively and in a
sandbox, whatever the batches and threads.";

/// Labels, predictions and options.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// The labels: a store, or a table with --label-column
    #[arg(long, value_name = "PATH")]
    labels: PathBuf,
    /// The predictions: a store, or a table with --prediction-column
    #[arg(long, value_name = "PATH")]
    predictions: PathBuf,
    /// The column of a table that has the labels; again for each further value of a regression
    #[arg(long, value_name = "NAME")]
    label_column: Vec<String>,
    /// The column of a table that has the predictions; again for each further class or value
    #[arg(long, value_name = "NAME")]
    prediction_column: Vec<String>,
    /// classification or regression; otherwise what the values look like
    #[arg(long, value_name = "TASK")]
    task: Option<Task>,
    /// What scores are: probabilities, logits, or a ranking
    #[arg(long, value_name = "MEANING", default_value_t)]
    scores: Meaning,
    /// How many classes there are; otherwise as many as appear or have scores
    #[arg(long, value_name = "N")]
    classes: Option<u64>,
    /// The label is to be among so many largest scores for the top-k accuracy
    #[arg(long, value_name = "K", default_value_t = Options::default().top_k)]
    top_k: u64,
    /// The bins of the calibration errors
    #[arg(long, value_name = "N", default_value_t = Options::default().bins)]
    bins: u32,
    /// Write what was found of every record to this new table
    #[arg(long, value_name = "FILE.cstore")]
    records: Option<PathBuf>,
    /// The most records to read at once; the answer does not depend on it
    #[arg(long, value_name = "N")]
    batch: Option<u64>,
    /// Answer with a table for people instead of JSON
    #[arg(long)]
    pub summary: bool,
}

impl Arguments {
    /// What is asked for.
    #[must_use]
    pub fn request(&self) -> Request {
        Request {
            labels: Place { path: self.labels.clone(), columns: self.label_column.clone() },
            predictions: Place { path: self.predictions.clone(), columns: self.prediction_column.clone() },
            task: self.task,
            classification: Options {
                classes: self.classes,
                scores: self.scores,
                top_k: self.top_k,
                bins: self.bins,
            },
            batch: self.batch,
            records: self.records.clone(),
        }
    }
}

impl std::str::FromStr for Meaning {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "probabilities" => Ok(Meaning::Probabilities),
            "logits" => Ok(Meaning::Logits),
            "ranking" => Ok(Meaning::Ranking),
            _ => {
                let text = format!("{text:?} means nothing; give probabilities, logits or ranking");
                Err(Error::new(recask::Code::InvalidArgument, text))
            }
        }
    }
}
