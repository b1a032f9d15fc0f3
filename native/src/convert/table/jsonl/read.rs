//! Rows of JSON lines: a first pass finds the columns and their types, a second one copies.

use std::collections::HashMap;

use recask_core::{Code, DType, Error, Result};
use serde_json::Value;

use super::super::super::json::Lines;
use super::super::super::problem::Site;
use super::super::super::reading::Meter;
use super::super::cell::Block;
use super::super::infer::Seen;
use super::super::passes::Pass;
use super::super::source::{Request, Source, Take, some_columns};
use super::line::Line;
use crate::Progress;

/// Every line could have keys of its own.
const MAX_COLUMNS: usize = 10_000;

pub(in super::super) fn open<'r>(
    request: Request<'r>,
    progress: &dyn Progress,
) -> Result<Box<dyn Source + 'r>> {
    let rules = &request.options.rules;
    let pass = Pass::one_of(2, progress);
    let mut lines = Lines::open(request.path, Meter::default())?;
    let mut found: Vec<(String, Seen)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut rows = 0;
    while let Some(Line(line)) = lines.next_as(&pass)? {
        rows += 1;
        for (key, value) in line {
            let next = found.len();
            let at = *positions.entry(key.clone()).or_insert(next);
            if at == next {
                found.push((key, Seen::default()));
            }
            if at >= MAX_COLUMNS {
                let text = format!("line {}: there are more than {MAX_COLUMNS} keys", lines.number());
                return Err(Error::new(Code::TooLarge, text));
            }
            let is_wanted =
                |key: &String| request.options.columns.as_ref().is_none_or(|some| some.contains(key));
            if let Some((key, seen)) = found.get_mut(at).filter(|(key, _)| is_wanted(key)) {
                seen.see_json(&value, lines.number(), rules).map_err(|reason| lines.wrong(key, &reason))?;
            }
        }
    }
    lines.report(&pass)?;
    let site = Site::file(request.path);
    if found.is_empty() && request.options.columns.is_none() {
        return Err(site.invalid("there are no lines with keys, so there are no columns"));
    }
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let chosen = some_columns(request.chosen(&names)?)?;
    let columns = chosen.into_iter().filter_map(|at| found.get(at)).map(|(name, seen)| {
        let dtype = match request.target_of(name) {
            Some(dtype) => dtype.clone(),
            None => {
                let wrong = |reason| site.invalid(format_args!("the key {name:?} {reason}"));
                seen.of_json(rules).map_err(wrong)?
            }
        };
        Ok((name.clone(), dtype))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Table { request, columns, rows }))
}

struct Table<'r> {
    request: Request<'r>,
    columns: Vec<(String, DType)>,
    rows: u64,
}

impl Source for Table<'_> {
    fn columns(&self) -> Vec<(String, DType)> {
        self.columns.clone()
    }

    fn rows(&self) -> u64 {
        self.rows
    }

    fn copy(&mut self, progress: &dyn Progress, take: Take<'_>) -> Result<()> {
        let rules = &self.request.options.rules;
        let pass = Pass::one_of(2, progress);
        let mut lines = Lines::open(self.request.path, Meter::default())?;
        let mut block = Block::new(&self.columns, rules);
        while let Some(line) = lines.next_as::<Line>(&pass)? {
            let mut next = 0;
            for ((name, _), cells) in self.columns.iter().zip(block.cells()) {
                let found = line.find(name, next);
                next = found.map_or(next, |at| at + 1);
                let value = found.and_then(|at| line.0.get(at)).map_or(&Value::Null, |(_, value)| value);
                let pushed = cells.push_json(value);
                pushed.map_err(|reason| lines.wrong(name, &reason))?;
            }
            block.end_row(take)?;
        }
        block.hand_over(take)?;
        lines.report(&pass)
    }
}
