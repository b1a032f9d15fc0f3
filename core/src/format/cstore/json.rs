//! JSON as CPython reads and writes it.
//!
//! The manifest's checksum is over the text that Python would write for the parsed value, so this keeps what other
//! parsers drop: lone surrogates, integers of any length, the order of keys, and floats in Python's spelling.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::encoding::decode;
use super::text::Text;

/// How deep values may nest.
const MAX_DEPTH: usize = 64;
/// How many values a document may have; together with the size of its text this bounds the memory of a parse.
const MAX_VALUES: usize = 1 << 22;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without fraction and exponent, of any length, as its decimal digits.
    Integer(String),
    /// Any other number; also `NaN`, `Infinity` and `-Infinity`, which Python has.
    Float(f64),
    /// A string.
    String(Text),
    /// A list.
    Array(Vec<Json>),
    /// Keys and values in the order in which the keys came first; every key once, with the value that came last.
    Object(Vec<(Text, Json)>),
}

impl Json {
    /// Reads a document in UTF-8, UTF-16 or UTF-32; the encoding is found as Python finds it.
    ///
    /// # Errors
    /// The byte at which it went wrong (counted in UTF-8) and the reason.
    pub fn parse(bytes: &[u8]) -> Result<Self, (usize, &'static str)> {
        let text = decode(bytes)?;
        let mut parser = Parser { text: &text, at: 0, values: 0 };
        parser.document().map_err(|reason| (parser.at, reason))
    }

    /// Appends the text that `json.dumps` gives, with sorted keys where `sorted`.
    pub fn write(&self, sorted: bool, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Integer(digits) => out.push_str(digits),
            Json::Float(value) => write_float(*value, out),
            Json::String(text) => write_string(text, out),
            Json::Array(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    separate(position, out);
                    item.write(sorted, out);
                }
                out.push(']');
            }
            Json::Object(members) if sorted => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                write_object(members.into_iter(), sorted, out);
            }
            Json::Object(members) => write_object(members.iter(), sorted, out),
        }
    }

    /// The value of a key, where this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(name, _)| name.is_unicode() && name.as_str() == key).map(|(_, value)| value)
    }

    /// Whether Python takes it for equal to `integer`: `1`, `1.0` and `true` all equal 1.
    #[must_use]
    pub fn equals_integer(&self, integer: u32) -> bool {
        match self {
            Json::Bool(value) => u32::from(*value) == integer,
            Json::Integer(digits) => digits.parse() == Ok(integer),
            Json::Float(value) => value.total_cmp(&f64::from(integer)).is_eq(),
            _ => false,
        }
    }
}

fn write_object<'a>(members: impl Iterator<Item = &'a (Text, Json)>, sorted: bool, out: &mut String) {
    out.push('{');
    for (position, (key, value)) in members.enumerate() {
        separate(position, out);
        write_string(key, out);
        out.push_str(": ");
        value.write(sorted, out);
    }
    out.push('}');
}

fn separate(position: usize, out: &mut String) {
    if position > 0 {
        out.push_str(", ");
    }
}

fn write_string(text: &Text, out: &mut String) {
    out.push('"');
    for point in text.code_points() {
        match char::from_u32(point) {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(character @ ' '..='~') => out.push(character),
            Some(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    escape(u32::from(*unit), out);
                }
            }
            None => escape(point, out),
        }
    }
    out.push('"');
}

pub(super) fn escape(unit: u32, out: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(out, "\\u{unit:04x}");
}

/// Python's `repr`: the shortest digits that read back, without an exponent from 1e-4 up to 1e16.
fn write_float(value: f64, out: &mut String) {
    if value.is_nan() {
        return out.push_str("NaN");
    }
    if value.is_infinite() {
        return out.push_str(if value < 0.0 { "-Infinity" } else { "Infinity" });
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = value.to_string();
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    values: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl<'a> Parser<'a> {
    fn document(&mut self) -> Parsed<Json> {
        let value = self.value(0)?;
        self.skip_space();
        if self.peek().is_some() { Err("more text follows the value") } else { Ok(value) }
    }

    fn value(&mut self, depth: usize) -> Parsed<Json> {
        if depth > MAX_DEPTH {
            return Err("values nest too deep");
        }
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err("there are too many values");
        }
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Parsed<Json> {
        self.at += 1;
        let mut members: Vec<(Text, Json)> = Vec::new();
        let mut positions = BTreeMap::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                return Err("a key in double quotes is expected");
            }
            let key = self.string()?;
            self.skip_space();
            self.expect(b':', "a colon is expected")?;
            let value = self.value(depth + 1)?;
            match positions.get(&key).and_then(|&position: &usize| members.get_mut(position)) {
                Some((_, earlier)) => *earlier = value,
                None => {
                    positions.insert(key.clone(), members.len());
                    members.push((key, value));
                }
            }
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            self.expect(b',', "a comma or a closing brace is expected")?;
        }
    }

    fn array(&mut self, depth: usize) -> Parsed<Json> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            self.expect(b',', "a comma or a closing bracket is expected")?;
        }
    }

    fn string(&mut self) -> Parsed<Text> {
        const OPEN: &str = "a string has no end";
        self.at += 1;
        let mut text = Text::default();
        loop {
            let rest = self.rest();
            let plain = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < b' ').ok_or(OPEN)?;
            let (before, _) = rest.split_at_checked(plain).ok_or(OPEN)?;
            text.push_str(before);
            self.at += plain;
            if self.take(b'"') {
                return Ok(text);
            }
            self.expect(b'\\', "a control character stands in a string")?;
            let unit = match self.peek().ok_or(OPEN)? {
                b'b' => 8,
                b'f' => 12,
                b'n' => 10,
                b'r' => 13,
                b't' => 9,
                b'u' => self.hexadecimal()?,
                mark @ (b'"' | b'\\' | b'/') => u16::from(mark),
                _ => return Err("an escape has no meaning"),
            };
            self.at += 1;
            text.push_unit(unit);
        }
    }

    /// The unit of `\u1234`; ends on its last digit.
    fn hexadecimal(&mut self) -> Parsed<u16> {
        let digits = self.rest().get(1..5).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        self.at += 4;
        digits
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
            .ok_or("four hexadecimal digits are expected")
    }

    fn number(&mut self) -> Parsed<Json> {
        const WRONG: &str = "a number is malformed";
        if self.rest().starts_with("-I") {
            return self.word();
        }
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
        } else if self.digits() == 0 {
            return Err(WRONG);
        }
        let whole_end = self.at;
        if self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit) && self.take(b'.') {
            self.digits();
        }
        let before_exponent = self.at;
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                self.at = before_exponent;
            }
        }
        let text = self.text.get(start..self.at).ok_or(WRONG)?;
        if self.at == whole_end {
            return Ok(Json::Integer(if text == "-0" { "0" } else { text }.into()));
        }
        text.parse().map(Json::Float).map_err(|_| WRONG)
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += count;
        count
    }

    fn word(&mut self) -> Parsed<Json> {
        let words = [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
            ("NaN", Json::Float(f64::NAN)),
            ("Infinity", Json::Float(f64::INFINITY)),
            ("-Infinity", Json::Float(f64::NEG_INFINITY)),
        ];
        let rest = self.rest();
        let (word, value) =
            words.into_iter().find(|(word, _)| rest.starts_with(word)).ok_or("a value is expected")?;
        self.at += word.len();
        Ok(value)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, reason: &'static str) -> Parsed<()> {
        if self.take(byte) { Ok(()) } else { Err(reason) }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    fn rewritten(text: &str) -> String {
        let mut out = String::new();
        Json::parse(text.as_bytes()).unwrap().write(true, &mut out);
        out
    }

    #[test]
    fn values_are_written_as_python_writes_them() {
        // Each right side is json.dumps(json.loads(left), sort_keys=True) of CPython 3.11.
        for (text, expected) in [
            (r#" { "b" : [ ] , "a" : { } } "#, r#"{"a": {}, "b": []}"#),
            (r#"{"a":1,"b":2,"a":[null,true,false]}"#, r#"{"a": [null, true, false], "b": 2}"#),
            (r#""\/\u00e9\ud83d\ude00\u007f""#, r#""/\u00e9\ud83d\ude00\u007f""#),
            ("\"\u{e9}\u{1f600}\"", r#""\u00e9\ud83d\ude00""#),
            (r#"["\ud800", "\ud800\ud800\udc00"]"#, r#"["\ud800", "\ud800\ud800\udc00"]"#),
            (r#"["\b\f\n\r\t\"\\"]"#, r#"["\b\f\n\r\t\"\\"]"#),
            (
                "[1.0, 1e15, 1e16, 0.0001, 0.00001, 1.5e300, -0.0]",
                "[1.0, 1000000000000000.0, 1e+16, 0.0001, 1e-05, 1.5e+300, -0.0]",
            ),
            (
                "[5e-324, 0.1, 123456789.123, 1E400, NaN, -Infinity]",
                "[5e-324, 0.1, 123456789.123, Infinity, NaN, -Infinity]",
            ),
            ("[-0, 123456789012345678901234567890]", "[0, 123456789012345678901234567890]"),
        ] {
            assert_eq!(rewritten(text), expected, "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\"}",
            "{a:1}",
            "01",
            "-",
            "1.",
            "1.e5",
            "\"",
            "\"\\u12\"",
            "\"\\x\"",
            "\"\\ud800\\udc\"",
            "\"\n\"",
            "[1] 2",
            "nul",
            "+1",
            "1e",
            "'a'",
            "{\"a\":1,}",
        ] {
            assert!(Json::parse(text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(Json::parse(b"\"\xff\"").is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert!(Json::parse(nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(Json::parse(nested(100_000).as_bytes()).is_err());
    }
}
