//! Tests of the filter language.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Batch, Columns, Expr, Filter, Parameters};
use crate::dtype::DType;
use crate::error::{Code, Result};

mod agreement;
mod exactness;
mod extremes;
mod hostile;
mod mistakes;
mod property;
mod semantics;
mod texts;
mod times;

/// A table in memory.
#[derive(Default)]
struct Table {
    schema: Vec<(String, DType)>,
    data: Vec<Vec<u8>>,
    rows: usize,
}

impl Table {
    /// Adds a column from its values as bytes.
    fn with<const N: usize>(
        self,
        name: &str,
        dtype: &str,
        values: impl IntoIterator<Item = [u8; N]>,
    ) -> Self {
        let values: Vec<[u8; N]> = values.into_iter().collect();
        self.with_bytes(name, dtype, values.len(), values.concat())
    }

    fn with_bytes(mut self, name: &str, dtype: &str, rows: usize, bytes: Vec<u8>) -> Self {
        self.schema.push((name.into(), DType::parse(dtype).unwrap()));
        self.data.push(bytes);
        self.rows = rows;
        self
    }

    /// Adds a column of byte strings, padded.
    fn with_texts(self, name: &str, width: usize, values: &[&[u8]]) -> Self {
        let mut bytes = Vec::new();
        for value in values {
            let end = bytes.len() + width;
            bytes.extend_from_slice(value);
            bytes.resize(end, 0);
        }
        self.with_bytes(name, &alloc::format!("S{width}"), values.len(), bytes)
    }

    /// Adds a column of unicode strings.
    fn with_unicode(self, name: &str, width: usize, is_big: bool, values: &[&str]) -> Self {
        let mut bytes = Vec::new();
        for value in values {
            let end = bytes.len() + width * 4;
            let encode =
                |c: char| if is_big { u32::from(c).to_be_bytes() } else { u32::from(c).to_le_bytes() };
            bytes.extend(value.chars().flat_map(encode));
            bytes.resize(end, 0);
        }
        let order = if is_big { '>' } else { '<' };
        self.with_bytes(name, &alloc::format!("{order}U{width}"), values.len(), bytes)
    }

    fn filter(&self, text: &str) -> Result<Filter> {
        Filter::parse(text, self.schema.as_slice())
    }

    /// The mask as digits: `101`. The printed filter has to be the same one.
    fn mask(&self, text: &str) -> String {
        self.digits(&self.filter(text).unwrap_or_else(|error| panic!("{text}: {error}")))
    }

    fn built(&self, expr: Expr) -> String {
        self.digits(&Filter::new(expr, self.schema.as_slice()).unwrap())
    }

    fn with_parameters(&self, text: &str, parameters: &Parameters) -> Result<String> {
        Filter::with_parameters(text, self.schema.as_slice(), parameters).map(|filter| self.digits(&filter))
    }

    fn digits(&self, filter: &Filter) -> String {
        let printed = alloc::format!("{filter}");
        let again = self.filter(&printed).unwrap_or_else(|error| panic!("{printed}: {error}"));
        let mask = self.evaluate(filter);
        assert_eq!(alloc::format!("{again}"), printed);
        assert_eq!(mask, self.evaluate(&again), "{printed}");
        mask.into_iter().map(|passes| if passes { '1' } else { '0' }).collect()
    }

    fn evaluate(&self, filter: &Filter) -> Vec<bool> {
        let mut mask = Vec::new();
        filter.evaluate(self, &mut mask).unwrap();
        mask
    }

    fn mistake(&self, text: &str) -> String {
        let error = self.filter(text).expect_err(text);
        assert_eq!(error.code(), Code::InvalidFilter);
        error.message().into()
    }
}

impl Batch for Table {
    fn rows(&self) -> usize {
        self.rows
    }

    fn column(&self, index: usize) -> &[u8] {
        &self.data[index]
    }
}

fn position(table: &Table, name: &str) -> usize {
    table.schema.as_slice().position(name).unwrap()
}
