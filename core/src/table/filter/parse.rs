//! From a text to an expression: SQL's precedence, by climbing.
//!
//! `sqlparser` reads the same language, and the tests compare the two; but its grammar of all statements would be more than half
//! of the module that a browser loads.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::expression::{Comparison, Expr, Function, LikeKind, Node, Operator};
use super::parameters::Parameters;
use super::schema::Columns;
use super::tokens::{Token, TokenKind, Word, tokens};
use super::value::Value;
use super::{MAX_DEPTH, excerpt, invalid, too_deep};
use crate::error::{Error, Result};

/// How tightly operators bind, loosest first. The operand of an operator holds only what binds tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Nothing,
    Or,
    And,
    Not,
    Is,
    Like,
    /// Also `BETWEEN` and `IN`.
    Compare,
    Sum,
    Product,
}

pub(super) fn parse<C: Columns + ?Sized>(text: &str, schema: &C, parameters: &Parameters) -> Result<Expr> {
    let tokens = tokens(text, schema, parameters)?;
    let mut parser = Parser { tokens: &tokens, next: 0, open: 0, end: text.chars().count() + 1 };
    let whole = parser.expression(Binding::Nothing, 0)?;
    match parser.peek() {
        None => Ok(whole.expr),
        Some(_) => Err(parser.expected("AND, OR or the end")),
    }
}

/// An expression, and of how many levels it is.
struct Tree {
    expr: Expr,
    height: usize,
}

impl Tree {
    fn leaf(expr: Expr) -> Self {
        Tree { expr, height: 1 }
    }

    /// An expression over others of at most this height.
    fn over(height: usize, expr: Expr) -> Result<Self> {
        if height >= MAX_DEPTH { Err(too_deep()) } else { Ok(Tree { expr, height: height + 1 }) }
    }
}

struct Parser<'t> {
    tokens: &'t [Token<'t>],
    next: usize,
    /// Parentheses that are open.
    open: usize,
    /// The character behind the text.
    end: usize,
}

impl<'t> Parser<'t> {
    /// What binds tighter than `outer`. `prefixes` are the signs and `NOT`s directly before.
    fn expression(&mut self, outer: Binding, prefixes: usize) -> Result<Tree> {
        let mut left = self.operand(prefixes)?;
        while let Some((binding, is_negated)) = self.infix() {
            if binding <= outer {
                break;
            }
            if is_negated {
                self.next += 1;
            }
            left = self.extend(left, binding, is_negated)?;
        }
        Ok(left)
    }

    /// How tightly the operator binds that comes next, and whether a `NOT` stands before it.
    fn infix(&self) -> Option<(Binding, bool)> {
        let binding = |kind: &TokenKind| match kind {
            TokenKind::Word(Word::Between | Word::In) => Some(Binding::Compare),
            TokenKind::Word(Word::Like | Word::ILike) => Some(Binding::Like),
            _ => None,
        };
        let kind = |at: usize| self.tokens.get(at).map(|token| &token.kind);
        match kind(self.next)? {
            TokenKind::Word(Word::Or) => Some((Binding::Or, false)),
            TokenKind::Word(Word::And) => Some((Binding::And, false)),
            TokenKind::Word(Word::Is) => Some((Binding::Is, false)),
            TokenKind::Compare(_) => Some((Binding::Compare, false)),
            TokenKind::Arithmetic(Operator::Add | Operator::Subtract) => Some((Binding::Sum, false)),
            TokenKind::Arithmetic(_) => Some((Binding::Product, false)),
            TokenKind::Word(Word::Not) => {
                kind(self.next + 1).and_then(binding).map(|binding| (binding, true))
            }
            other => binding(other).map(|binding| (binding, false)),
        }
    }

    /// Joins `left` with the operator that comes next and what follows it.
    fn extend(&mut self, left: Tree, binding: Binding, negated: bool) -> Result<Tree> {
        let Some(token) = self.take() else { return Ok(left) };
        match &token.kind {
            TokenKind::Compare(comparison) => self.compare(left, *comparison),
            TokenKind::Arithmetic(operator) => self.arithmetic(left, *operator, binding),
            TokenKind::Word(Word::And | Word::Or) => self.chain(left, binding),
            TokenKind::Word(Word::Between) => self.between(left, negated),
            TokenKind::Word(Word::In) => self.within(left, negated),
            TokenKind::Word(Word::Is) => self.is(left),
            TokenKind::Word(Word::Like) => self.like(left, negated, false),
            TokenKind::Word(Word::ILike) => self.like(left, negated, true),
            // `infix` names no others.
            _ => Ok(left),
        }
    }

    fn compare(&mut self, left: Tree, comparison: Comparison) -> Result<Tree> {
        let right = self.expression(Binding::Compare, 0)?;
        let height = left.height.max(right.height);
        Tree::over(height, Expr::of(Node::Compare(comparison, left.expr.into(), right.expr.into())))
    }

    fn arithmetic(&mut self, left: Tree, operator: Operator, binding: Binding) -> Result<Tree> {
        let right = self.expression(binding, 0)?;
        let height = left.height.max(right.height);
        Tree::over(height, Expr::of(Node::Arithmetic(operator, left.expr.into(), right.expr.into())))
    }

    /// `a AND b AND c` as one list.
    fn chain(&mut self, first: Tree, binding: Binding) -> Result<Tree> {
        let word = if binding == Binding::And { Word::And } else { Word::Or };
        let mut height = first.height;
        let mut parts = alloc::vec![first.expr];
        loop {
            let part = self.expression(binding, 0)?;
            height = height.max(part.height);
            parts.push(part.expr);
            if !self.skip(&TokenKind::Word(word)) {
                break;
            }
        }
        Tree::over(height, Expr::of(if word == Word::And { Node::All(parts) } else { Node::Any(parts) }))
    }

    fn between(&mut self, value: Tree, negated: bool) -> Result<Tree> {
        let low = self.expression(Binding::Compare, 0)?;
        if !self.skip(&TokenKind::Word(Word::And)) {
            return Err(self.expected("AND"));
        }
        let high = self.expression(Binding::Compare, 0)?;
        let height = value.height.max(low.height).max(high.height);
        let (value, low, high) = (value.expr.into(), low.expr.into(), high.expr.into());
        Tree::over(height, Expr::of(Node::Between { value, low, high, negated }))
    }

    fn within(&mut self, value: Tree, negated: bool) -> Result<Tree> {
        if !self.skip(&TokenKind::Open) {
            return Err(self.expected("("));
        }
        let (list, height) = self.list()?;
        let height = value.height.max(height);
        Tree::over(height, Expr::of(Node::In { value: value.expr.into(), list, negated }))
    }

    fn is(&mut self, value: Tree) -> Result<Tree> {
        let negated = self.skip(&TokenKind::Word(Word::Not));
        let (height, inner) = (value.height, Box::new(value.expr));
        let node = match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Null) => Node::IsMissing { value: inner, negated },
            Some(&TokenKind::Constant(Value::Bool(truth))) => Node::IsTruth { value: inner, truth, negated },
            _ => return Err(self.expected("NULL, TRUE or FALSE after IS")),
        };
        self.next += 1;
        Tree::over(height, Expr::of(node))
    }

    fn like(&mut self, value: Tree, negated: bool, ignores_case: bool) -> Result<Tree> {
        let pattern = self.expression(Binding::Like, 0)?;
        let escape = if self.skip(&TokenKind::Word(Word::Escape)) { Some(self.escape()?) } else { None };
        let height = value.height.max(pattern.height);
        let like = LikeKind { escape, ignores_case, negated };
        Tree::over(
            height,
            Expr::of(Node::Like { value: value.expr.into(), pattern: pattern.expr.into(), like }),
        )
    }

    /// The one character of `ESCAPE '!'`.
    fn escape(&mut self) -> Result<char> {
        let escape = self.operand(0)?.expr;
        let mut chars = match &escape.node {
            Node::Literal(Value::Text(text)) => text.chars(),
            _ => "".chars(),
        };
        match (chars.next(), chars.next()) {
            (Some(c), None) => Ok(c),
            _ => Err(invalid(format!("ESCAPE needs one character, not {escape}"), escape.place())),
        }
    }

    /// A value, a call, something in parentheses, or one of these behind a sign or a `NOT`.
    fn operand(&mut self, prefixes: usize) -> Result<Tree> {
        let Some(token) = self.take() else { return Err(self.expected("an expression")) };
        let at = token.at;
        match &token.kind {
            TokenKind::Column(name) => Ok(Tree::leaf(Expr::at(Node::Column(name.clone()), at))),
            TokenKind::Constant(value) => Ok(Tree::leaf(Expr::at(Node::Literal(value.clone()), at))),
            TokenKind::Null => {
                let text = String::from("nothing compares with NULL: write IS NULL for NaN and NaT");
                Err(invalid(text, Some(at)))
            }
            TokenKind::Function(function) => self.call(*function, at),
            TokenKind::Open => self.parentheses(),
            TokenKind::Word(Word::Not) => {
                let value = self.prefixed(Binding::Not, prefixes)?;
                Tree::over(value.height, !value.expr)
            }
            TokenKind::Arithmetic(Operator::Subtract) => {
                let value = self.prefixed(Binding::Product, prefixes)?;
                Tree::over(value.height, -value.expr)
            }
            TokenKind::Arithmetic(Operator::Add) => self.prefixed(Binding::Product, prefixes),
            _ => {
                self.next -= 1;
                Err(self.expected("an expression"))
            }
        }
    }

    fn prefixed(&mut self, binding: Binding, prefixes: usize) -> Result<Tree> {
        if prefixes >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.expression(binding, prefixes + 1)
    }

    fn parentheses(&mut self) -> Result<Tree> {
        let (mut list, height) = self.list()?;
        match (list.pop(), list.is_empty()) {
            (Some(expr), true) => Ok(Tree { expr, height }),
            _ => Err(invalid(String::from("a list in parentheses can only follow IN"), None)),
        }
    }

    fn call(&mut self, function: Function, at: usize) -> Result<Tree> {
        // A word is a function only where a parenthesis follows.
        self.next += 1;
        let takes_one = || invalid(format!("{} takes one value", function.name()), Some(at));
        if self.skip(&TokenKind::Close) {
            return Err(takes_one());
        }
        let (mut list, height) = self.list()?;
        match (list.pop(), list.is_empty()) {
            (Some(argument), true) => Tree::over(height, Expr::at(Node::Call(function, argument.into()), at)),
            _ => Err(takes_one()),
        }
    }

    /// Expressions up to the closing parenthesis; at least one.
    fn list(&mut self) -> Result<(Vec<Expr>, usize)> {
        if self.open >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.open += 1;
        let (mut list, mut height) = (Vec::new(), 0);
        loop {
            let item = self.expression(Binding::Nothing, 0)?;
            height = height.max(item.height);
            list.push(item.expr);
            if self.skip(&TokenKind::Close) {
                break;
            }
            if !self.skip(&TokenKind::Comma) {
                return Err(self.expected(if self.peek().is_some() { "AND, OR or )" } else { ")" }));
            }
        }
        self.open -= 1;
        Ok((list, height))
    }

    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.next)
    }

    fn take(&mut self) -> Option<&'t Token<'t>> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }

    fn skip(&mut self, kind: &TokenKind) -> bool {
        let is_here = self.peek().is_some_and(|token| token.kind == *kind);
        self.next += usize::from(is_here);
        is_here
    }

    fn expected(&self, what: &str) -> Error {
        match self.peek() {
            Some(token) => {
                let found = excerpt(token.text);
                invalid(format!("expected {what}, found '{found}'"), Some(token.at))
            }
            None => invalid(format!("expected {what}, found the end"), Some(self.end)),
        }
    }
}
