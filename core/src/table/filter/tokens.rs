//! From pieces of text to what the parser reads: columns and constants take the place of words, strings and parameters.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::expression::{Comparison, Function, Operator};
use super::lexer::{Kind, Lexeme, lexemes};
use super::parameters::Parameters;
use super::schema::{Columns, no_column};
use super::time::{Instant, Span};
use super::value::Value;
use super::{excerpt, invalid};
use crate::error::Result;

/// Operators in one filter.
const MAX_OPERATORS: usize = 2_000;

/// What the parser reads.
#[derive(Clone, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: TokenKind,
    /// As it stands in the text.
    pub(super) text: &'t str,
    /// The 1-based character where it starts.
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Column(String),
    Constant(Value),
    Null,
    Function(Function),
    Word(Word),
    Compare(Comparison),
    Arithmetic(Operator),
    Comma,
    Open,
    Close,
}

/// The words that join or change conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    And,
    Or,
    Not,
    Between,
    In,
    Is,
    Like,
    ILike,
    Escape,
}

impl Word {
    const ALL: [(&'static str, Word); 9] = [
        ("AND", Word::And),
        ("OR", Word::Or),
        ("NOT", Word::Not),
        ("BETWEEN", Word::Between),
        ("IN", Word::In),
        ("IS", Word::Is),
        ("LIKE", Word::Like),
        ("ILIKE", Word::ILike),
        ("ESCAPE", Word::Escape),
    ];
}

pub(super) fn tokens<'t, C: Columns + ?Sized>(
    text: &'t str,
    schema: &C,
    parameters: &Parameters,
) -> Result<Vec<Token<'t>>> {
    let raw = lexemes(text)?;
    if raw.is_empty() {
        return Err(invalid(String::from("the filter is empty"), None));
    }
    let mut reader = Reader { schema, parameters, next_positional: 0, highest: 0 };
    let mut tokens = Vec::with_capacity(raw.len());
    let mut rest = raw.as_slice();
    while let Some((lexeme, after)) = rest.split_first() {
        let (kind, used) = reader.token(lexeme, after)?;
        rest = after.get(used..).unwrap_or_default();
        tokens.push(Token { kind, text: lexeme.text, at: lexeme.at });
    }
    let operators = tokens.iter().filter(|token| is_operator(&token.kind)).count();
    if operators > MAX_OPERATORS {
        return Err(invalid(
            format!("the filter has {operators} operators, more than {MAX_OPERATORS}: use IN for long lists"),
            None,
        ));
    }
    parameters.check_all_used(reader.highest)?;
    Ok(tokens)
}

struct Reader<'a, C: ?Sized> {
    schema: &'a C,
    parameters: &'a Parameters,
    next_positional: usize,
    highest: usize,
}

impl<C: Columns + ?Sized> Reader<'_, C> {
    /// Reads one piece, and the returned number of those that follow it.
    fn token(&mut self, lexeme: &Lexeme<'_>, after: &[Lexeme<'_>]) -> Result<(TokenKind, usize)> {
        let &Lexeme { text, at, .. } = lexeme;
        let kind = match &lexeme.kind {
            Kind::Word => return self.word(text, at, after),
            Kind::Quoted(name) => self.column(name, at)?,
            Kind::Number => TokenKind::Constant(number_of(text, at)?),
            Kind::Text(text) => TokenKind::Constant(Value::Text(text.clone())),
            Kind::Placeholder => {
                let index = self.position(text, at)?;
                self.highest = self.highest.max(index);
                let value = self.parameters.positional(index).ok_or_else(|| {
                    invalid(format!("there is no value for the parameter '{}'", excerpt(text)), Some(at))
                })?;
                TokenKind::Constant(value.clone())
            }
            Kind::Sign if text == ":" => return Ok((self.named(at, after)?, 1)),
            Kind::Sign => sign(text).ok_or_else(|| unexpected(text, at))?,
        };
        Ok((kind, 0))
    }

    fn word(&self, name: &str, at: usize, after: &[Lexeme<'_>]) -> Result<(TokenKind, usize)> {
        if let Some(word) = word_named(name) {
            return Ok((word, 0));
        }
        match after.first() {
            Some(Lexeme { kind: Kind::Text(text), .. }) => {
                if let Some((value, used)) = typed_string(name, text, after, at)? {
                    return Ok((TokenKind::Constant(value), used));
                }
            }
            Some(Lexeme { kind: Kind::Sign, text: "(", .. }) => {
                let function =
                    Function::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(name));
                return function.map(|function| (TokenKind::Function(function), 0)).ok_or_else(|| {
                    let known = "abs, lower, upper and length";
                    let text = format!("there is no function '{}': filters have {known}", excerpt(name));
                    invalid(text, Some(at))
                });
            }
            _ => {}
        }
        Ok((self.column(name, at)?, 0))
    }

    fn column(&self, name: &str, at: usize) -> Result<TokenKind> {
        match self.schema.position(name) {
            Some(_) => Ok(TokenKind::Column(name.to_owned())),
            None => Err(no_column(self.schema, name, Some(at))),
        }
    }

    /// The value of `:name`.
    fn named(&self, at: usize, after: &[Lexeme<'_>]) -> Result<TokenKind> {
        let name = match after.first() {
            Some(Lexeme { kind: Kind::Word, text, .. }) => *text,
            Some(Lexeme { kind: Kind::Quoted(name), .. }) => name,
            _ => return Err(unexpected(":", at)),
        };
        let value = self.parameters.named(name).ok_or_else(|| {
            invalid(format!("there is no value for the parameter ':{}'", excerpt(name)), Some(at))
        })?;
        Ok(TokenKind::Constant(value.clone()))
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
}

/// `DATE '…'`, `TIMESTAMP '…'` and `INTERVAL '…' UNIT`, with how many pieces belong to it.
fn typed_string(kind: &str, text: &str, after: &[Lexeme<'_>], at: usize) -> Result<Option<(Value, usize)>> {
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
    let unit = after.get(1).filter(|next| next.kind == Kind::Word).map(|next| next.text);
    let unit = unit.filter(|name| super::time::unit_named(name).is_some());
    let value = Span::parse(text, unit).ok_or_else(|| {
        invalid(
            format!("'{shown}' is not an interval: write it like INTERVAL '90' SECOND or '1 day 2 hours'"),
            Some(at),
        )
    })?;
    Ok(Some((Value::Span(value), 1 + usize::from(unit.is_some()))))
}

fn word_named(name: &str) -> Option<TokenKind> {
    let is = |word: &str| word.eq_ignore_ascii_case(name);
    if is("NULL") {
        return Some(TokenKind::Null);
    }
    if is("TRUE") || is("FALSE") {
        return Some(TokenKind::Constant(Value::Bool(is("TRUE"))));
    }
    Word::ALL.iter().find(|(text, _)| is(text)).map(|(_, word)| TokenKind::Word(*word))
}

fn sign(text: &str) -> Option<TokenKind> {
    Some(match text {
        "=" | "==" => TokenKind::Compare(Comparison::Equal),
        "<>" | "!=" => TokenKind::Compare(Comparison::NotEqual),
        "<" => TokenKind::Compare(Comparison::Less),
        "<=" => TokenKind::Compare(Comparison::LessEqual),
        ">" => TokenKind::Compare(Comparison::Greater),
        ">=" => TokenKind::Compare(Comparison::GreaterEqual),
        "+" => TokenKind::Arithmetic(Operator::Add),
        "-" => TokenKind::Arithmetic(Operator::Subtract),
        "*" => TokenKind::Arithmetic(Operator::Multiply),
        "/" => TokenKind::Arithmetic(Operator::Divide),
        "%" => TokenKind::Arithmetic(Operator::Remainder),
        "," => TokenKind::Comma,
        "(" => TokenKind::Open,
        ")" => TokenKind::Close,
        _ => return None,
    })
}

fn is_operator(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Word(_) | TokenKind::Compare(_) | TokenKind::Arithmetic(_))
}

pub(super) fn unexpected(text: &str, at: usize) -> crate::Error {
    invalid(format!("'{}' has no meaning in a filter", excerpt(text)), Some(at))
}

fn number_of(text: &str, at: usize) -> Result<Value> {
    if text.ends_with('L') {
        return Err(unexpected(text, at));
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map(Value::Integer).map_err(|_| {
            invalid(format!("the number '{}' is larger than 128 bits hold", excerpt(text)), Some(at))
        });
    }
    text.parse()
        .map(Value::Float)
        .map_err(|_| invalid(format!("'{}' is not a number", excerpt(text)), Some(at)))
}
