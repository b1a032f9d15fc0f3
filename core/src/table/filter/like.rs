//! Patterns of `LIKE`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::expression::LikeKind;
use super::text::{change_case, character};

/// A compiled pattern.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    ignores_case: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Exactly these bytes.
    Text(Vec<u8>),
    /// `_`
    One,
    /// `%`
    Any,
}

impl Pattern {
    /// Compiles; the error says what is wrong with the escapes.
    pub(super) fn new(pattern: &str, kind: LikeKind) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            let plain = if kind.escape == Some(c) {
                match chars.next() {
                    Some(next) if matches!(next, '%' | '_') || kind.escape == Some(next) => next,
                    _ => return Err(format!("after the escape '{c}' only %, _ and itself can follow")),
                }
            } else if c == '%' {
                if parts.last() != Some(&Part::Any) {
                    parts.push(Part::Any);
                }
                continue;
            } else if c == '_' {
                parts.push(Part::One);
                continue;
            } else {
                c
            };
            if !matches!(parts.last(), Some(Part::Text(_))) {
                parts.push(Part::Text(Vec::new()));
            }
            if let Some(Part::Text(text)) = parts.last_mut() {
                let mut bytes = [0; 4];
                let bytes = plain.encode_utf8(&mut bytes).as_bytes();
                if kind.ignores_case {
                    change_case(bytes, text, char::to_lowercase);
                } else {
                    text.extend_from_slice(bytes);
                }
            }
        }
        Ok(Pattern { parts, ignores_case: kind.ignores_case })
    }

    /// Whether the whole text matches. `scratch` is for the text in lower case.
    pub(super) fn matches(&self, text: &[u8], scratch: &mut Vec<u8>) -> bool {
        if !self.ignores_case {
            return self.matches_exactly(text);
        }
        scratch.clear();
        change_case(text, scratch, char::to_lowercase);
        self.matches_exactly(scratch)
    }

    /// Only the last `%` is ever tried again, so the time is at most the product of both lengths.
    fn matches_exactly(&self, text: &[u8]) -> bool {
        let mut at = 0;
        let mut part = 0;
        let mut retry = None;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            let step = match self.parts.get(part) {
                None if rest.is_empty() => return true,
                None => None,
                Some(Part::Any) => {
                    if part + 1 == self.parts.len() {
                        return true;
                    }
                    retry = Some((part + 1, at));
                    Some(0)
                }
                Some(Part::One) => (!rest.is_empty()).then(|| character(rest)),
                Some(Part::Text(wanted)) => rest.starts_with(wanted).then_some(wanted.len()),
            };
            match (step, retry) {
                (Some(bytes), _) => {
                    at += bytes;
                    part += 1;
                }
                (None, Some((after, from))) if from < text.len() => {
                    at = from + character(text.get(from..).unwrap_or_default());
                    part = after;
                    retry = Some((after, at));
                }
                _ => return false,
            }
        }
    }
}
