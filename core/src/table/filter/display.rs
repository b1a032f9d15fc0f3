//! Expressions as SQL text that parses back to them.

use core::fmt::{self, Write as _};

use super::expression::{Comparison, Expr, Function, Node, Operator};
use super::value::Value;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Node::Column(name) => quoted(f, '"', name),
            Node::Literal(value) => value.fmt(f),
            Node::Negate(value) => write!(f, "-{}", Within(value, Level::Atom)),
            Node::Not(value) => write!(f, "NOT {}", Within(value, Level::Compare)),
            Node::Arithmetic(operator, left, right) => {
                let (level, above) = match operator {
                    Operator::Add | Operator::Subtract => (Level::Sum, Level::Product),
                    _ => (Level::Product, Level::Atom),
                };
                write!(f, "{} {} {}", Within(left, level), operator.symbol(), Within(right, above))
            }
            Node::Compare(comparison, left, right) => {
                let (left, right) = (Within(left, Level::Sum), Within(right, Level::Sum));
                write!(f, "{left} {} {right}", comparison.symbol())
            }
            Node::All(parts) => joined(f, parts, " AND ", Level::Not),
            Node::Any(parts) => joined(f, parts, " OR ", Level::And),
            Node::Between { value, low, high, negated } => {
                let [value, low, high] = [value, low, high].map(|part| Within(part, Level::Sum));
                write!(f, "{value} {}BETWEEN {low} AND {high}", not(*negated))
            }
            Node::In { value, list, negated } => {
                write!(f, "{} {}IN (", Within(value, Level::Sum), not(*negated))?;
                joined(f, list, ", ", Level::Or)?;
                f.write_char(')')
            }
            Node::Like { value, pattern, like } => {
                let name = if like.ignores_case { "ILIKE" } else { "LIKE" };
                let (value, pattern) = (Within(value, Level::Sum), Within(pattern, Level::Sum));
                write!(f, "{value} {}{name} {pattern}", not(like.negated))?;
                match like.escape {
                    Some('\'') => f.write_str(" ESCAPE ''''"),
                    Some(escape) => write!(f, " ESCAPE '{escape}'"),
                    None => Ok(()),
                }
            }
            Node::IsMissing { value, negated } => {
                write!(f, "{} IS {}NULL", Within(value, Level::Atom), not(*negated))
            }
            Node::IsTruth { value, truth, negated } => {
                let truth = if *truth { "TRUE" } else { "FALSE" };
                write!(f, "{} IS {}{truth}", Within(value, Level::Atom), not(*negated))
            }
            Node::Call(function, value) => write!(f, "{}({value})", function.name()),
        }
    }
}

impl fmt::Display for Value {
    /// The constant as SQL text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(true) => f.write_str("TRUE"),
            Value::Bool(false) => f.write_str("FALSE"),
            Value::Integer(value) => write!(f, "{value}"),
            // SQL has no words for these: arithmetic that gives them.
            Value::Float(value) if value.is_nan() => f.write_str("1e999 - 1e999"),
            Value::Float(value) if value.is_infinite() => {
                f.write_str(if *value < 0.0 { "-1e999" } else { "1e999" })
            }
            // Always with a point or an exponent, or it would be a whole number.
            Value::Float(value) if *value != 0.0 && !(1e-5..1e16).contains(&value.abs()) => {
                write!(f, "{value:e}")
            }
            Value::Float(value) if libm::trunc(*value) == *value => write!(f, "{value:.1}"),
            Value::Float(value) => write!(f, "{value}"),
            Value::Text(text) => quoted(f, '\'', text),
            Value::Instant(instant) => write!(f, "TIMESTAMP '{instant}'"),
            Value::Span(span) => write!(f, "INTERVAL '{span}'"),
        }
    }
}

/// How tightly an expression holds together, as the grammar has it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Compare,
    Sum,
    Product,
    Negate,
    Atom,
}

/// An operand, in parentheses where it is looser than its place allows.
struct Within<'a>(&'a Expr, Level);

impl fmt::Display for Within<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if level(self.0) < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

fn level(expr: &Expr) -> Level {
    match &expr.node {
        Node::Any(_) => Level::Or,
        Node::All(_) => Level::And,
        Node::Not(_) => Level::Not,
        Node::Compare(..)
        | Node::Between { .. }
        | Node::In { .. }
        | Node::Like { .. }
        | Node::IsMissing { .. }
        | Node::IsTruth { .. } => Level::Compare,
        Node::Arithmetic(Operator::Add | Operator::Subtract, ..) => Level::Sum,
        Node::Arithmetic(..) => Level::Product,
        Node::Negate(_) => Level::Negate,
        Node::Literal(Value::Float(value)) if value.is_nan() => Level::Sum,
        Node::Literal(Value::Integer(value)) if *value < 0 => Level::Negate,
        Node::Literal(Value::Float(value)) if value.is_sign_negative() => Level::Negate,
        Node::Column(_) | Node::Literal(_) | Node::Call(..) => Level::Atom,
    }
}

fn joined(f: &mut fmt::Formatter<'_>, parts: &[Expr], between: &str, level: Level) -> fmt::Result {
    for (i, part) in parts.iter().enumerate() {
        if i > 0 {
            f.write_str(between)?;
        }
        write!(f, "{}", Within(part, level))?;
    }
    Ok(())
}

fn quoted(f: &mut fmt::Formatter<'_>, quote: char, text: &str) -> fmt::Result {
    f.write_char(quote)?;
    for c in text.chars() {
        if c == quote {
            f.write_char(quote)?;
        }
        f.write_char(c)?;
    }
    f.write_char(quote)
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

impl Operator {
    pub(super) fn symbol(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Subtract => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
            Operator::Remainder => '%',
        }
    }
}

impl Comparison {
    fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }
}

impl Function {
    pub(super) const ALL: [Function; 4] = [Function::Abs, Function::Lower, Function::Upper, Function::Length];

    pub(super) fn name(self) -> &'static str {
        match self {
            Function::Abs => "abs",
            Function::Lower => "lower",
            Function::Upper => "upper",
            Function::Length => "length",
        }
    }
}
