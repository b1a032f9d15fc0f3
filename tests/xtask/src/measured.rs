//! Times that benchmarks took, side by side.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::report::{Failure, Result};

/// Seconds by benchmark.
#[derive(Default)]
pub(crate) struct Measured {
    rows: BTreeMap<String, Row>,
    /// What is compared with, in the order in which it was measured.
    peers: Vec<String>,
}

#[derive(Default)]
struct Row {
    recask: Option<f64>,
    /// What nothing can beat: a plain copy, or bare zstd of the same bytes.
    limit: Option<f64>,
    /// By position among the peers.
    peers: BTreeMap<usize, f64>,
}

impl Measured {
    /// Reads the medians that criterion left in its folder.
    pub(crate) fn of_criterion(folder: &Path) -> Result<Self> {
        let mut measured = Measured::default();
        measured.walk(folder)?;
        Ok(measured)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a benchmark has such a name.
    pub(crate) fn any(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        self.rows.keys().any(|name| is_wanted(name))
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
            self.rows.entry(name.into()).or_default().limit = seconds;
        } else {
            let name = name.strip_suffix("/recask").unwrap_or(name);
            self.rows.entry(name.into()).or_default().recask = seconds;
        }
    }

    /// Adds what others took for the benchmarks that are here: a JSON object a line, with `name`, `peer` and `seconds`.
    pub(crate) fn add_peers(&mut self, lines: &str) -> Result {
        for line in lines.lines() {
            let line = json(line)?;
            let text = |key: &str| line[key].as_str().unwrap_or_default();
            let (Some(row), Some(seconds)) = (self.rows.get_mut(text("name")), line["seconds"].as_f64())
            else {
                continue;
            };
            let position = self.peers.iter().position(|known| known == text("peer")).unwrap_or_else(|| {
                self.peers.push(text("peer").into());
                self.peers.len() - 1
            });
            row.peers.insert(position, seconds);
        }
        Ok(())
    }
}

/// How fast Recask is as a part of the limit, and as a multiple of each peer.
pub(crate) fn table(measured: &Measured) -> String {
    const WIDTH: usize = 16;
    let mut text = format!("{:28}{:>12}{:>12}", "benchmark", "recask", "of limit");
    for peer in &measured.peers {
        text += &format!("{peer:>WIDTH$}");
    }
    text.push('\n');
    for (name, row) in &measured.rows {
        let time = row.recask.map_or("-".into(), |seconds| format!("{:.3} ms", seconds * 1e3));
        let ratio = |other: Option<f64>, digits| match (other, row.recask) {
            (Some(other), Some(recask)) => format!("{:.digits$} x", other / recask),
            _ => "-".into(),
        };
        text += &format!("{name:28}{time:>12}{:>12}", ratio(row.limit, 2));
        for position in 0..measured.peers.len() {
            text += &format!("{:>WIDTH$}", ratio(row.peers.get(&position).copied(), 1));
        }
        text.push('\n');
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
    fn faster_than_the_peers_and_slower_than_the_limit() {
        let mut measured = Measured::default();
        measured.add("gather/1KiB/raw/recask", Some(0.002));
        measured.add("gather/1KiB/raw/limit", Some(0.0015));
        measured.add("million/open", Some(0.000_02));
        let lines = [
            r#"{"name": "gather/1KiB/raw", "peer": "loaderx", "seconds": 0.02}"#,
            r#"{"name": "other", "peer": "unseen", "seconds": 1}"#,
            r#"{"name": "million/open", "peer": "colstore 0.3.0", "seconds": 0.00001}"#,
        ];
        measured.add_peers(&lines.join("\n")).expect("good lines");
        let expected = "\
benchmark                         recask    of limit         loaderx  colstore 0.3.0
gather/1KiB/raw                 2.000 ms      0.75 x          10.0 x               -
million/open                    0.020 ms           -               -           0.5 x
";
        assert_eq!(table(&measured), expected);
        assert!(measured.any(|name| name == "million/open") && !measured.any(|name| name == "other"));
    }
}
