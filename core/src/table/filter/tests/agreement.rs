//! The parser reads conditions as `sqlparser`, an independent parser of SQL, does.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::prelude::*;
use sqlparser::ast::{
    BinaryOperator, Expr as Sql, FunctionArg, FunctionArgExpr, FunctionArguments, InTarget, UnaryOperator,
    Value as SqlValue,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Token;

use super::super::expression::{Comparison, Expr, Function, LikeKind, Node, Operator};
use super::super::parameters::Parameters;
use super::super::parse::parse;
use super::super::value::Value;
use crate::dtype::DType;

const SCHEMA: [(&str, DType); 3] = [("a", DType::I32), ("b", DType::I32), ("c", DType::I32)];

/// What `sqlparser` makes of the whole text; `None` where it refuses it.
fn by_sqlparser(text: &str) -> Option<Expr> {
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(text).ok()?;
    let parsed = parser.parse_expr().ok()?;
    (parser.peek_token().token == Token::EOF).then(|| expression(parsed))
}

fn boxed(sql: Box<Sql>) -> Box<Expr> {
    Box::new(expression(*sql))
}

fn expression(sql: Sql) -> Expr {
    let node = match sql {
        Sql::Nested(inner) => return expression(*inner),
        Sql::Identifier(name) => Node::Column(name.value),
        Sql::Value(value) => Node::Literal(match value.value {
            SqlValue::Boolean(truth) => Value::Bool(truth),
            SqlValue::Number(number, _) => match number.parse() {
                Ok(whole) => Value::Integer(whole),
                Err(_) => Value::Float(number.parse().expect("a number")),
            },
            SqlValue::SingleQuotedString(text) => Value::Text(text),
            other => panic!("{other:?} was not written"),
        }),
        Sql::UnaryOp { op, expr } => {
            let value = expression(*expr);
            return match op {
                UnaryOperator::Minus => -value,
                UnaryOperator::Plus => value,
                UnaryOperator::Not => !value,
                other => panic!("{other:?} was not written"),
            };
        }
        Sql::BinaryOp { left, op, right } => return binary(left, op, right),
        Sql::Between { expr, negated, low, high } => {
            Node::Between { value: boxed(expr), low: boxed(low), high: boxed(high), negated }
        }
        Sql::In { expr, target: InTarget::List(list), negated, .. } => {
            Node::In { value: boxed(expr), list: list.into_iter().map(expression).collect(), negated }
        }
        Sql::Like { negated, expr, pattern, escape_char, .. } => {
            return like(expr, pattern, escape_char, negated, false);
        }
        Sql::ILike { negated, expr, pattern, escape_char, .. } => {
            return like(expr, pattern, escape_char, negated, true);
        }
        Sql::IsNull(value) => Node::IsMissing { value: boxed(value), negated: false },
        Sql::IsNotNull(value) => Node::IsMissing { value: boxed(value), negated: true },
        Sql::IsTrue(value) => Node::IsTruth { value: boxed(value), truth: true, negated: false },
        Sql::IsNotTrue(value) => Node::IsTruth { value: boxed(value), truth: true, negated: true },
        Sql::IsFalse(value) => Node::IsTruth { value: boxed(value), truth: false, negated: false },
        Sql::IsNotFalse(value) => Node::IsTruth { value: boxed(value), truth: false, negated: true },
        Sql::Function(call) => {
            let FunctionArguments::List(list) = call.args else { panic!("it has a list") };
            let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))) = list.args.into_iter().next()
            else {
                panic!("it has one value")
            };
            Node::Call(Function::Abs, Box::new(expression(argument)))
        }
        other => panic!("{other} was not written"),
    };
    Expr::of(node)
}

fn like(
    value: Box<Sql>,
    pattern: Box<Sql>,
    escape: Option<Box<Sql>>,
    negated: bool,
    ignores_case: bool,
) -> Expr {
    let escape = escape.and_then(|escape| match expression(*escape).node {
        Node::Literal(Value::Text(text)) => text.chars().next(),
        _ => None,
    });
    let like = LikeKind { escape, ignores_case, negated };
    Expr::of(Node::Like { value: boxed(value), pattern: boxed(pattern), like })
}

fn binary(left: Box<Sql>, op: BinaryOperator, right: Box<Sql>) -> Expr {
    let arithmetic = |operator, left, right| Node::Arithmetic(operator, boxed(left), boxed(right));
    let compare = |comparison, left, right| Node::Compare(comparison, boxed(left), boxed(right));
    Expr::of(match op {
        BinaryOperator::And => Node::All(chain(left, &op, right)),
        BinaryOperator::Or => Node::Any(chain(left, &op, right)),
        BinaryOperator::Plus => arithmetic(Operator::Add, left, right),
        BinaryOperator::Minus => arithmetic(Operator::Subtract, left, right),
        BinaryOperator::Multiply => arithmetic(Operator::Multiply, left, right),
        BinaryOperator::Divide => arithmetic(Operator::Divide, left, right),
        BinaryOperator::Modulo => arithmetic(Operator::Remainder, left, right),
        BinaryOperator::Eq => compare(Comparison::Equal, left, right),
        BinaryOperator::NotEq => compare(Comparison::NotEqual, left, right),
        BinaryOperator::Lt => compare(Comparison::Less, left, right),
        BinaryOperator::LtEq => compare(Comparison::LessEqual, left, right),
        BinaryOperator::Gt => compare(Comparison::Greater, left, right),
        BinaryOperator::GtEq => compare(Comparison::GreaterEqual, left, right),
        other => panic!("{other} was not written"),
    })
}

/// `a AND b AND c` is one list; what stands in parentheses is a part of its own.
fn chain(left: Box<Sql>, op: &BinaryOperator, right: Box<Sql>) -> Vec<Expr> {
    let mut parts = match *left {
        Sql::BinaryOp { left, op: inner, right } if inner == *op => chain(left, op, right),
        other => alloc::vec![expression(other)],
    };
    parts.push(expression(*right));
    parts
}

/// `ESCAPE` stands in parentheses: `sqlparser` would take what follows its character, too.
fn term() -> impl Strategy<Value = String> {
    prop::sample::select(
        &[
            "a",
            "b",
            "c",
            "1",
            "2.5",
            "'x'",
            "TRUE",
            "- a",
            "+ 1",
            "- - b",
            "abs(a)",
            "NOT b",
            "(a LIKE 'x' ESCAPE '!')",
        ][..],
    )
    .prop_map(String::from)
}

fn operator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "AND",
            "OR",
            "=",
            "<>",
            "<",
            "<=",
            ">",
            ">=",
            "+",
            "-",
            "*",
            "/",
            "%",
            "LIKE",
            "NOT LIKE",
            "ILIKE",
            "not ilike",
        ][..],
    )
}

/// What may follow a value.
fn ending() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        1 => prop::sample::select(
            &["IS NULL", "IS NOT NULL", "IS TRUE", "IS NOT FALSE"][..],
        ).prop_map(String::from),
        1 => (term(), term()).prop_map(|(low, high)| format!("BETWEEN {low} AND {high}")),
        1 => (term(), term()).prop_map(|(low, high)| format!("NOT BETWEEN {low} + 1 AND {high}")),
        1 => (term(), term()).prop_map(|(one, other)| format!("NOT IN ({one}, {other} * 2)")),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let leaf = (term(), ending()).prop_map(|(term, ending)| format!("{term} {ending}"));
    leaf.prop_recursive(3, 24, 6, |inner| {
        let part = prop_oneof![3 => inner.clone(), 1 => inner.prop_map(|inner| format!("NOT ({inner})"))];
        (part.clone(), prop::collection::vec((operator(), part), 1..5), ending()).prop_map(
            |(first, more, ending)| {
                let more: String =
                    more.into_iter().map(|(operator, part)| format!(" {operator} {part}")).collect();
                format!("{first}{more} {ending}")
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn conditions_mean_the_same_to_sqlparser(text in text()) {
        let ours = parse(&text, &SCHEMA, &Parameters::new());
        match (ours, by_sqlparser(&text)) {
            (Ok(ours), Some(theirs)) => prop_assert_eq!(ours, theirs, "{}", text),
            (Err(_), None) => {}
            // sqlparser has its own bound for depth.
            (Err(error), _) if error.message().contains("nests more than") => {}
            (ours, theirs) => prop_assert!(false, "{text}: {ours:?} against {theirs:?}"),
        }
    }
}
