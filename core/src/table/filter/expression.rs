//! Filters as Rust values: what a text is parsed into, and what the builder makes.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::{Add, Div, Mul, Neg, Not, Rem, Sub};

use super::value::Value;

/// An expression over the columns of a table.
///
/// Made with [`col`] and [`lit`], joined by methods and operators. Its [`Display`](core::fmt::Display) is SQL text that
/// parses back to the same expression. Two expressions are equal when they have the same structure, wherever they
/// stood in a text.
///
/// ```
/// use recask_core::table::filter::col;
/// let late = col("delay").gt(60).and(col("distance").lt(500));
/// assert_eq!(late.to_string(), "\"delay\" > 60 AND \"distance\" < 500");
/// ```
#[derive(Clone, Debug)]
pub struct Expr {
    pub(super) node: Node,
    /// The 1-based character where it starts, for those that come from a text.
    pub(super) at: Option<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    Column(String),
    Literal(Value),
    Negate(Box<Expr>),
    Not(Box<Expr>),
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    Compare(Comparison, Box<Expr>, Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Between { value: Box<Expr>, low: Box<Expr>, high: Box<Expr>, negated: bool },
    In { value: Box<Expr>, list: Vec<Expr>, negated: bool },
    Like { value: Box<Expr>, pattern: Box<Expr>, like: LikeKind },
    IsMissing { value: Box<Expr>, negated: bool },
    IsTruth { value: Box<Expr>, truth: bool, negated: bool },
    Call(Function, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LikeKind {
    pub(super) escape: Option<char>,
    pub(super) ignores_case: bool,
    pub(super) negated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Abs,
    Lower,
    Upper,
    Length,
}

/// The column of this name, in exactly this spelling.
#[must_use]
pub fn col(name: impl Into<String>) -> Expr {
    Expr::of(Node::Column(name.into()))
}

/// A constant.
#[must_use]
pub fn lit(value: impl Into<Value>) -> Expr {
    Expr::of(Node::Literal(value.into()))
}

macro_rules! comparisons {
    ($($(#[doc = $doc:literal])+ $name:ident = $comparison:ident;)+) => {
        impl Expr { $(
            $(#[doc = $doc])+
            #[must_use]
            pub fn $name(self, other: impl Into<Expr>) -> Expr {
                Expr::of(Node::Compare(Comparison::$comparison, Box::new(self), Box::new(other.into())))
            }
        )+ }
    };
}

comparisons! {
    /// `self = other`
    eq = Equal;
    /// `self <> other`, which holds where either side is NaN or NaT.
    ne = NotEqual;
    /// `self < other`
    lt = Less;
    /// `self <= other`
    le = LessEqual;
    /// `self > other`
    gt = Greater;
    /// `self >= other`
    ge = GreaterEqual;
}

impl Expr {
    /// `self AND other`
    #[must_use]
    pub fn and(self, other: impl Into<Expr>) -> Expr {
        let mut parts = match self.node {
            Node::All(parts) => parts,
            node => alloc::vec![Expr { node, at: self.at }],
        };
        parts.push(other.into());
        Expr::of(Node::All(parts))
    }

    /// `self OR other`
    #[must_use]
    pub fn or(self, other: impl Into<Expr>) -> Expr {
        let mut parts = match self.node {
            Node::Any(parts) => parts,
            node => alloc::vec![Expr { node, at: self.at }],
        };
        parts.push(other.into());
        Expr::of(Node::Any(parts))
    }

    /// `self BETWEEN low AND high`, with both ends. [`Not`] makes it `NOT (… BETWEEN …)`.
    #[must_use]
    pub fn between(self, low: impl Into<Expr>, high: impl Into<Expr>) -> Expr {
        Expr::of(Node::Between {
            value: Box::new(self),
            low: Box::new(low.into()),
            high: Box::new(high.into()),
            negated: false,
        })
    }

    /// `self IN (list)`. Nothing is in an empty list.
    #[must_use]
    pub fn is_in<T: Into<Expr>>(self, list: impl IntoIterator<Item = T>) -> Expr {
        let list: Vec<Expr> = list.into_iter().map(Into::into).collect();
        if list.is_empty() {
            return lit(false);
        }
        Expr::of(Node::In { value: Box::new(self), list, negated: false })
    }

    /// `self LIKE pattern`: `%` is any text, `_` any one character.
    #[must_use]
    pub fn like(self, pattern: impl Into<Expr>) -> Expr {
        self.matches(pattern.into(), false)
    }

    /// `self ILIKE pattern`: [`Expr::like`] without regard to upper and lower case.
    #[must_use]
    pub fn ilike(self, pattern: impl Into<Expr>) -> Expr {
        self.matches(pattern.into(), true)
    }

    /// `self IS NULL`: the value is NaN or NaT.
    #[must_use]
    pub fn is_null(self) -> Expr {
        Expr::of(Node::IsMissing { value: Box::new(self), negated: false })
    }

    /// `self IS NOT NULL`: the value is neither NaN nor NaT.
    #[must_use]
    pub fn is_not_null(self) -> Expr {
        Expr::of(Node::IsMissing { value: Box::new(self), negated: true })
    }

    /// `abs(self)`
    #[must_use]
    pub fn abs(self) -> Expr {
        self.call(Function::Abs)
    }

    /// `lower(self)`
    #[must_use]
    pub fn lower(self) -> Expr {
        self.call(Function::Lower)
    }

    /// `upper(self)`
    #[must_use]
    pub fn upper(self) -> Expr {
        self.call(Function::Upper)
    }

    /// `length(self)`: the characters of a text.
    #[must_use]
    pub fn length(self) -> Expr {
        self.call(Function::Length)
    }

    pub(super) fn of(node: Node) -> Expr {
        Expr { node, at: None }
    }

    pub(super) fn at(node: Node, at: usize) -> Expr {
        Expr { node, at: Some(at) }
    }

    /// Where it starts in its text.
    pub(super) fn place(&self) -> Option<usize> {
        self.at.or_else(|| match &self.node {
            Node::Column(_) | Node::Literal(_) => None,
            Node::Negate(value) | Node::Not(value) | Node::Call(_, value) => value.place(),
            Node::Arithmetic(_, left, _) | Node::Compare(_, left, _) => left.place(),
            Node::All(parts) | Node::Any(parts) => parts.first().and_then(Expr::place),
            Node::Between { value, .. }
            | Node::In { value, .. }
            | Node::Like { value, .. }
            | Node::IsMissing { value, .. }
            | Node::IsTruth { value, .. } => value.place(),
        })
    }

    fn matches(self, pattern: Expr, ignores_case: bool) -> Expr {
        let like = LikeKind { escape: None, ignores_case, negated: false };
        Expr::of(Node::Like { value: Box::new(self), pattern: Box::new(pattern), like })
    }

    fn call(self, function: Function) -> Expr {
        Expr::of(Node::Call(function, Box::new(self)))
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Into<Value>> From<T> for Expr {
    fn from(value: T) -> Self {
        lit(value)
    }
}

impl Not for Expr {
    type Output = Expr;

    fn not(self) -> Expr {
        Expr::of(Node::Not(Box::new(self)))
    }
}

impl Neg for Expr {
    type Output = Expr;

    /// `-self`; of an integer or decimal constant, the negative constant.
    fn neg(self) -> Expr {
        let node = match self.node {
            Node::Literal(Value::Integer(value)) if value != i128::MIN => {
                Node::Literal(Value::Integer(-value))
            }
            Node::Literal(Value::Float(value)) => Node::Literal(Value::Float(-value)),
            node => Node::Negate(Box::new(Expr { node, at: self.at })),
        };
        Expr { node, at: self.at }
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $operator:ident;)+) => { $(
        impl<T: Into<Expr>> $trait<T> for Expr {
            type Output = Expr;

            fn $method(self, other: T) -> Expr {
                Expr::of(Node::Arithmetic(Operator::$operator, Box::new(self), Box::new(other.into())))
            }
        }
    )+ };
}

operators! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
    Rem rem Remainder;
}

impl Comparison {
    /// The same comparison with its sides exchanged.
    pub(super) fn mirrored(self) -> Self {
        match self {
            Comparison::Equal | Comparison::NotEqual => self,
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
        }
    }
}
