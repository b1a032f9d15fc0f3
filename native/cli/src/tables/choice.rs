//! Which columns and rows of a table.

use std::path::Path;

use clap::Args;
use recask::core::table::filter::{Parameters, Value};
use recask::{Index, Selection, Table};

use crate::args;
use crate::failure::{At as _, Failure};

/// Options of the commands that choose columns and rows.
#[derive(Args, Debug)]
pub(crate) struct Choice {
    /// Only these columns, in this order, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) columns: Option<Vec<String>>,
    /// Only these rows, before anything is filtered: 7, -1, 3:10, ::2
    #[arg(long, value_parser = args::index, value_name = "INDEX", allow_hyphen_values = true)]
    rows: Option<Index<'static>>,
    /// At most this many rows of the result
    #[arg(long, value_name = "ROWS")]
    limit: Option<u64>,
    /// Without the first rows of the result
    #[arg(long, value_name = "ROWS", default_value_t = 0)]
    offset: u64,
    /// The value of :NAME in the expression; without NAME= that of the next ?
    #[arg(long = "param", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    parameters: Vec<String>,
}

/// Options of the commands that may filter.
#[derive(Args, Debug)]
pub(crate) struct Where {
    /// Only the rows for which this holds, such as "delay > 60 AND origin = 'SEA'"
    #[arg(long = "where", value_name = "EXPRESSION")]
    pub(crate) filter: Option<String>,
}

/// What was chosen.
pub(crate) struct Chosen {
    pub(crate) selection: Selection,
    /// Rows that the filter lets through, before the limit.
    pub(crate) found: u64,
}

impl Choice {
    /// Rows by number first, then those for which the filter holds, then offset and limit; the filter may use columns that
    /// are not chosen.
    pub(crate) fn of(&self, table: &Table, filter: Option<&str>, path: &Path) -> Result<Chosen, Failure> {
        self.among(table.all(), filter, path)
    }

    /// The same among some rows.
    pub(crate) fn among(
        &self,
        mut selection: Selection,
        filter: Option<&str>,
        path: &Path,
    ) -> Result<Chosen, Failure> {
        if let Some(rows) = &self.rows {
            selection = selection.rows(rows.clone()).at(path)?;
        }
        if let Some(text) = filter {
            selection = filtered(selection, text, &self.parameters, path)?;
        }
        let found = selection.len();
        if self.offset > 0 {
            selection = selection.tail(found.saturating_sub(self.offset));
        }
        if let Some(limit) = self.limit {
            selection = selection.head(limit);
        }
        Ok(Chosen { selection: columns(selection, self.columns.as_deref(), path)?, found })
    }

    /// Whether there is a limit.
    pub(crate) fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// The options, and which of them are given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--columns", self.columns.is_some()),
            ("--rows", self.rows.is_some()),
            ("--limit", self.limit.is_some()),
            ("--offset", self.offset > 0),
            ("--param", !self.parameters.is_empty()),
        ]
    }
}

/// Only these columns, if any are named.
pub(crate) fn columns(
    selection: Selection,
    names: Option<&[String]>,
    path: &Path,
) -> Result<Selection, Failure> {
    let Some(names) = names else { return Ok(selection) };
    if let Some((i, name)) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        let first = names.iter().position(|other| other == name).unwrap_or(i) + 1;
        let text = format!("the column {name} is named twice, as number {first} and {}", i + 1);
        return Err(Failure::Usage(text));
    }
    selection.select(names).at(path)
}

fn filtered(selection: Selection, text: &str, given: &[String], path: &Path) -> Result<Selection, Failure> {
    let parameters = given.iter().fold(Parameters::new(), |parameters, given| match named(given) {
        Some((name, value)) => parameters.with(name, constant(value)),
        None => parameters.push(constant(given)),
    });
    selection.filter_with(text, &parameters).map_err(|error| Failure::Filter {
        error,
        path: path.to_path_buf(),
        text: text.to_owned(),
    })
}

/// `name=value`, where `name` is one that a parameter can have.
fn named(given: &str) -> Option<(&str, &str)> {
    let (name, value) = given.split_once('=')?;
    let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (starts_well && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((name, value))
}

/// A number or truth value where it looks like one, else text; text in single quotes always.
fn constant(text: &str) -> Value {
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let number = || Some(Value::Integer(text.parse().ok()?));
    let float = || {
        let is_number = text.contains(|c: char| c.is_ascii_digit());
        Some(Value::Float(text.parse().ok().filter(|_| is_number)?))
    };
    let truth = || match text.to_ascii_lowercase().as_str() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    };
    match quoted {
        Some(text) => Value::Text(text.replace("''", "'")),
        None => number().or_else(float).or_else(truth).unwrap_or_else(|| Value::Text(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbers_truth_values_or_text() {
        for (text, value) in [
            ("60", Value::Integer(60)),
            ("-9223372036854775809", Value::Integer(-9_223_372_036_854_775_809)),
            ("1e3", Value::Float(1000.0)),
            ("TRUE", Value::Bool(true)),
            ("SEA", Value::from("SEA")),
            ("inf", Value::from("inf")),
            ("'60'", Value::from("60")),
            ("'it''s'", Value::from("it's")),
            ("2015-03-01", Value::from("2015-03-01")),
        ] {
            assert_eq!(constant(text), value, "{text}");
        }
    }

    #[test]
    fn only_names_are_names() {
        assert_eq!(named("kind=rain"), Some(("kind", "rain")));
        assert_eq!(named("kind=a=b"), Some(("kind", "a=b")));
        assert_eq!([named("rain"), named("'a=b'"), named("1=1"), named("=x")], [None; 4]);
    }
}
