//! Strings as JSON and Python have them: Unicode that may hold half of a surrogate pair.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

/// A string of code points, lone surrogates included.
///
/// Python writes names that hold one, and they have to survive a round trip although no Rust string can hold them.
/// [`Text::as_str`] shows `U+FFFD` in their place.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Text {
    shown: String,
    /// Byte offset in `shown` of each stand-in, ascending, with the surrogate that it stands for.
    lone: Vec<(usize, u16)>,
}

impl Text {
    /// The string with `U+FFFD` in the place of lone surrogates.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.shown
    }

    /// Whether [`Text::as_str`] is all of it: there is no lone surrogate.
    #[must_use]
    pub fn is_unicode(&self) -> bool {
        self.lone.is_empty()
    }

    /// The code points; surrogates come alone.
    pub fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        let mut lone = self.lone.iter().peekable();
        self.shown.char_indices().map(move |(at, character)| {
            lone.next_if(|(offset, _)| *offset == at)
                .map_or(u32::from(character), |(_, unit)| u32::from(*unit))
        })
    }

    /// Appends a UTF-16 unit, joining it with the unit before it where both make one character.
    pub(super) fn push_unit(&mut self, unit: u16) {
        if let Some(&(at, high)) = self.lone.last()
            && at.checked_add(STAND_IN.len_utf8()) == Some(self.shown.len())
            && let Some(Ok(character)) = char::decode_utf16([high, unit]).next()
        {
            self.lone.pop();
            self.shown.truncate(at);
            self.shown.push(character);
            return;
        }
        match char::from_u32(u32::from(unit)) {
            Some(character) => self.shown.push(character),
            None => {
                self.lone.push((self.shown.len(), unit));
                self.shown.push(STAND_IN);
            }
        }
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.shown.push_str(text);
    }
}

const STAND_IN: char = char::REPLACEMENT_CHARACTER;

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text { shown: text.into(), lone: Vec::new() }
    }
}

impl From<String> for Text {
    fn from(shown: String) -> Self {
        Text { shown, lone: Vec::new() }
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    /// By code points, as Python sorts.
    fn cmp(&self, other: &Self) -> Ordering {
        if self.is_unicode() && other.is_unicode() {
            return self.shown.cmp(&other.shown);
        }
        self.code_points().cmp(other.code_points())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_join_only_when_they_are_a_pair() {
        let mut text = Text::from("a");
        [0xd83d, 0xde00, 0xde00, 0xd800, 0x41].into_iter().for_each(|unit| text.push_unit(unit));
        assert_eq!(text.as_str(), "a\u{1f600}\u{fffd}\u{fffd}A");
        assert_eq!(text.code_points().collect::<Vec<_>>(), [0x61, 0x1f600, 0xde00, 0xd800, 0x41]);
        assert_ne!(text, Text::from(text.as_str()));
    }

    #[test]
    fn a_replacement_character_of_the_text_itself_stays_one() {
        let mut text = Text::from("\u{fffd}");
        text.push_unit(0xde00);
        assert_eq!(text.code_points().collect::<Vec<_>>(), [0xfffd, 0xde00]);
    }

    #[test]
    fn the_order_is_the_one_of_code_points() {
        let mut lone = Text::default();
        lone.push_unit(0xd800);
        assert!(Text::from("\u{d7ff}") < lone && lone < Text::from("\u{e000}"));
        assert!(Text::from("\u{ffff}") < Text::from("\u{1f600}"));
    }
}
