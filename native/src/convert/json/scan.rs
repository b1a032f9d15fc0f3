//! The first pass: what every field holds.

use std::collections::BTreeMap;
use std::path::Path;

use recask_core::{Code, DType, Error, Result};
use serde_json::{Map, Number, Value};

use super::super::problem::Site;
use super::super::reading::Meter;
use super::encode::{is_float_name, widen};
use super::lines::Lines;
use crate::Progress;

/// Each field has a store open while lines are copied.
const MAX_FIELDS: usize = 100;
/// Every text in a list gets the width of the widest one.
const MAX_TEXT: usize = 4096;

/// A field of the source.
#[derive(Clone, Debug)]
pub(in super::super) struct Field {
    pub(in super::super) name: String,
    pub(in super::super) kind: FieldType,
    pub(in super::super) records: u64,
    /// Of all records in the store, before compression.
    pub(super) bytes: u64,
}

/// How a field is stored.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum FieldType {
    /// Dense scalars.
    Scalar(DType),
    /// Ragged UTF-8.
    Text,
    /// Ragged arrays.
    List(DType),
}

/// Finds the fields, or checks the wanted ones, sorted by name.
pub(in super::super) fn scan(
    source: &Path,
    wanted: Option<&[String]>,
    progress: &dyn Progress,
) -> Result<Vec<Field>> {
    let mut lines = Lines::open(source, Meter::default())?;
    let mut found: BTreeMap<String, Found> = BTreeMap::new();
    let mut first = true;
    while let Some(object) = lines.next(progress)? {
        if first {
            first = false;
            let names: Vec<String> =
                wanted.map_or_else(|| object.keys().cloned().collect(), <[String]>::to_vec);
            if names.len() > MAX_FIELDS {
                let text = format!("there are {} fields; choose at most {MAX_FIELDS}", names.len());
                return Err(Error::new(Code::TooLarge, text));
            }
            found.extend(names.into_iter().map(|name| (name, Found::default())));
        }
        if wanted.is_none() {
            refuse_new_fields(&lines, &object, &found)?;
        }
        for (name, found) in &mut found {
            let value = lines.field(&object, name)?;
            found.see(value, lines.number()).map_err(|reason| lines.wrong(name, &reason))?;
        }
    }
    lines.report(progress)?;
    let site = Site::file(source);
    if found.is_empty() {
        return Err(site.invalid("there are no lines with fields, so no types to make stores of"));
    }
    let fields = found.into_iter().map(|(name, found)| {
        let kind = found.kind().map_err(|reason| site.invalid(format_args!("field {name:?} {reason}")))?;
        let bytes = match &kind {
            FieldType::Text => found.text_bytes,
            other => found.leaves.saturating_mul(other.dtype().itemsize()),
        };
        Ok(Field { name, kind, records: found.records, bytes })
    });
    fields.collect()
}

fn refuse_new_fields(
    lines: &Lines,
    object: &Map<String, Value>,
    known: &BTreeMap<String, Found>,
) -> Result<()> {
    match object.keys().find(|name| !known.contains_key(*name)) {
        Some(name) => Err(lines.wrong(
            name,
            "is not in the first line; every line needs the same fields, or choose those to take",
        )),
        None => Ok(()),
    }
}

/// What was seen in a field, each with the first line that has it.
#[derive(Default)]
struct Found {
    records: u64,
    leaves: u64,
    scalars: Option<u64>,
    lists: Option<u64>,
    integers: Option<u64>,
    negative: Option<u64>,
    /// Beyond `i64`.
    huge: Option<u64>,
    /// Integers that no `f64` is equal to.
    inexact: Option<u64>,
    floats: Option<u64>,
    bools: Option<u64>,
    texts: Option<u64>,
    /// Texts that name a float which JSON cannot write.
    float_names: Option<u64>,
    /// In characters.
    widest: usize,
    text_bytes: u64,
}

impl Found {
    fn see(&mut self, value: &Value, line: u64) -> Result<(), String> {
        self.records += 1;
        let form = if value.is_array() { &mut self.lists } else { &mut self.scalars };
        form.get_or_insert(line);
        self.see_leaves(value, line)
    }

    fn see_leaves(&mut self, value: &Value, line: u64) -> Result<(), String> {
        match value {
            Value::Array(list) => return list.iter().try_for_each(|value| self.see_leaves(value, line)),
            Value::Null => return Err("has a null in a list; every element needs a value".to_owned()),
            Value::Object(_) => {
                return Err("holds an object, which no array can; choose the other fields".to_owned());
            }
            Value::Bool(_) => _ = self.bools.get_or_insert(line),
            Value::Number(number) => self.see_number(number, line),
            Value::String(text) => {
                self.widest = self.widest.max(text.chars().count());
                self.text_bytes = self.text_bytes.saturating_add(text.len() as u64);
                let seen = if is_float_name(text) { &mut self.float_names } else { &mut self.texts };
                seen.get_or_insert(line);
            }
        }
        self.leaves += 1;
        Ok(())
    }

    fn see_number(&mut self, number: &Number, line: u64) {
        let Some(integer) = widen(number) else {
            self.floats.get_or_insert(line);
            return;
        };
        self.integers.get_or_insert(line);
        if integer < 0 {
            self.negative.get_or_insert(line);
        }
        if integer > i128::from(i64::MAX) {
            self.huge.get_or_insert(line);
        }
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            reason = "this is the question"
        )]
        if integer as f64 as i128 != integer {
            self.inexact.get_or_insert(line);
        }
    }

    fn kind(&self) -> Result<FieldType, String> {
        let both = |a: Option<u64>, what_a: &str, b: Option<u64>, what_b: &str| match (a, b) {
            (Some(a), Some(b)) => Err(format!(
                "has {what_a} at line {a} and {what_b} at line {b}; a stream holds one kind of value"
            )),
            _ => Ok(()),
        };
        both(self.scalars, "a single value", self.lists, "a list")?;
        let numbers = self.floats.or(self.integers);
        both(numbers, "a number", self.texts, "text")?;
        both(numbers, "a number", self.bools, "a bool")?;
        both(self.texts.or(self.float_names), "text", self.bools, "a bool")?;
        let dtype = if self.floats.is_some() || (numbers.is_some() && self.float_names.is_some()) {
            both(
                self.inexact,
                "an integer that no float equals",
                self.floats.or(self.float_names),
                "a float",
            )?;
            DType::F64
        } else if self.integers.is_some() {
            both(self.huge, "an integer beyond 63 bits", self.negative, "a negative one")?;
            if self.huge.is_some() { DType::U64 } else { DType::I64 }
        } else if self.bools.is_some() {
            DType::BOOL
        } else if self.texts.or(self.float_names).is_none() {
            return Err("has only empty lists; a record needs at least one element".to_owned());
        } else if self.scalars.is_some() {
            return Ok(FieldType::Text);
        } else {
            if self.widest > MAX_TEXT {
                return Err(format!(
                    "has a text of {} characters in a list; at most {MAX_TEXT} are possible there",
                    self.widest
                ));
            }
            let width = u32::try_from(self.widest.max(1)).unwrap_or(u32::MAX);
            DType::text(width).map_err(|error| error.message().to_owned())?
        };
        Ok(if self.lists.is_some() { FieldType::List(dtype) } else { FieldType::Scalar(dtype) })
    }
}
