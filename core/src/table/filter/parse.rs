//! From a text to an expression.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::mem::take;

use sqlparser::ast::{
    BinaryOperator, Expr as Sql, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    InTarget, ObjectNamePart, UnaryOperator, Value as SqlValue, ValueWithSpan,
};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::expression::{Comparison, Expr, Function, LikeKind, Node, Operator};
use super::groups::{GROUP, Group, groups};
use super::parameters::Parameters;
use super::schema::Columns;
use super::tokens::{FilterDialect, Places, Tokens, lower_first, tokens, unexpected};
use super::value::Value;
use super::{MAX_DEPTH, excerpt, invalid, too_deep};
use crate::error::{Error, Result};

/// How deep the parser descends without parentheses: once for each kind of operator, and for signs and `NOT` in a row.
const PARSER_DEPTH: usize = 10;

pub(super) fn parse<C: Columns + ?Sized>(text: &str, schema: &C, parameters: &Parameters) -> Result<Expr> {
    let places = Places::new(text);
    let Tokens { tokens, constants } = tokens(text, &places, schema, parameters)?;
    let groups = RefCell::new(groups(tokens, &places)?);
    let whole = groups.borrow_mut().pop().unwrap_or_default();
    let convert = Convert { places: &places, constants, groups };
    convert.expr(sql(whole, &places)?, 0)
}

fn sql(group: Group, places: &Places<'_>) -> Result<Sql> {
    let end = group.end;
    let mut parser = Parser::new(&FilterDialect)
        .with_recursion_limit(PARSER_DEPTH)
        .with_tokens_with_locations(group.tokens);
    let parsed = parser.parse_expr().map_err(|error| syntax(error, &parser, end.as_ref(), places))?;
    let next = parser.peek_token();
    if next.token == Token::EOF {
        return Ok(parsed);
    }
    let expected = if end.is_some() { "AND, OR or )" } else { "AND, OR or the end" };
    let text = excerpt(places.text(&next));
    Err(invalid(format!("expected {expected}, found '{text}'"), Some(places.of(next.span.start))))
}

/// The parser's error without its spelling of our tokens.
fn syntax(
    error: ParserError,
    parser: &Parser<'_>,
    end: Option<&TokenWithSpan>,
    places: &Places<'_>,
) -> Error {
    let message = match error {
        ParserError::RecursionLimitExceeded => return too_deep(),
        ParserError::ParserError(message) | ParserError::TokenizerError(message) => message,
    };
    let mut found = found(&message, parser);
    if let (Token::EOF, Some(end)) = (&found.token, end) {
        found = end.clone();
    }
    let at = places.of(found.span.start);
    let shown = match found.token {
        Token::EOF => String::from("the end"),
        _ => format!("'{}'", excerpt(places.text(&found))),
    };
    let expected = message.strip_prefix("Expected: ").and_then(|rest| rest.split(", found: ").next());
    invalid(format!("expected {}, found {shown}", lower_first(expected.unwrap_or("an expression"))), Some(at))
}

/// The token that the message is about: the one at its line and column, else the next one.
fn found(message: &str, parser: &Parser<'_>) -> TokenWithSpan {
    let place = message.rsplit_once(" at Line: ").and_then(|(_, rest)| rest.split_once(", Column: "));
    let place = place.and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    let mut tokens = (0..).map(|index| parser.token_at(index)).take_while(|token| token.token != Token::EOF);
    let at_place = tokens.find(|token| place == Some((token.span.start.line, token.span.start.column)));
    match (at_place, place) {
        (Some(token), _) => token.clone(),
        (None, Some(_)) => parser.peek_token(),
        // Only messages about the end have no place.
        (None, None) => TokenWithSpan::new_eof(),
    }
}

struct Convert<'a> {
    places: &'a Places<'a>,
    constants: Vec<Value>,
    /// Each is taken when its placeholder is met.
    groups: RefCell<Vec<Group>>,
}

impl Convert<'_> {
    fn expr(&self, sql: Sql, depth: usize) -> Result<Expr> {
        if depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        match sql {
            // The depth of parentheses is bounded already.
            Sql::Nested(inner) => self.expr(*inner, depth),
            Sql::Identifier(Ident { value, span, .. }) => {
                Ok(Expr::at(Node::Column(value), self.places.of(span.start)))
            }
            Sql::Value(value) => self.value(&value, depth),
            Sql::UnaryOp { op, expr } => {
                let value = self.expr(*expr, depth + 1)?;
                match op {
                    UnaryOperator::Minus => Ok(-value),
                    UnaryOperator::Plus => Ok(value),
                    UnaryOperator::Not => Ok(!value),
                    other => Err(unexpected(&other.to_string(), value.place().unwrap_or(1))),
                }
            }
            Sql::BinaryOp { left, op, right } => self.binary(left, &op, right, depth),
            Sql::Between { expr, negated, low, high } => Ok(Expr::of(Node::Between {
                value: self.boxed(expr, depth)?,
                low: self.boxed(low, depth)?,
                high: self.boxed(high, depth)?,
                negated,
            })),
            Sql::In { expr, target: InTarget::List(list), negated, global: false } => {
                let value = self.boxed(expr, depth)?;
                let list: Result<Vec<Expr>> =
                    list.into_iter().map(|item| self.expr(item, depth + 1)).collect();
                Ok(Expr::of(Node::In { value, list: list?, negated }))
            }
            Sql::Like { negated, any: false, expr, pattern, escape_char } => self.like(
                expr,
                pattern,
                escape_char,
                LikeKind { escape: None, ignores_case: false, negated },
                depth,
            ),
            Sql::ILike { negated, any: false, expr, pattern, escape_char } => self.like(
                expr,
                pattern,
                escape_char,
                LikeKind { escape: None, ignores_case: true, negated },
                depth,
            ),
            Sql::IsNull(value) => self.missing(value, false, depth),
            Sql::IsNotNull(value) => self.missing(value, true, depth),
            Sql::IsTrue(value) => self.truth(value, true, false, depth),
            Sql::IsNotTrue(value) => self.truth(value, true, true, depth),
            Sql::IsFalse(value) => self.truth(value, false, false, depth),
            Sql::IsNotFalse(value) => self.truth(value, false, true, depth),
            Sql::Function(call) => self.call(call, depth),
            Sql::Tuple(_) => Err(invalid(String::from("a list in parentheses can only follow IN"), None)),
            _ => Err(invalid(String::from("the filter uses SQL that a filter cannot have"), None)),
        }
    }

    fn boxed(&self, sql: Box<Sql>, depth: usize) -> Result<Box<Expr>> {
        self.expr(*sql, depth + 1).map(Box::new)
    }

    fn value(&self, value: &ValueWithSpan, depth: usize) -> Result<Expr> {
        let at = self.places.of(value.span.start);
        match &value.value {
            SqlValue::Boolean(truth) => Ok(Expr::at(Node::Literal(Value::Bool(*truth)), at)),
            SqlValue::Placeholder(name) if name.starts_with(GROUP) => {
                let index = name.strip_prefix(GROUP).and_then(|index| index.parse::<usize>().ok());
                let group = index.and_then(|index| self.groups.borrow_mut().get_mut(index).map(take));
                self.expr(sql(group.unwrap_or_default(), self.places)?, depth)
            }
            SqlValue::Placeholder(name) => {
                let index = name.strip_prefix('$').and_then(|index| index.parse::<usize>().ok());
                let constant = index.and_then(|index| self.constants.get(index));
                constant
                    .map(|constant| Expr::at(Node::Literal(constant.clone()), at))
                    .ok_or_else(|| unexpected(name, at))
            }
            SqlValue::Null => Err(invalid(
                String::from("nothing compares with NULL: write IS NULL for NaN and NaT"),
                Some(at),
            )),
            other => Err(unexpected(&other.to_string(), at)),
        }
    }

    fn binary(&self, left: Box<Sql>, op: &BinaryOperator, right: Box<Sql>, depth: usize) -> Result<Expr> {
        let comparison = match op {
            BinaryOperator::And => {
                return self.chain(left, op, right, depth).map(|all| Expr::of(Node::All(all)));
            }
            BinaryOperator::Or => {
                return self.chain(left, op, right, depth).map(|any| Expr::of(Node::Any(any)));
            }
            BinaryOperator::Plus => Err(Operator::Add),
            BinaryOperator::Minus => Err(Operator::Subtract),
            BinaryOperator::Multiply => Err(Operator::Multiply),
            BinaryOperator::Divide => Err(Operator::Divide),
            BinaryOperator::Modulo => Err(Operator::Remainder),
            BinaryOperator::Eq => Ok(Comparison::Equal),
            BinaryOperator::NotEq => Ok(Comparison::NotEqual),
            BinaryOperator::Lt => Ok(Comparison::Less),
            BinaryOperator::LtEq => Ok(Comparison::LessEqual),
            BinaryOperator::Gt => Ok(Comparison::Greater),
            BinaryOperator::GtEq => Ok(Comparison::GreaterEqual),
            other => return Err(unexpected(&other.to_string(), 1)),
        };
        let (left, right) = (self.boxed(left, depth)?, self.boxed(right, depth)?);
        Ok(Expr::of(match comparison {
            Ok(comparison) => Node::Compare(comparison, left, right),
            Err(operator) => Node::Arithmetic(operator, left, right),
        }))
    }

    /// `a AND b AND c` as one list. The parser nests it as deep as it is long, so this loop must not be a recursion.
    fn chain(&self, left: Box<Sql>, op: &BinaryOperator, right: Box<Sql>, depth: usize) -> Result<Vec<Expr>> {
        let mut parts = alloc::vec![*right];
        let mut first = *left;
        loop {
            match first {
                Sql::BinaryOp { left, op: inner, right } if inner == *op => {
                    parts.push(*right);
                    first = *left;
                }
                other => {
                    parts.push(other);
                    break;
                }
            }
        }
        parts.into_iter().rev().map(|part| self.expr(part, depth + 1)).collect()
    }

    fn like(
        &self,
        value: Box<Sql>,
        pattern: Box<Sql>,
        escape: Option<Box<Sql>>,
        like: LikeKind,
        depth: usize,
    ) -> Result<Expr> {
        let value = self.boxed(value, depth)?;
        let pattern = self.boxed(pattern, depth)?;
        let escape = match escape {
            None => None,
            Some(escape) => {
                let escape = self.expr(*escape, depth + 1)?;
                let mut chars = match &escape.node {
                    Node::Literal(Value::Text(text)) => text.chars(),
                    _ => "".chars(),
                };
                match (chars.next(), chars.next()) {
                    (Some(c), None) => Some(c),
                    _ => {
                        return Err(invalid(
                            format!("ESCAPE needs one character, not {escape}"),
                            escape.place(),
                        ));
                    }
                }
            }
        };
        Ok(Expr::of(Node::Like { value, pattern, like: LikeKind { escape, ..like } }))
    }

    fn missing(&self, value: Box<Sql>, negated: bool, depth: usize) -> Result<Expr> {
        Ok(Expr::of(Node::IsMissing { value: self.boxed(value, depth)?, negated }))
    }

    fn truth(&self, value: Box<Sql>, truth: bool, negated: bool, depth: usize) -> Result<Expr> {
        Ok(Expr::of(Node::IsTruth { value: self.boxed(value, depth)?, truth, negated }))
    }

    fn call(&self, call: Call, depth: usize) -> Result<Expr> {
        let name = match call.name.0.as_slice() {
            [ObjectNamePart::Identifier(name)] => name.clone(),
            _ => return Err(unexpected(&call.name.to_string(), 1)),
        };
        let at = self.places.of(name.span.start);
        let function = Function::ALL
            .into_iter()
            .find(|known| name.quote_style.is_none() && known.name().eq_ignore_ascii_case(&name.value));
        let Some(function) = function else {
            return Err(invalid(format!("there is no function '{}'", excerpt(&name.value)), Some(at)));
        };
        let is_plain = call.filter.is_none()
            && call.over.is_none()
            && call.within_group.is_empty()
            && call.null_treatment.is_none();
        let mut arguments = match call.args {
            FunctionArguments::List(list) if is_plain && list.clauses.is_empty() => list.args.into_iter(),
            _ => return Err(unexpected(&name.value, at)),
        };
        match (arguments.next(), arguments.next()) {
            (Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))), None) => {
                Ok(Expr::at(Node::Call(function, self.boxed(Box::new(argument), depth)?), at))
            }
            _ => Err(invalid(format!("{} takes one value", function.name()), Some(at))),
        }
    }
}
