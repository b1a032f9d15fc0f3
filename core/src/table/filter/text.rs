//! Texts of columns and constants, row by row as UTF-8.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::block::Block;
use super::source::{Native, Source};
use crate::dtype::ByteOrder;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Text {
    Constant(String),
    Column(Source),
    Lower(Box<Text>),
    Upper(Box<Text>),
}

impl Text {
    /// Calls with the row, from 0, and its text without trailing NULs.
    ///
    /// Columns of bytes are taken as UTF-8; what is not stays as it is. Code points that are no characters come as
    /// U+FFFD.
    pub(super) fn for_each(&self, block: &Block<'_>, mut call: impl FnMut(usize, &[u8])) {
        match self {
            Text::Constant(text) => (0..block.rows).for_each(|row| call(row, text.as_bytes())),
            Text::Column(source) if source.width == 0 => (0..block.rows).for_each(|row| call(row, b"")),
            Text::Column(source) if source.native == Native::Bytes => {
                for (row, value) in block.bytes(*source).chunks_exact(source.width).enumerate() {
                    call(row, trimmed(value));
                }
            }
            Text::Column(source) => {
                let mut text = Vec::new();
                for (row, value) in block.bytes(*source).chunks_exact(source.width).enumerate() {
                    text.clear();
                    for unit in value.as_chunks::<4>().0 {
                        let code = if source.order == ByteOrder::Big {
                            u32::from_be_bytes(*unit)
                        } else {
                            u32::from_le_bytes(*unit)
                        };
                        let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                        text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    call(row, trimmed(&text));
                }
            }
            Text::Lower(inner) => {
                let mut text = Vec::new();
                inner.for_each_dyn(block, &mut |row, value| {
                    text.clear();
                    change_case(value, &mut text, char::to_lowercase);
                    call(row, &text);
                });
            }
            Text::Upper(inner) => {
                let mut text = Vec::new();
                inner.for_each_dyn(block, &mut |row, value| {
                    text.clear();
                    change_case(value, &mut text, char::to_uppercase);
                    call(row, &text);
                });
            }
        }
    }
    /// Keeps nested functions from making a new loop for each nesting.
    fn for_each_dyn(&self, block: &Block<'_>, call: &mut dyn FnMut(usize, &[u8])) {
        self.for_each(block, |row, text| call(row, text));
    }

    /// The text, where it is the same in every row.
    pub(super) fn folded(self) -> Text {
        let fold =
            |inner: Box<Text>, wrap: fn(Box<Text>) -> Text, change: &dyn Fn(&str) -> String| match *inner {
                Text::Constant(text) => Text::Constant(change(&text)),
                other => wrap(Box::new(other)),
            };
        match self {
            Text::Lower(inner) => {
                fold(inner, Text::Lower, &|text| text.chars().flat_map(char::to_lowercase).collect())
            }
            Text::Upper(inner) => {
                fold(inner, Text::Upper, &|text| text.chars().flat_map(char::to_uppercase).collect())
            }
            other => other,
        }
    }
}

/// How many characters a text has; a byte that is part of none counts as one.
pub(super) fn length(mut text: &[u8]) -> usize {
    let mut count = 0;
    while !text.is_empty() {
        text = text.get(character(text)..).unwrap_or_default();
        count += 1;
    }
    count
}

/// The bytes of the first character.
pub(super) fn character(text: &[u8]) -> usize {
    let bytes = match text.first() {
        Some(0xc2..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf4) => 4,
        _ => return 1,
    };
    let is_character = text.get(..bytes).is_some_and(|first| core::str::from_utf8(first).is_ok());
    if is_character { bytes } else { 1 }
}

/// NumPy's texts end before their trailing NULs.
pub(super) fn trimmed(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

/// Appends the text with each character changed; bytes that are none stay.
pub(super) fn change_case<I: Iterator<Item = char>>(
    text: &[u8],
    out: &mut Vec<u8>,
    change: impl Fn(char) -> I,
) {
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars().flat_map(&change) {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
}
