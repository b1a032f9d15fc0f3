//! The encodings in which Python reads JSON.

use alloc::borrow::Cow;
use alloc::string::String;

use super::json::escape;

/// The text as UTF-8. A surrogate that stands alone becomes its escape, which means the same.
pub(super) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, (usize, &'static str)> {
    let (big, width) = match *bytes {
        [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, _, ..] => (true, 4),
        [0xff, 0xfe, 0, 0, ..] | [_, 0, 0, 0, ..] => (false, 4),
        [0xfe, 0xff, ..] | [0, _, ..] => (true, 2),
        [0xff, 0xfe, ..] | [_, 0, ..] => (false, 2),
        [0xef, 0xbb, 0xbf, ref rest @ ..] => return decode_utf8(rest),
        _ => return decode_utf8(bytes),
    };
    let units = bytes.chunks_exact(width);
    if !units.remainder().is_empty() {
        return Err((bytes.len(), "the text ends inside a character"));
    }
    let units = units.map(|unit| {
        let digit = |number: u32, byte: &u8| (number << 8) | u32::from(*byte);
        if big { unit.iter().fold(0, digit) } else { unit.iter().rev().fold(0, digit) }
    });
    let mut out = String::new();
    let mut push = |point: u32| match char::from_u32(point) {
        Some(character) => out.push(character),
        None => escape(point, &mut out),
    };
    let units = units.enumerate().filter(|&(at, unit)| at > 0 || unit != 0xfeff);
    if width == 4 {
        for (at, unit) in units {
            if unit > u32::from(char::MAX) {
                return Err((at.saturating_mul(4), "a character lies beyond Unicode"));
            }
            push(unit);
        }
    } else {
        let units = units.map(|(_, unit)| u16::try_from(unit).unwrap_or(u16::MAX));
        for character in char::decode_utf16(units) {
            push(character.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from));
        }
    }
    Ok(Cow::Owned(out))
}

fn decode_utf8(bytes: &[u8]) -> Result<Cow<'_, str>, (usize, &'static str)> {
    let mut rest = bytes;
    let mut out = String::new();
    loop {
        let error = match core::str::from_utf8(rest) {
            Ok(text) if out.is_empty() => return Ok(Cow::Borrowed(text)),
            Ok(text) => {
                out.push_str(text);
                return Ok(Cow::Owned(out));
            }
            Err(error) => error,
        };
        let (good, bad) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
        let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf, behind @ ..] = bad else {
            return Err((bytes.len().saturating_sub(bad.len()), "it is not UTF-8"));
        };
        out.push_str(core::str::from_utf8(good).unwrap_or_default());
        escape(0xd000 | (u32::from(*second & 0x3f) << 6) | u32::from(*third & 0x3f), &mut out);
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

    use alloc::vec::Vec;

    use super::super::Json;

    #[test]
    fn the_encoding_is_found() {
        let text = "[\"\u{e9}\u{1f600}\"]";
        let expected = Json::parse(text.as_bytes()).unwrap();
        let wide: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Json::parse(&wide), Ok(expected.clone()));
        assert_eq!(Json::parse(&utf16), Ok(expected.clone()));
        assert_eq!(Json::parse(&[&[0xff, 0xfe][..], &utf16].concat()), Ok(expected.clone()));
        assert_eq!(Json::parse(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), Ok(expected));
        assert_eq!(Json::parse(b"\"\xed\xa0\x80\""), Json::parse(br#""\ud800""#));
        assert!(Json::parse(&utf16[..5]).is_err());
    }
}
