//! From an expression to a predicate: names become columns, and what does not fit together is an error at its place.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::compare::{compared, is_truth, listed};
use super::expression::{Comparison, Expr, Function, Node, Operator};
use super::like::Pattern;
use super::moment::{Moment, MomentKind};
use super::number::Number;
use super::predicate::Predicate;
use super::schema::{Columns, no_column};
use super::source::{Native, Source};
use super::text::Text;
use super::time::{Length, Span, length_of};
use super::value::Value;
use super::{MAX_DEPTH, excerpt, invalid, too_deep};
use crate::dtype::{DType, Kind};
use crate::error::Result;

/// The condition that an expression is, and the columns that it reads.
pub(super) fn check<C: Columns + ?Sized>(
    expr: &Expr,
    schema: &C,
) -> Result<(Predicate, Vec<(usize, usize)>)> {
    let mut check = Check { schema, columns: BTreeSet::new() };
    let predicate = check.truth(expr, 0)?;
    Ok((predicate, check.columns.into_iter().collect()))
}

struct Check<'a, C: ?Sized> {
    schema: &'a C,
    /// Indices with the bytes of one value.
    columns: BTreeSet<(usize, usize)>,
}

/// An expression with its type.
#[derive(Clone)]
pub(super) enum Typed {
    Truth(Predicate),
    Number(Number),
    Text(Text),
    Moment(MomentKind, Moment),
    /// Times without a unit, which are only good for `IS NULL`.
    Unitless(Source),
}

impl Typed {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Typed::Truth(_) => "boolean",
            Typed::Number(number) if number.is_integer() => "integer",
            Typed::Number(_) => "decimal",
            Typed::Text(_) => "text",
            Typed::Moment(MomentKind::Instant, _) => "time",
            Typed::Moment(..) => "interval",
            Typed::Unitless(_) => "unitless time",
        }
    }
}

impl<C: Columns + ?Sized> Check<'_, C> {
    fn truth(&mut self, expr: &Expr, depth: usize) -> Result<Predicate> {
        match self.typed(expr, depth)? {
            Typed::Truth(predicate) => Ok(predicate),
            other => Err(invalid(
                format!("{} is no condition: compare it with something", described(expr, &other)),
                expr.place(),
            )),
        }
    }

    fn typed(&mut self, expr: &Expr, depth: usize) -> Result<Typed> {
        if depth >= MAX_DEPTH {
            return Err(too_deep());
        }
        let deeper = depth + 1;
        Ok(match &expr.node {
            Node::Column(name) => self.column(name, expr)?,
            Node::Literal(value) => constant(value),
            Node::Negate(value) => self.negated(value, deeper)?,
            Node::Not(value) => Typed::Truth(negated_if(true, self.truth(value, deeper)?)),
            Node::Arithmetic(operator, left, right) => self.arithmetic(*operator, left, right, deeper)?,
            Node::Compare(comparison, left, right) => {
                Typed::Truth(self.compare(*comparison, left, right, deeper)?)
            }
            Node::All(parts) => Typed::Truth(Predicate::All(self.truths(parts, deeper)?)),
            Node::Any(parts) => Typed::Truth(Predicate::Any(self.truths(parts, deeper)?)),
            Node::Between { value, low, high, negated } => {
                let low = self.compare(Comparison::GreaterEqual, value, low, deeper)?;
                let high = self.compare(Comparison::LessEqual, value, high, deeper)?;
                Typed::Truth(negated_if(*negated, both(low, high)))
            }
            Node::In { value, list, negated } => {
                let found = self.listed(value, list, deeper)?;
                Typed::Truth(negated_if(*negated, found))
            }
            Node::Like { value, pattern, like } => {
                let value = self.text(value, "LIKE", deeper)?;
                let Text::Constant(text) = self.text(pattern, "LIKE", deeper)? else {
                    return Err(invalid(
                        String::from("the pattern of LIKE must be a constant"),
                        pattern.place(),
                    ));
                };
                let pattern = Pattern::new(&text, *like)
                    .map_err(|reason| invalid(format!("the pattern {pattern}: {reason}"), pattern.place()))?;
                Typed::Truth(negated_if(like.negated, Predicate::Like(value, pattern)))
            }
            Node::IsMissing { value, negated } => {
                let missing = match self.typed(value, deeper)? {
                    Typed::Number(value) if !value.is_integer() => Predicate::NaN(value),
                    Typed::Moment(kind, value) => Predicate::NaT(kind, value),
                    Typed::Unitless(source) => {
                        Predicate::NaT(MomentKind::Span, Moment::Column(source, Length::Fixed(1)))
                    }
                    _ => Predicate::Constant(false),
                };
                Typed::Truth(negated_if(*negated, missing))
            }
            Node::IsTruth { value, truth, negated } => {
                let value = self.truth(value, deeper)?;
                Typed::Truth(negated_if(*truth == *negated, value))
            }
            Node::Call(function, value) => self.call(*function, value, deeper)?,
        })
    }

    fn truths(&mut self, parts: &[Expr], depth: usize) -> Result<Vec<Predicate>> {
        parts.iter().map(|part| self.truth(part, depth)).collect()
    }

    fn column(&mut self, name: &str, expr: &Expr) -> Result<Typed> {
        let found = self.schema.position(name);
        let found = found.and_then(|index| Some((index, self.schema.dtype(index)?)));
        let Some((index, dtype)) = found else { return Err(no_column(self.schema, name, expr.place())) };
        let typed = Source::new(index, dtype).and_then(|source| Some((source, of_column(source, dtype)?)));
        let Some((source, typed)) = typed else {
            return Err(invalid(
                format!("filters cannot read the column '{}': its type is '{dtype}'", excerpt(name)),
                expr.place(),
            ));
        };
        self.columns.insert((index, source.width));
        Ok(typed)
    }

    fn negated(&mut self, value: &Expr, depth: usize) -> Result<Typed> {
        match self.typed(value, depth)? {
            Typed::Number(number) => Number::Negate(Box::new(number)).folded().map(Typed::Number),
            Typed::Moment(kind @ (MomentKind::Span | MomentKind::Months), moment) => Ok(match moment {
                Moment::Constant(length) => Typed::Moment(kind, Moment::Constant(length.saturating_neg())),
                moment => {
                    let zero = Box::new(Moment::Constant(0));
                    Typed::Moment(kind, Moment::Subtract(zero, Box::new(moment)))
                }
            }),
            other => Err(invalid(format!("{} has no negative", described(value, &other)), value.place())),
        }
    }

    fn arithmetic(&mut self, operator: Operator, left: &Expr, right: &Expr, depth: usize) -> Result<Typed> {
        let (a, b) = (self.typed(left, depth)?, self.typed(right, depth)?);
        let kind = match (&a, &b) {
            (Typed::Moment(a, _), Typed::Moment(b, _)) => sum_kind(*a, operator, *b),
            _ => None,
        };
        match (kind, a, b) {
            (Some(kind), Typed::Moment(_, a), Typed::Moment(_, b)) => {
                let (a, b) = (Box::new(a), Box::new(b));
                let adds = operator == Operator::Add;
                let sum = if adds { Moment::Add(a, b) } else { Moment::Subtract(a, b) };
                Ok(Typed::Moment(kind, sum.folded()))
            }
            (_, Typed::Number(a), Typed::Number(b)) => {
                Number::Arithmetic(operator, Box::new(a), Box::new(b)).folded().map(Typed::Number)
            }
            (_, a, b) => {
                let (at_left, at_right) = (described(left, &a), described(right, &b));
                let at_fault = if matches!(a, Typed::Number(_)) { right } else { left };
                Err(invalid(
                    format!("'{}' cannot join {at_left} and {at_right}", operator.symbol()),
                    at_fault.place(),
                ))
            }
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        depth: usize,
    ) -> Result<Predicate> {
        let (a, b) = (self.typed(left, depth)?, self.typed(right, depth)?);
        compared(comparison, (left, a), (right, b))
    }

    fn listed(&mut self, value: &Expr, list: &[Expr], depth: usize) -> Result<Predicate> {
        let items: Result<Vec<(&Expr, Typed)>> =
            list.iter().map(|item| Ok((item, self.typed(item, depth)?))).collect();
        let items = items?;
        listed((value, self.typed(value, depth)?), items)
    }

    fn text(&mut self, expr: &Expr, user: &str, depth: usize) -> Result<Text> {
        match self.typed(expr, depth)? {
            Typed::Text(text) => Ok(text),
            other => {
                Err(invalid(format!("{user} needs a text, not {}", described(expr, &other)), expr.place()))
            }
        }
    }

    fn call(&mut self, function: Function, value: &Expr, depth: usize) -> Result<Typed> {
        Ok(match function {
            Function::Abs => match self.typed(value, depth)? {
                Typed::Number(number) => Typed::Number(Number::Abs(Box::new(number)).folded()?),
                other => {
                    let shown = described(value, &other);
                    return Err(invalid(format!("abs needs a number, not {shown}"), value.place()));
                }
            },
            Function::Lower => Typed::Text(Text::Lower(Box::new(self.text(value, "lower", depth)?)).folded()),
            Function::Upper => Typed::Text(Text::Upper(Box::new(self.text(value, "upper", depth)?)).folded()),
            Function::Length => Typed::Number(Number::Length(Box::new(self.text(value, "length", depth)?))),
        })
    }
}

fn of_column(source: Source, dtype: &DType) -> Option<Typed> {
    Some(match (source.native, dtype.kind()) {
        (_, Kind::DateTime | Kind::TimeDelta) => {
            let Some(unit) = dtype.unit() else { return Some(Typed::Unitless(source)) };
            let length = length_of(unit)?;
            let kind = match (dtype.kind(), length) {
                (Kind::DateTime, _) => MomentKind::Instant,
                (_, Length::Fixed(_)) => MomentKind::Span,
                (_, Length::Months(_)) => MomentKind::Months,
            };
            Typed::Moment(kind, Moment::Column(source, length))
        }
        (Native::Bool, _) => Typed::Truth(Predicate::Flag(source)),
        (Native::Bytes | Native::Text, _) => Typed::Text(Text::Column(source)),
        _ => Typed::Number(Number::Column(source)),
    })
}

fn constant(value: &Value) -> Typed {
    match value {
        Value::Bool(truth) => Typed::Truth(Predicate::Constant(*truth)),
        Value::Integer(value) => Typed::Number(Number::Integer(*value)),
        Value::Float(value) => Typed::Number(Number::Float(*value)),
        Value::Text(text) => Typed::Text(Text::Constant(text.trim_end_matches('\0').to_string())),
        Value::Instant(instant) => Typed::Moment(MomentKind::Instant, Moment::Constant(instant.0)),
        Value::Span(Span(Length::Fixed(length))) => {
            Typed::Moment(MomentKind::Span, Moment::Constant(*length))
        }
        Value::Span(Span(Length::Months(months))) => {
            Typed::Moment(MomentKind::Months, Moment::Constant(*months))
        }
    }
}

fn sum_kind(left: MomentKind, operator: Operator, right: MomentKind) -> Option<MomentKind> {
    let adds = match operator {
        Operator::Add => true,
        Operator::Subtract => false,
        _ => return None,
    };
    match (left, right) {
        (MomentKind::Instant, MomentKind::Instant) if !adds => Some(MomentKind::Span),
        (MomentKind::Instant, MomentKind::Span) => Some(MomentKind::Instant),
        (MomentKind::Span, MomentKind::Instant) if adds => Some(MomentKind::Instant),
        (MomentKind::Span, MomentKind::Span) => Some(MomentKind::Span),
        (MomentKind::Months, MomentKind::Months) => Some(MomentKind::Months),
        _ => None,
    }
}

pub(super) fn negated_if(negated: bool, predicate: Predicate) -> Predicate {
    if !negated {
        return predicate;
    }
    match predicate {
        Predicate::Constant(truth) => Predicate::Constant(!truth),
        Predicate::Not(inner) => *inner,
        other => Predicate::Not(Box::new(other)),
    }
}

/// Two conditions as one; two ranges of one column as one range.
fn both(left: Predicate, right: Predicate) -> Predicate {
    match (left, right) {
        (Predicate::Integers(a, low), Predicate::Integers(b, high)) if a == b => match low.and(high) {
            Some(bounds) => Predicate::Integers(a, bounds),
            None => Predicate::All(alloc::vec![Predicate::Integers(a, low), Predicate::Integers(b, high)]),
        },
        (Predicate::Floats(a, low), Predicate::Floats(b, high)) if a == b => match low.and(high) {
            Some(bounds) => Predicate::Floats(a, bounds),
            None => Predicate::All(alloc::vec![Predicate::Floats(a, low), Predicate::Floats(b, high)]),
        },
        (left, right) => Predicate::All(alloc::vec![left, right]),
    }
}

/// An operand as a message names it: a column with its type, a constant as it is written.
pub(super) fn described(expr: &Expr, typed: &Typed) -> String {
    match &expr.node {
        Node::Column(name) => format!("the {} column {}", typed.name(), excerpt(name)),
        Node::Literal(value) => excerpt(&value.to_string()),
        _ if is_truth(typed) => format!("the condition '{}'", excerpt(&expr.to_string())),
        _ => format!("the {} '{}'", typed.name(), excerpt(&expr.to_string())),
    }
}
