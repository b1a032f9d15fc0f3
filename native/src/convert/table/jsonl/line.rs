//! One line, with its keys in their order.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

/// The keys and values of an object, in their order.
pub(super) struct Line(pub(super) Vec<(String, Value)>);

impl Line {
    /// Where a key is, looked for from position `from` on and then from the start: keys mostly follow each other.
    pub(super) fn find(&self, key: &str, from: usize) -> Option<usize> {
        let (before, behind) = self.0.split_at_checked(from)?;
        let position = |part: &[(String, Value)]| part.iter().position(|(name, _)| name == key);
        position(behind).map(|at| from + at).or_else(|| position(before))
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let mut line = Line(Vec::new());
        while let Some(entry) = map.next_entry()? {
            line.0.push(entry);
        }
        let mut keys = HashSet::with_capacity(line.0.len());
        if let Some((key, _)) = line.0.iter().find(|(key, _)| !keys.insert(key.as_str())) {
            return Err(A::Error::custom(format_args!("the key {key:?} is there twice")));
        }
        Ok(line)
    }
}
