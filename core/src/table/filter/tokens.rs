//! From a text to the tokens that the SQL parser gets to see.
//!
//! Columns become quoted names and constants become numbered placeholders here, so that the parser meets only the
//! part of SQL that a filter can have, whatever words a table uses as names.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sqlparser::dialect::Dialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Word};

use super::expression::Function;
use super::parameters::Parameters;
use super::schema::{Columns, no_column};
use super::time::{Instant, Span};
use super::value::Value;
use super::{excerpt, invalid};
use crate::error::Result;

/// Operators in one filter: the parser's tree is as deep as their longest chain.
const MAX_OPERATORS: usize = 2_000;

/// SQL without the extensions of any product.
#[derive(Debug)]
pub(super) struct FilterDialect;

impl Dialect for FilterDialect {
    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '"'
    }

    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }
}

/// What the parser reads, and the constants that its placeholders stand for.
pub(super) struct Tokens {
    pub(super) tokens: Vec<TokenWithSpan>,
    pub(super) constants: Vec<Value>,
}

pub(super) fn tokens<C: Columns + ?Sized>(
    text: &str,
    places: &Places<'_>,
    schema: &C,
    parameters: &Parameters,
) -> Result<Tokens> {
    let mut raw = Tokenizer::new(&FilterDialect, text).tokenize_with_location().map_err(|error| {
        let at = places.of(error.location).min(text.chars().count());
        invalid(format!("{} in '{}'", lower_first(&error.message), excerpt(text)), Some(at.max(1)))
    })?;
    raw.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    if raw.is_empty() {
        return Err(invalid(String::from("the filter is empty"), None));
    }
    let operators = raw.iter().filter(|token| is_operator(&token.token)).count();
    if operators > MAX_OPERATORS {
        return Err(invalid(
            format!("the filter has {operators} operators, more than {MAX_OPERATORS}: use IN for long lists"),
            None,
        ));
    }
    let mut rewrite = Rewrite {
        places,
        schema,
        parameters,
        next_positional: 0,
        highest: 0,
        out: Tokens { tokens: Vec::with_capacity(raw.len()), constants: Vec::new() },
    };
    let mut rest = raw.as_slice();
    while let Some((token, after)) = rest.split_first() {
        let used = rewrite.token(token, after)?;
        rest = after.get(used..).unwrap_or_default();
    }
    let highest = rewrite.highest;
    parameters.check_all_used(highest)?;
    Ok(rewrite.out)
}

struct Rewrite<'a, C: ?Sized> {
    places: &'a Places<'a>,
    schema: &'a C,
    parameters: &'a Parameters,
    next_positional: usize,
    highest: usize,
    out: Tokens,
}

impl<C: Columns + ?Sized> Rewrite<'_, C> {
    /// Takes one token, and the returned number of those that follow it.
    fn token(&mut self, token: &TokenWithSpan, after: &[TokenWithSpan]) -> Result<usize> {
        let at = self.places.of(token.span.start);
        match &token.token {
            Token::Word(word) => return self.word(word, token, after),
            Token::Number(number, false) => self.constant(token, number_of(number, at)?),
            Token::SingleQuotedString(text) => self.constant(token, Value::Text(text.clone())),
            Token::Placeholder(name) => {
                let index = self.position(name, at)?;
                self.highest = self.highest.max(index);
                let value = self.parameters.positional(index).ok_or_else(|| {
                    invalid(format!("there is no value for the parameter '{}'", excerpt(name)), Some(at))
                })?;
                self.constant(token, value.clone());
            }
            Token::Colon => {
                let Some((Token::Word(name), _)) = after.first().map(|next| (&next.token, ())) else {
                    return Err(unexpected(":", at));
                };
                let value = self.parameters.named(&name.value).ok_or_else(|| {
                    let name = excerpt(&name.value);
                    invalid(format!("there is no value for the parameter ':{name}'"), Some(at))
                })?;
                self.constant(token, value.clone());
                return Ok(1);
            }
            plain if is_operator(plain) || matches!(plain, Token::Comma | Token::LParen | Token::RParen) => {
                self.out.tokens.push(token.clone());
            }
            _ => return Err(unexpected(self.places.text(token), at)),
        }
        Ok(0)
    }

    fn word(&mut self, word: &Word, token: &TokenWithSpan, after: &[TokenWithSpan]) -> Result<usize> {
        let at = self.places.of(token.span.start);
        let name = &word.value;
        if word.quote_style.is_none() {
            if is_keyword(word.keyword) {
                self.out.tokens.push(token.clone());
                return Ok(0);
            }
            let followed_by = after.first().map(|next| &next.token);
            if let Some(Token::SingleQuotedString(text)) = followed_by
                && let Some((value, used)) = self.typed_string(name, text, after, at)?
            {
                self.constant(token, value);
                return Ok(used);
            }
            if followed_by == Some(&Token::LParen) {
                if !Function::ALL.iter().any(|function| function.name().eq_ignore_ascii_case(name)) {
                    let known = "abs, lower, upper and length";
                    return Err(invalid(
                        format!("there is no function '{}': filters have {known}", excerpt(name)),
                        Some(at),
                    ));
                }
                self.push(token, Token::Word(Word { keyword: Keyword::NoKeyword, ..word.clone() }));
                return Ok(0);
            }
        }
        if self.schema.position(name).is_none() {
            return Err(no_column(self.schema, name, Some(at)));
        }
        let quoted = Word { value: name.to_owned(), quote_style: Some('"'), keyword: Keyword::NoKeyword };
        self.push(token, Token::Word(quoted));
        Ok(0)
    }

    /// `DATE '…'`, `TIMESTAMP '…'` and `INTERVAL '…' UNIT`, with how many tokens belong to it.
    fn typed_string(
        &self,
        kind: &str,
        text: &str,
        after: &[TokenWithSpan],
        at: usize,
    ) -> Result<Option<(Value, usize)>> {
        let shown = excerpt(text);
        if ["DATE", "TIMESTAMP", "DATETIME"].iter().any(|known| known.eq_ignore_ascii_case(kind)) {
            let value = Instant::parse(text).ok_or_else(|| {
                invalid(
                    format!("'{shown}' is not a time: write it like '2020-01-31' or '2020-01-31 12:30:59.5'"),
                    Some(at),
                )
            })?;
            return Ok(Some((Value::Instant(value), 1)));
        }
        if !"INTERVAL".eq_ignore_ascii_case(kind) {
            return Ok(None);
        }
        let unit = after.get(1).and_then(|next| match &next.token {
            Token::Word(word) if word.quote_style.is_none() => Some(word.value.as_str()),
            _ => None,
        });
        let unit = unit.filter(|name| super::time::unit_named(name).is_some());
        let value = Span::parse(text, unit).ok_or_else(|| {
            invalid(
                format!(
                    "'{shown}' is not an interval: write it like INTERVAL '90' SECOND or '1 day 2 hours'"
                ),
                Some(at),
            )
        })?;
        Ok(Some((Value::Span(value), 1 + usize::from(unit.is_some()))))
    }

    /// Which of the positional parameters `?` or `$2` is, from 1.
    fn position(&mut self, name: &str, at: usize) -> Result<usize> {
        if name == "?" {
            self.next_positional += 1;
            return Ok(self.next_positional);
        }
        name.strip_prefix('$').and_then(|number| number.parse().ok()).filter(|&index| index > 0).ok_or_else(
            || {
                let name = excerpt(name);
                invalid(format!("'{name}' is not a parameter: use ?, $1 or :name"), Some(at))
            },
        )
    }

    fn constant(&mut self, token: &TokenWithSpan, value: Value) {
        let name = format!("${}", self.out.constants.len());
        self.out.constants.push(value);
        self.push(token, Token::Placeholder(name));
    }

    fn push(&mut self, like: &TokenWithSpan, token: Token) {
        self.out.tokens.push(TokenWithSpan { token, span: like.span });
    }
}

/// Where the parser's lines and columns are in the text.
pub(super) struct Places<'a> {
    text: &'a str,
    /// The characters before each line.
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lines = alloc::vec![0];
        lines.extend(text.chars().enumerate().filter(|(_, c)| *c == '\n').map(|(i, _)| i + 1));
        Places { text, lines }
    }

    /// The 1-based character of a location; past the end for the one that means the end.
    pub(super) fn of(&self, location: Location) -> usize {
        let line = usize::try_from(location.line).ok().and_then(|line| line.checked_sub(1));
        let column = usize::try_from(location.column).unwrap_or(0);
        match line.and_then(|line| self.lines.get(line)) {
            Some(start) if column > 0 => start + column,
            _ => self.end(),
        }
    }

    /// The place behind the last character.
    pub(super) fn end(&self) -> usize {
        self.text.chars().count() + 1
    }

    /// The text of a token.
    pub(super) fn text(&self, token: &TokenWithSpan) -> &'a str {
        let start = self.byte(self.of(token.span.start));
        let end = self.byte(self.of(token.span.end)).max(start);
        self.text.get(start..end).unwrap_or_default()
    }

    fn byte(&self, character: usize) -> usize {
        self.text.char_indices().nth(character.saturating_sub(1)).map_or(self.text.len(), |(at, _)| at)
    }
}

pub(super) fn unexpected(text: &str, at: usize) -> crate::Error {
    invalid(format!("'{}' has no meaning in a filter", excerpt(text)), Some(at))
}

pub(super) fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn number_of(text: &str, at: usize) -> Result<Value> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map(Value::Integer).map_err(|_| {
            invalid(format!("the number '{}' is larger than 128 bits hold", excerpt(text)), Some(at))
        });
    }
    text.parse()
        .map(Value::Float)
        .map_err(|_| invalid(format!("'{}' is not a number", excerpt(text)), Some(at)))
}

fn is_keyword(keyword: Keyword) -> bool {
    use Keyword::{AND, BETWEEN, ESCAPE, FALSE, ILIKE, IN, IS, LIKE, NOT, NULL, OR, TRUE};
    matches!(keyword, AND | OR | NOT | BETWEEN | IN | IS | LIKE | ILIKE | ESCAPE | NULL | TRUE | FALSE)
}

fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_none()
                && is_keyword(word.keyword)
                && !matches!(word.keyword, Keyword::NULL | Keyword::TRUE | Keyword::FALSE)
        }
        Token::Eq
        | Token::DoubleEq
        | Token::Neq
        | Token::Lt
        | Token::Gt
        | Token::LtEq
        | Token::GtEq
        | Token::Plus
        | Token::Minus
        | Token::Mul
        | Token::Div
        | Token::Mod => true,
        _ => false,
    }
}
