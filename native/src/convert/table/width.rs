//! Text and byte strings of any length in columns of a fixed width.

use recask_core::{DType, Result};

/// How text becomes a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextAs {
    /// `<U{width}`: four bytes for each character, as NumPy keeps text.
    #[default]
    Unicode,
    /// `|S{width}`: UTF-8, where the width counts bytes.
    Utf8,
}

impl TextAs {
    /// What the width of a text is counted in: characters or bytes.
    pub(crate) fn len(self, text: &str) -> usize {
        match self {
            TextAs::Unicode => text.chars().count(),
            TextAs::Utf8 => text.len(),
        }
    }

    /// The column that holds texts of this width; the narrowest has one character.
    pub(crate) fn dtype(self, width: usize) -> Result<DType> {
        match self {
            TextAs::Unicode => DType::text(checked(width)),
            TextAs::Utf8 => bytes_dtype(width),
        }
    }

    /// Appends a text as a value of `width` characters or bytes.
    pub(crate) fn push(self, text: &str, width: usize, out: &mut Vec<u8>) -> Result<(), String> {
        match self {
            TextAs::Utf8 => push_bytes(text.as_bytes(), width, out),
            TextAs::Unicode => {
                let start = out.len();
                if text.is_ascii() {
                    fits(text.len(), width, "characters")?;
                    out.extend(text.bytes().flat_map(|byte| [byte, 0, 0, 0]));
                } else {
                    fits(text.chars().count(), width, "characters")?;
                    out.extend(text.chars().flat_map(|character| u32::from(character).to_le_bytes()));
                }
                refuse_last_zero(text.as_bytes())?;
                out.resize(start + width * 4, 0);
                Ok(())
            }
        }
    }
}

/// The column that holds byte strings of this width; the narrowest has one byte.
pub(crate) fn bytes_dtype(width: usize) -> Result<DType> {
    DType::bytes(checked(width))
}

/// Appends a byte string as a value of `width` bytes.
pub(crate) fn push_bytes(bytes: &[u8], width: usize, out: &mut Vec<u8>) -> Result<(), String> {
    fits(bytes.len(), width, "bytes")?;
    refuse_last_zero(bytes)?;
    let start = out.len();
    out.extend_from_slice(bytes);
    out.resize(start + width, 0);
    Ok(())
}

fn fits(len: usize, width: usize, what: &str) -> Result<(), String> {
    if len <= width {
        return Ok(());
    }
    Err(format!("has {len} {what}, the column {width}: choose a greater width, or none to have it measured"))
}

/// A value is filled up with zeros, so its own ones at the end would be lost.
fn refuse_last_zero(bytes: &[u8]) -> Result<(), String> {
    match bytes.last() {
        Some(0) => Err("ends with a zero, which a column of a fixed width cannot keep".to_owned()),
        _ => Ok(()),
    }
}

fn checked(width: usize) -> u32 {
    // Too wide for a type; the error says so.
    u32::try_from(width.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_filled_up_to_the_width() {
        let mut out = Vec::new();
        TextAs::Unicode.push("aß", 3, &mut out).unwrap();
        assert_eq!(out, [b'a', 0, 0, 0, 0xdf, 0, 0, 0, 0, 0, 0, 0]);
        out.clear();
        TextAs::Utf8.push("aß", 4, &mut out).unwrap();
        assert_eq!(out, [b'a', 0xc3, 0x9f, 0]);
        assert_eq!((TextAs::Unicode.len("aß"), TextAs::Utf8.len("aß")), (2, 3));
        assert_eq!(TextAs::Unicode.dtype(0).unwrap().to_string(), "<U1");
        assert_eq!(TextAs::Utf8.dtype(3).unwrap().to_string(), "|S3");
        assert!(TextAs::Unicode.dtype(1 << 30).is_err());
    }

    #[test]
    fn what_does_not_fit_or_would_be_lost_is_refused() {
        for text_as in [TextAs::Unicode, TextAs::Utf8] {
            let error = text_as.push("abcd", 3, &mut Vec::new()).unwrap_err();
            assert!(error.starts_with("has 4 "), "{error}");
            let error = text_as.push("a\0", 3, &mut Vec::new()).unwrap_err();
            assert!(error.starts_with("ends with a zero"), "{error}");
            assert!(text_as.push("\0a", 3, &mut Vec::new()).is_ok());
        }
    }
}
