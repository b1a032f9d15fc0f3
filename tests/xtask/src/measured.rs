//! Times that benchmarks took, side by side.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::report::{Failure, Result};

/// Seconds by benchmark.
#[derive(Default)]
pub(crate) struct Measured(BTreeMap<String, Row>);

#[derive(Default)]
struct Row {
    recask: Option<f64>,
    /// What nothing can beat: a plain copy, or bare zstd of the same bytes.
    limit: Option<f64>,
    loaderx: Option<f64>,
}

impl Measured {
    /// Reads the medians that criterion left in its folder.
    pub(crate) fn of_criterion(folder: &Path) -> Result<Self> {
        let mut measured = Measured::default();
        measured.walk(folder)?;
        Ok(measured)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn walk(&mut self, folder: &Path) -> Result {
        let (about, estimates) = (folder.join("benchmark.json"), folder.join("estimates.json"));
        if folder.ends_with("new") && about.is_file() {
            let name = json(&fs::read_to_string(about)?)?["full_id"].as_str().unwrap_or_default().to_owned();
            let nanoseconds = json(&fs::read_to_string(estimates)?)?["median"]["point_estimate"].as_f64();
            self.add(&name, nanoseconds.map(|nanoseconds| nanoseconds / 1e9));
            return Ok(());
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.walk(&entry.path())?;
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, seconds: Option<f64>) {
        if let Some(name) = name.strip_suffix("/limit") {
            self.0.entry(name.into()).or_default().limit = seconds;
        } else {
            let name = name.strip_suffix("/recask").unwrap_or(name);
            self.0.entry(name.into()).or_default().recask = seconds;
        }
    }

    /// Adds what loaderx took for the benchmarks that are here: a JSON object a line, with `name` and `seconds`.
    pub(crate) fn add_loaderx(&mut self, lines: &str) -> Result {
        for line in lines.lines() {
            let line = json(line)?;
            if let Some(row) = line["name"].as_str().and_then(|name| self.0.get_mut(name)) {
                row.loaderx = line["seconds"].as_f64();
            }
        }
        Ok(())
    }
}

/// How fast Recask is as a part of the limit, and as a multiple of loaderx.
pub(crate) fn table(measured: &Measured) -> String {
    let mut text = format!("{:28}{:>12}{:>12}{:>12}\n", "benchmark", "recask", "of limit", "loaderx");
    for (name, row) in &measured.0 {
        let time = row.recask.map_or("-".into(), |seconds| format!("{:.3} ms", seconds * 1e3));
        let ratio = |other: Option<f64>, digits| match (other, row.recask) {
            (Some(other), Some(recask)) => format!("{:.digits$} x", other / recask),
            _ => "-".into(),
        };
        text += &format!("{name:28}{time:>12}{:>12}{:>12}\n", ratio(row.limit, 2), ratio(row.loaderx, 1));
    }
    text
}

fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| Failure(format!("a benchmark left bad JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faster_than_loaderx_and_slower_than_the_limit() {
        let mut measured = Measured::default();
        measured.add("gather/1KiB/raw/recask", Some(0.002));
        measured.add("gather/1KiB/raw/limit", Some(0.0015));
        measured.add("million/open", Some(0.000_02));
        measured
            .add_loaderx(
                "{\"name\": \"gather/1KiB/raw\", \"seconds\": 0.02}\n{\"name\": \"other\", \"seconds\": 1}",
            )
            .expect("good lines");
        let expected = "\
benchmark                         recask    of limit     loaderx
gather/1KiB/raw                 2.000 ms      0.75 x      10.0 x
million/open                    0.020 ms           -           -
";
        assert_eq!(table(&measured), expected);
    }
}
