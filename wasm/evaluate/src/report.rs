//! The result, for programs and for people.

use std::fmt::Write as _;

use recask::{Code, Error, Result};
use serde::Serialize;

use crate::classes::Average;
use crate::classification::ClassificationReport;
use crate::evaluation::Task;
use crate::regression::{Figures, RegressionReport};

/// The most classes, or values of a record, that [`Report::summary`] shows one by one.
const SHOWN: usize = 20;

/// What an evaluation found.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Of classes.
    Classification(ClassificationReport),
    /// Of numbers.
    Regression(RegressionReport),
}

/// The JSON document around either.
#[derive(Serialize)]
struct Document<'r, R> {
    /// The version of the document. Fields may be added without a new one.
    format: u32,
    task: Task,
    #[serde(flatten)]
    report: &'r R,
}

impl Report {
    /// The classification, if it is one.
    #[must_use]
    pub fn classification(&self) -> Option<&ClassificationReport> {
        match self {
            Report::Classification(report) => Some(report),
            Report::Regression(_) => None,
        }
    }

    /// The regression, if it is one.
    #[must_use]
    pub fn regression(&self) -> Option<&RegressionReport> {
        match self {
            Report::Regression(report) => Some(report),
            Report::Classification(_) => None,
        }
    }

    /// One JSON object on a line, with a newline behind it: `format` (1) and `task`, then the fields of
    /// [`ClassificationReport`] or [`RegressionReport`] in their order. Numbers have the fewest digits that read back as the
    /// same; a figure that does not exist is null.
    ///
    /// # Errors
    /// [`Code::TooLarge`] where it does not fit in memory.
    pub fn to_json(&self) -> Result<String> {
        let text = match self {
            Report::Classification(report) => document(Task::Classification, report),
            Report::Regression(report) => document(Task::Regression, report),
        };
        let error =
            |error| Error::new(Code::TooLarge, "the result could not be written as JSON").caused_by(error);
        text.map(|text| text + "\n").map_err(error)
    }

    /// A few lines for people.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut text = String::new();
        match self {
            Report::Classification(report) => summarise_classes(report, &mut text),
            Report::Regression(report) => summarise_values(report, &mut text),
        }
        text
    }
}

fn document<R: Serialize>(task: Task, report: &R) -> serde_json::Result<String> {
    serde_json::to_string(&Document { format: 1, task, report })
}

fn summarise_classes(report: &ClassificationReport, out: &mut String) {
    fact(out, "records", &report.records.to_string());
    fact(out, "classes", &report.classes.to_string());
    fact(out, "accuracy", &shown(report.accuracy));
    if let Some(top) = &report.top_k {
        fact(out, &format!("top-{} accuracy", top.k), &shown(top.accuracy));
    }
    if let Some(calibration) = &report.calibration {
        fact(out, "log loss", &shown(report.log_loss));
        fact(out, "Brier score", &shown(report.brier_score));
        fact(out, "expected calibration error", &shown(calibration.expected_error));
        fact(out, "maximum calibration error", &shown(calibration.maximum_error));
    }
    let mut rows = vec![["class", "precision", "recall", "F1", "records"].map(String::from)];
    for class in report.per_class.iter().take(SHOWN) {
        let figures = [class.precision, class.recall, class.f1].map(|figure| shown(Some(figure)));
        let [precision, recall, f1] = figures;
        rows.push([class.class.to_string(), precision, recall, f1, class.support.to_string()]);
    }
    if report.per_class.len() > SHOWN {
        rows.push(["…"; 5].map(String::from));
    }
    for (name, average) in [("macro", &report.macro_average), ("weighted", &report.weighted_average)] {
        if let Some(Average { precision, recall, f1 }) = average {
            let [precision, recall, f1] = [precision, recall, f1].map(|figure| shown(Some(*figure)));
            rows.push([name.into(), precision, recall, f1, report.records.to_string()]);
        }
    }
    table(out, &rows);
}

fn summarise_values(report: &RegressionReport, out: &mut String) {
    fact(out, "records", &report.records.to_string());
    let header = ["output", "MAE", "RMSE", "R2", "max error", "bias", "Pearson"].map(String::from);
    let row = |name: String, figures: &Figures| {
        let Figures { mae, rmse, r2, max_error, bias, pearson, .. } = *figures;
        let [mae, rmse, r2, max_error, bias, pearson] = [mae, rmse, r2, max_error, bias, pearson].map(shown);
        [name, mae, rmse, r2, max_error, bias, pearson]
    };
    let mut rows = vec![header, row("all".into(), &report.overall)];
    let outputs = report.per_output.as_deref().unwrap_or_default();
    rows.extend(outputs.iter().take(SHOWN).enumerate().map(|(at, figures)| row(at.to_string(), figures)));
    if outputs.len() > SHOWN {
        rows.push(["…"; 7].map(String::from));
    }
    table(out, &rows);
}

fn fact(out: &mut String, name: &str, value: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "{name:27} {value}");
}

/// Columns aligned to the right, below an empty line.
fn table<const N: usize>(out: &mut String, rows: &[[String; N]]) {
    let widths: Vec<usize> = (0..N)
        .map(|at| rows.iter().filter_map(|row| Some(row.get(at)?.chars().count())).max().unwrap_or(0))
        .collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}"));
        let _ = write!(out, "\n{}", cells.collect::<Vec<_>>().join("  "));
    }
    out.push('\n');
}

fn shown(figure: Option<f64>) -> String {
    match figure {
        None => "-".into(),
        Some(figure) if libm::fabs(figure) >= 1e6 => format!("{figure:.4e}"),
        Some(figure) => format!("{figure:.4}"),
    }
}
