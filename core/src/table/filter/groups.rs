//! Parentheses, taken apart before the SQL parser runs.
//!
//! The parser needs tens of kilobytes of stack for each level of parentheses in an unoptimised build. So every
//! item inside of parentheses becomes a placeholder and is parsed by itself, and what a text can nest is bounded here.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::take;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::tokens::Places;
use super::{MAX_DEPTH, invalid, too_deep};
use crate::error::Result;

/// Tokens without anything but single tokens in their parentheses.
#[derive(Default)]
pub(super) struct Group {
    pub(super) tokens: Vec<TokenWithSpan>,
    /// The comma or parenthesis behind them; none behind the whole text.
    pub(super) end: Option<TokenWithSpan>,
}

/// What stands before the names of placeholders of groups, which their index follows.
pub(super) const GROUP: &str = "$group";

/// Every group after those that it contains; the last one is the whole text.
pub(super) fn groups(tokens: Vec<TokenWithSpan>, places: &Places<'_>) -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    // What is open, outermost first, up to the item that is being read.
    let mut open: Vec<Vec<TokenWithSpan>> = Vec::new();
    let mut item = Vec::new();
    for token in tokens {
        match token.token {
            Token::LParen => {
                if open.len() >= MAX_DEPTH {
                    return Err(too_deep());
                }
                item.push(token);
                open.push(take(&mut item));
            }
            Token::Comma if !open.is_empty() => {
                let item = seal(take(&mut item), &token, &mut groups);
                if let Some(line) = open.last_mut() {
                    line.extend(item);
                    line.push(token);
                }
            }
            Token::RParen => {
                let Some(mut line) = open.pop() else {
                    let message = String::from("expected AND, OR or the end, found ')'");
                    return Err(invalid(message, Some(places.of(token.span.start))));
                };
                line.extend(seal(take(&mut item), &token, &mut groups));
                line.push(token);
                item = line;
            }
            _ => item.push(token),
        }
    }
    if !open.is_empty() {
        return Err(invalid(String::from("expected ), found the end"), Some(places.end())));
    }
    groups.push(Group { tokens: item, end: None });
    Ok(groups)
}

/// The placeholder of an item that is more than a token.
fn seal(item: Vec<TokenWithSpan>, end: &TokenWithSpan, groups: &mut Vec<Group>) -> Vec<TokenWithSpan> {
    let span = match item.as_slice() {
        [first, _, ..] => first.span,
        _ => return item,
    };
    let token = Token::Placeholder(format!("{GROUP}{}", groups.len()));
    groups.push(Group { tokens: item, end: Some(end.clone()) });
    alloc::vec![TokenWithSpan { token, span }]
}
