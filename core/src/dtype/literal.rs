//! Any spelling of a type: one scalar, a list separated by commas, or the literal of a structure in the syntax of
//! Python or JSON.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::excerpt::excerpt;
use super::structure::{FieldSpec, MAX_DEPTH, MAX_FIELDS, invalid, too_deep};
use super::{DType, typestr};
use crate::error::Result;
use crate::shape::Shape;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<DType> {
    let trimmed = text.trim();
    if trimmed.starts_with('[') {
        let mut literal = Literal { text: trimmed, rest: trimmed };
        let dtype = literal.structure(1)?;
        return if literal.rest.is_empty() { Ok(dtype) } else { Err(literal.unexpected("the end")) };
    }
    if has_top_level_comma(text) {
        return list(text);
    }
    if text.starts_with(|c: char| c == '(' || c.is_ascii_digit()) {
        return Err(invalid(format!(
            "the dtype '{}' is a sub-array, which only a field can be: give its extents as the item shape",
            excerpt(text)
        )));
    }
    typestr::parse(text).map(DType::scalar)
}

/// `f4, (2,3)i2, 5S3`: fields named `f0`, `f1`, ….
fn list(text: &str) -> Result<DType> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.trim().is_empty() {
        if parts.len() == MAX_FIELDS {
            return Err(invalid(format!("the structure has more than {MAX_FIELDS} fields")));
        }
        let (part, after) = top_level_comma(rest).map_or((rest, ""), |at| {
            let (part, after) = rest.split_at(at);
            (part, after.get(1..).unwrap_or_default())
        });
        let (shape, dtype) = repeated(part.trim())?;
        parts.push(FieldSpec::new("", dtype).shape(shape));
        rest = after;
    }
    DType::structure(parts)
}

/// `(2,3)f4` or `3f4`: a scalar with the extents of a sub-array before it.
fn repeated(text: &str) -> Result<(Shape, DType)> {
    let mut literal = Literal { text, rest: text };
    let shape = if text.starts_with(|c: char| c == '(' || c.is_ascii_digit()) {
        literal.shape()?
    } else {
        Shape::scalar()
    };
    Ok((shape, typestr::parse(literal.rest).map(DType::scalar)?))
}

fn has_top_level_comma(text: &str) -> bool {
    top_level_comma(text).is_some()
}

fn top_level_comma(text: &str) -> Option<usize> {
    let mut open = 0u32;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => open = open.saturating_add(1),
            b')' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        byte == b',' && open == 0
    })
}

/// The literal that is read, and what is left of it.
struct Literal<'a> {
    text: &'a str,
    rest: &'a str,
}

impl Literal<'_> {
    /// `[field, …]`
    fn structure(&mut self, depth: usize) -> Result<DType> {
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let mut fields = Vec::new();
        self.expect('[')?;
        while !self.take(']') {
            if fields.len() == MAX_FIELDS {
                return Err(invalid(format!("the structure has more than {MAX_FIELDS} fields")));
            }
            fields.push(self.field(depth)?);
            self.separator(']')?;
        }
        DType::structure(fields)
    }

    /// `(name, type)` or `(name, type, shape)`
    fn field(&mut self, depth: usize) -> Result<FieldSpec> {
        let close = self.open("a field")?;
        let (title, name) = self.name()?;
        self.expect(',')?;
        let (inner, dtype) = if self.peek('[') {
            (Shape::scalar(), self.structure(depth + 1)?)
        } else {
            repeated(&self.string("a type")?)?
        };
        self.separator(close)?;
        let mut shape = inner;
        if !self.take(close) {
            let outer = self.shape()?;
            if shape.rank() > 0 && outer.rank() > 0 {
                return Err(invalid(format!(
                    "field '{}' is a sub-array of sub-arrays: give one shape",
                    excerpt(&name)
                )));
            }
            shape = if outer.rank() > 0 { outer } else { shape };
            self.separator(close)?;
            self.expect(close)?;
        }
        Ok(FieldSpec::from_descr(name, title, dtype, shape))
    }

    /// `'name'` or `('title', 'name')`
    fn name(&mut self) -> Result<(Option<String>, String)> {
        if !self.peek('(') && !self.peek('[') {
            return Ok((None, self.string("a field name")?));
        }
        let close = self.open("a title and a name")?;
        let title = self.string("a title")?;
        self.expect(',')?;
        let name = self.string("a field name")?;
        self.separator(close)?;
        self.expect(close)?;
        Ok((Some(title), name))
    }

    /// `3`, `(2, 3)` or `[2, 3]`
    fn shape(&mut self) -> Result<Shape> {
        if self.rest.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Shape::from([self.extent()?]));
        }
        let close = self.open("a shape")?;
        let mut extents = Vec::new();
        while !self.take(close) {
            extents.push(self.extent()?);
            self.separator(close)?;
        }
        Ok(Shape::from(extents))
    }

    fn extent(&mut self) -> Result<u64> {
        self.rest = self.rest.trim_start();
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (extent, rest) = self.rest.split_at(digits);
        match extent.parse() {
            Ok(extent) => {
                self.rest = rest;
                Ok(extent)
            }
            Err(_) => Err(self.unexpected("an extent below 2^64")),
        }
    }

    /// A string in single or double quotes, with the escapes that Python and JSON share, and Python's `\x`.
    fn string(&mut self, wanted: &str) -> Result<String> {
        self.rest = self.rest.trim_start();
        let mut chars = self.rest.chars();
        let Some(quote @ ('\'' | '"')) = chars.next() else {
            return Err(self.unexpected(wanted));
        };
        let mut string = String::new();
        loop {
            let c = match chars.next() {
                Some('\\') => escape(&mut chars),
                Some(c) if c == quote => break,
                other => other,
            };
            match c {
                Some(c) => string.push(c),
                None => return Err(self.unexpected(wanted)),
            }
        }
        self.rest = chars.as_str();
        Ok(string)
    }

    /// An opening bracket; answers the closing one.
    fn open(&mut self, wanted: &str) -> Result<char> {
        if self.take('(') {
            Ok(')')
        } else if self.take('[') {
            Ok(']')
        } else {
            Err(self.unexpected(wanted))
        }
    }

    /// A comma, which may be missing before `close`.
    fn separator(&mut self, close: char) -> Result<()> {
        if self.take(',') || self.peek(close) { Ok(()) } else { Err(self.unexpected("a comma")) }
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(&format!("'{wanted}'"))) }
    }

    fn take(&mut self, wanted: char) -> bool {
        match self.rest.trim_start().strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn peek(&self, wanted: char) -> bool {
        self.rest.trim_start().starts_with(wanted)
    }

    fn unexpected(&self, wanted: &str) -> crate::Error {
        let at = self.text.len() - self.rest.trim_start().len();
        invalid(format!("the dtype cannot be read at byte {at}: {wanted} is expected there"))
    }
}

fn escape(chars: &mut core::str::Chars<'_>) -> Option<char> {
    match chars.next()? {
        c @ ('\\' | '\'' | '"' | '/') => Some(c),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'x' => char::from_u32(hex(chars, 2)?),
        'U' => char::from_u32(hex(chars, 8)?),
        'u' => match hex(chars, 4)? {
            // JSON writes characters beyond 16 bits as two halves.
            high @ 0xd800..=0xdbff => {
                if (chars.next()?, chars.next()?) != ('\\', 'u') {
                    return None;
                }
                let low = hex(chars, 4)?;
                char::decode_utf16([u16::try_from(high).ok()?, u16::try_from(low).ok()?]).next()?.ok()
            }
            code => char::from_u32(code),
        },
        _ => None,
    }
}

fn hex(chars: &mut core::str::Chars<'_>, digits: u32) -> Option<u32> {
    (0..digits).try_fold(0u32, |value, _| Some((value << 4) | chars.next()?.to_digit(16)?))
}
