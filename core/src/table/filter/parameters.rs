//! Values that are given beside the text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::invalid;
use super::value::Value;
use crate::error::Result;

/// The values of `?`, `$1` and `:name`.
///
/// ```
/// use recask_core::table::filter::{Parameters, Value};
/// let by_position = Parameters::from([Value::from(60), Value::from("AA")]);
/// let by_name = Parameters::new().with("carrier", "AA");
/// # let _ = (by_position, by_name);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    positional: Vec<Value>,
    named: Vec<(String, Value)>,
}

impl Parameters {
    /// No values.
    #[must_use]
    pub fn new() -> Self {
        Parameters::default()
    }

    /// Adds the value of `:name`. A later one of the same name counts.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.named.push((name.into(), value.into()));
        self
    }

    /// Adds the next value of `?` and `$1`, `$2`, ….
    #[must_use]
    pub fn push(mut self, value: impl Into<Value>) -> Self {
        self.positional.push(value.into());
        self
    }

    pub(super) fn positional(&self, from_one: usize) -> Option<&Value> {
        self.positional.get(from_one.checked_sub(1)?)
    }

    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.named.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A value too many is a mistake as likely as one too few.
    pub(super) fn check_all_used(&self, highest: usize) -> Result<()> {
        let given = self.positional.len();
        if highest < given {
            return Err(invalid(format!("{given} parameters are given, the filter uses {highest}"), None));
        }
        Ok(())
    }
}

impl<const N: usize> From<[Value; N]> for Parameters {
    fn from(values: [Value; N]) -> Self {
        Parameters { positional: values.into(), named: Vec::new() }
    }
}

impl From<Vec<Value>> for Parameters {
    fn from(positional: Vec<Value>) -> Self {
        Parameters { positional, named: Vec::new() }
    }
}

impl From<&[Value]> for Parameters {
    fn from(values: &[Value]) -> Self {
        Parameters { positional: values.to_vec(), named: Vec::new() }
    }
}
