//! Predictions beside labels, batch by batch.

use std::path::PathBuf;
use std::str::FromStr;

use recask::{Code, Error, Progress, Result};
use serde::Serialize;

use crate::classes::MOST_CLASSES;
use crate::classification::{Classification, Options};
use crate::records::{Contents, RecordFile};
use crate::regression::Regression;
use crate::report::Report;
use crate::source::{Place, Source};

/// The most records that are read at once.
const MOST_RECORDS: u64 = 1 << 16;

/// What is to be evaluated, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Where the labels are.
    pub labels: Place,
    /// Where the predictions are: as many as there are labels.
    pub predictions: Place,
    /// What to do; `None` for what labels and predictions look like, see [`Task`].
    pub task: Option<Task>,
    /// How to classify.
    pub classification: Options,
    /// The most records to read at once; `None` for what memory allows. Results do not depend on it.
    pub batch: Option<u64>,
    /// A new table with what was found of every record, see [`evaluate`].
    pub records: Option<PathBuf>,
}

/// What labels and predictions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// Labels are one whole number each, the number of a class from 0 on. Predictions are numbers of classes too, or scores for
    /// each class: floats in records of shape `[classes]`, or in a column for each class.
    Classification,
    /// Labels and predictions are numbers, as many of each in a record.
    Regression,
}

/// What a record's prediction is in a classification.
#[derive(Clone, Copy)]
enum Predicted {
    Class,
    Scores,
}

/// Evaluates predictions against labels, in memory that does not grow with the number of records, and with a result that
/// depends on nothing but their values.
///
/// Without a [`Request::task`], whole labels with whole predictions or with rows of floats are classes, and everything else is
/// a regression.
///
/// The table of [`Request::records`] has the columns `record` (u64), `label`, `prediction`; of a classification (u64 both)
/// `correct` (bool), with scores `label_rank` (u64, how many classes come before the label), and with probabilities
/// `confidence`, `label_probability`, `loss` and `brier` (f64); of a regression with one value `error` (f64 all three), and with
/// several, in the place of label and prediction, `mean_error`, `mean_absolute_error`, `mean_squared_error` and `max_error`.
/// When the evaluation fails, there is no table.
///
/// Progress counts records.
///
/// ```
/// use recask::{DType, DenseStore};
/// use recask_evaluate::{Request, evaluate, Place};
///
/// # let folder = tempfile::tempdir()?;
/// # let at = |name: &str| folder.path().join(name);
/// let mut labels = DenseStore::builder(DType::I64, ()).create(at("labels"))?;
/// labels.append(&[0i64, 1, 1, 2])?;
/// let mut scores = DenseStore::builder(DType::F32, [3]).create(at("scores"))?;
/// scores.append(&[0.5f32, 0.25, 0.25, 0.0, 1.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.25, 0.5])?;
/// # labels.sync()?; scores.sync()?;
///
/// let place = |name: &str| Place { path: at(name), columns: Vec::new() };
/// let request = Request { labels: place("labels"), predictions: place("scores"), ..Request::default() };
/// let report = evaluate(&request, &())?;
/// assert!(report.to_json()?.starts_with(r#"{"format":1,"task":"classification","records":4,"classes":3,"#));
/// assert_eq!(report.classification().unwrap().accuracy, Some(0.75));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Code::ShapeMismatch`] where there are not as many predictions as labels, or their shapes do not fit;
/// [`Code::DTypeMismatch`] for values that are no numbers; [`Code::IndexOutOfRange`] for labels and predictions that are no
/// classes and [`Code::InvalidArgument`] for values that are not finite, and probabilities that are none, naming the record;
/// [`Code::TooLarge`] for more than [`MOST_CLASSES`] classes, or [`MOST_VALUES`](crate::MOST_VALUES) values in a record;
/// [`Code::Interrupted`]; and what opening and reading says.
pub fn evaluate(request: &Request, progress: &dyn Progress) -> Result<Report> {
    let labels = Source::open(&request.labels)?;
    let predictions = Source::open(&request.predictions)?;
    let (of_labels, of_predictions) = (labels.len(), predictions.len());
    if of_labels != of_predictions {
        let text = format!(
            "there are {of_labels} labels in {} and {of_predictions} predictions in {}; each record needs one of both",
            labels.place(),
            predictions.place()
        );
        return Err(Error::new(Code::ShapeMismatch, text));
    }
    let mut run = Run { labels, predictions, request, progress };
    match run.predicted() {
        Some(predicted) if request.task != Some(Task::Regression) => run.classification(predicted),
        None if request.task == Some(Task::Classification) => Err(run.no_classes()),
        _ => run.regression(),
    }
}

struct Run<'r> {
    labels: Source,
    predictions: Source,
    request: &'r Request,
    progress: &'r dyn Progress,
}

impl Run<'_> {
    /// What predictions are where labels are classes; `None` where they cannot be.
    fn predicted(&self) -> Option<Predicted> {
        let (labels, predictions) = (self.labels.layout(), self.predictions.layout());
        let is_class = labels.is_fixed && labels.values == 1 && labels.is_whole();
        match predictions.is_whole() {
            true if is_class && predictions.is_fixed && predictions.values == 1 => Some(Predicted::Class),
            false if is_class && predictions.is_row && predictions.values != 1 => Some(Predicted::Scores),
            _ => None,
        }
    }

    fn no_classes(&self) -> Error {
        let text = format!(
            "labels in {} and predictions in {} are no classes: a label has to be one integer, and a prediction one integer \
             or a float for each class",
            self.labels.place(),
            self.predictions.place()
        );
        Error::new(Code::ShapeMismatch, text)
    }

    fn classification(&mut self, predicted: Predicted) -> Result<Report> {
        let options = &self.request.classification;
        let mut found = match predicted {
            Predicted::Class => Classification::of_classes(options)?,
            Predicted::Scores => {
                let classes = self.predictions.layout().values as u64;
                if classes > MOST_CLASSES {
                    let text = format!(
                        "there are scores for {classes} classes; at most {MOST_CLASSES} are evaluated"
                    );
                    return Err(self.predictions.blame(Error::new(Code::TooLarge, text)));
                }
                // Without records, nobody knows how many scores one has.
                let known = (classes > 0 || !self.is_empty()).then_some(classes);
                Classification::of_scores(known.or(options.classes).unwrap_or(1), options)?
            }
        };
        let contents = match predicted {
            Predicted::Class => Contents::Classes,
            Predicted::Scores => Contents::of_scores(options),
        };
        let mut file = RecordFile::create(self.request.records.as_deref())?;
        let mut table = file.begin(contents, self.labels.len())?;
        let mut scores = Vec::new();
        self.each_batch(|run, records| {
            for (position, &record) in records.iter().enumerate() {
                let label =
                    run.labels.class(position).map_err(|error| run.labels.blame(error.at_record(record)))?;
                let of_prediction = |error: Error| run.predictions.blame(error.at_record(record));
                match predicted {
                    Predicted::Class => {
                        let prediction = run.predictions.class(position).map_err(of_prediction)?;
                        found.add_class(label, prediction).map_err(|error| error.at_record(record))?;
                        table.class(record, label, prediction);
                    }
                    Predicted::Scores => {
                        run.predictions.numbers(position, &mut scores).map_err(of_prediction)?;
                        let judgement = found.add_scores(label, &mut scores).map_err(of_prediction)?;
                        table.judgement(record, label, &judgement);
                    }
                }
            }
            table.flush()
        })?;
        table.finish()?;
        file.close()?;
        Ok(Report::Classification(found.report()))
    }

    fn regression(&mut self) -> Result<Report> {
        let (labels, predictions) = (self.labels.layout(), self.predictions.layout());
        let values = labels.values;
        if !labels.is_fixed || !predictions.is_fixed || values != predictions.values {
            let text = format!(
                "a label in {} has {} and a prediction in {} has {}; for a regression, all have to have as many",
                self.labels.place(),
                labels.shown(),
                self.predictions.place(),
                predictions.shown(),
            );
            return Err(Error::new(Code::ShapeMismatch, text));
        }
        let mut found = Regression::new(values);
        let contents = if values == 1 { Contents::Value } else { Contents::Values };
        let mut file = RecordFile::create(self.request.records.as_deref())?;
        let mut table = file.begin(contents, self.labels.len())?;
        let (mut of_label, mut of_prediction) = (Vec::new(), Vec::new());
        self.each_batch(|run, records| {
            for (position, &record) in records.iter().enumerate() {
                let at = |source: &Source, error: Error| source.blame(error.at_record(record));
                run.labels.numbers(position, &mut of_label).map_err(|error| at(&run.labels, error))?;
                let read = run.predictions.numbers(position, &mut of_prediction);
                read.map_err(|error| at(&run.predictions, error))?;
                found.add(&of_label, &of_prediction).map_err(|error| error.at_record(record))?;
                table.values(record, &of_label, &of_prediction);
            }
            table.flush()
        })?;
        table.finish()?;
        file.close()?;
        Ok(Report::Regression(found.report()))
    }

    /// Calls `each` for consecutive records that were read.
    fn each_batch(&mut self, mut each: impl FnMut(&Self, &[u64]) -> Result<()>) -> Result<()> {
        let most = self.labels.most_records()?.min(self.predictions.most_records()?);
        let batch = self.request.batch.unwrap_or(MOST_RECORDS).min(most).clamp(1, MOST_RECORDS);
        let len = self.labels.len();
        let mut records = Vec::new();
        let mut start = 0;
        while start < len {
            if !self.progress.proceed() {
                return Err(Error::new(Code::Interrupted, "the evaluation was interrupted"));
            }
            let end = len.min(start + batch);
            records.clear();
            records.extend(start..end);
            self.labels.read(&records)?;
            self.predictions.read(&records)?;
            each(self, &records)?;
            self.progress.advance(end - start);
            start = end;
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.labels.len() == 0
    }
}

impl FromStr for Task {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "classification" => Ok(Task::Classification),
            "regression" => Ok(Task::Regression),
            _ => {
                let text = format!("{text:?} is no task; give classification or regression");
                Err(Error::new(Code::InvalidArgument, text))
            }
        }
    }
}
