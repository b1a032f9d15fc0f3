//! Quoting foreign text in a message.

use alloc::string::String;

/// What a message shows of a text that may be long and unprintable.
const SHOWN: usize = 60;

/// The start of `text` with everything unprintable escaped.
pub(crate) fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
