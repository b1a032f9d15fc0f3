//! From a text to words, numbers, strings and signs, as SQL writes them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{excerpt, invalid};
use crate::error::Result;

/// A piece of the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lexeme<'t> {
    pub(super) kind: Kind,
    /// As it stands in the text.
    pub(super) text: &'t str,
    /// The 1-based character where it starts.
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A name or a word of the language.
    Word,
    /// A name in double quotes, without them.
    Quoted(String),
    /// What single quotes hold.
    Text(String),
    Number,
    /// One of the signs of the language, or a character that has no meaning in it.
    Sign,
    /// `?` or `$1`.
    Placeholder,
}

/// Signs of two characters; all others have one.
const LONG_SIGNS: [&str; 6] = ["==", "<>", "!=", "<=", ">=", "::"];

pub(super) fn lexemes(text: &str) -> Result<Vec<Lexeme<'_>>> {
    let mut lexer = Lexer { text, rest: text, at: 1 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let Some(first) = lexer.rest.chars().next() else { return Ok(found) };
        let (kind, bytes) = lexer.next(first)?;
        let at = lexer.at;
        found.push(Lexeme { kind, text: lexer.take(bytes), at });
    }
}

struct Lexer<'t> {
    text: &'t str,
    rest: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    /// White space, `-- to the end of the line`, and `/* this */`.
    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            let blank = if self.rest.starts_with("--") {
                self.rest.find('\n').unwrap_or(self.rest.len())
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                comment.find("*/").ok_or_else(|| self.unterminated("comment"))? + 4
            } else {
                self.rest.len() - self.rest.trim_start().len()
            };
            if blank == 0 {
                return Ok(());
            }
            self.take(blank);
        }
    }

    /// What comes next, and how many bytes it has.
    fn next(&self, first: char) -> Result<(Kind, usize)> {
        let rest = self.rest;
        let second = rest.chars().nth(1);
        Ok(match first {
            '\'' => self.quoted('\'', "string literal").map(|(text, bytes)| (Kind::Text(text), bytes))?,
            '"' => self.quoted('"', "quoted name").map(|(name, bytes)| (Kind::Quoted(name), bytes))?,
            '?' => (Kind::Placeholder, 1),
            '$' => (Kind::Placeholder, 1 + prefix(&rest[1..], is_name_part)),
            '0'..='9' => (Kind::Number, number(rest)),
            '.' if second.is_some_and(|c| c.is_ascii_digit()) => (Kind::Number, number(rest)),
            _ if is_name_start(first) => (Kind::Word, prefix(rest, is_name_part)),
            _ if LONG_SIGNS.iter().any(|sign| rest.starts_with(sign)) => (Kind::Sign, 2),
            _ => (Kind::Sign, first.len_utf8()),
        })
    }

    /// What quotes hold, in which a doubled one stands for itself, and all bytes together.
    fn quoted(&self, quote: char, what: &str) -> Result<(String, usize)> {
        let mut held = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            if c != quote {
                held.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                held.push(quote);
            } else {
                return Ok((held, at + 1));
            }
        }
        Err(self.unterminated(what))
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.at += taken.chars().count();
        taken
    }

    fn unterminated(&self, what: &str) -> crate::Error {
        invalid(format!("unterminated {what} in '{}'", excerpt(self.text)), Some(self.at))
    }
}

/// The bytes of the number that the text starts with: `12`, `1.5`, `.5`, `2e-3`; `5L`, which is none here, as one piece.
fn number(text: &str) -> usize {
    let digits = |from: usize| from + prefix(&text[from..], |c| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end + usize::from(text[end..].starts_with('L'))
}

/// The bytes of the characters in front that are such.
fn prefix(text: &str, is_such: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_such(c)).unwrap_or(text.len())
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
