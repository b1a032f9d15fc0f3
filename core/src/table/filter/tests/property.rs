//! Random filters over random rows, against an interpreter that goes row by row.

#![expect(clippy::cast_possible_truncation, reason = "rounds on purpose, or has been checked to fit")]

use core::cmp::Ordering;

use alloc::boxed::Box;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::Table;
use crate::table::filter::expression::{Comparison, Node, Operator};
use crate::table::filter::{Expr, Filter, Value, col, lit};

#[derive(Clone, Copy, Debug)]
struct Row {
    a: i64,
    b: u64,
    c: i16,
    f: f64,
    g: f32,
    t: bool,
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    Integer(i128),
    Float(f64),
    Truth(bool),
}

fn integer(expr: &Expr, row: &Row) -> Cell {
    match &expr.node {
        Node::Column(name) => match name.as_str() {
            "a" => Cell::Integer(row.a.into()),
            "b" => Cell::Integer(row.b.into()),
            "c" => Cell::Integer(row.c.into()),
            "f" => Cell::Float(row.f),
            "g" => Cell::Float(row.g.into()),
            _ => Cell::Truth(row.t),
        },
        Node::Literal(Value::Integer(value)) => Cell::Integer(*value),
        Node::Literal(Value::Float(value)) => Cell::Float(*value),
        Node::Literal(Value::Bool(value)) => Cell::Truth(*value),
        Node::Negate(value) => match integer(value, row) {
            Cell::Integer(value) => Cell::Integer(-value),
            Cell::Float(value) => Cell::Float(-value),
            truth @ Cell::Truth(_) => truth,
        },
        Node::Arithmetic(operator, left, right) => match (integer(left, row), integer(right, row)) {
            (Cell::Integer(a), Cell::Integer(b)) => match operator {
                Operator::Add => Cell::Integer(a + b),
                Operator::Subtract => Cell::Integer(a - b),
                Operator::Multiply => Cell::Integer(a * b),
                Operator::Divide => Cell::Float(a as f64 / b as f64),
                Operator::Remainder if b == 0 => Cell::Integer(0),
                Operator::Remainder => Cell::Integer(a - b * floored(a, b)),
            },
            (a, b) => {
                let (a, b) = (float(a), float(b));
                Cell::Float(match operator {
                    Operator::Add => a + b,
                    Operator::Subtract => a - b,
                    Operator::Multiply => a * b,
                    Operator::Divide => a / b,
                    Operator::Remainder => {
                        let rest = a % b;
                        if rest != 0.0 && rest.is_sign_negative() != b.is_sign_negative() {
                            rest + b
                        } else {
                            rest
                        }
                    }
                })
            }
        },
        _ => Cell::Truth(truth(expr, row)),
    }
}

fn floored(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn float(cell: Cell) -> f64 {
    match cell {
        Cell::Integer(value) => value as f64,
        Cell::Float(value) => value,
        Cell::Truth(value) => f64::from(u8::from(value)),
    }
}

fn truth(expr: &Expr, row: &Row) -> bool {
    match &expr.node {
        Node::Not(value) => !truth(value, row),
        Node::All(parts) => parts.iter().all(|part| truth(part, row)),
        Node::Any(parts) => parts.iter().any(|part| truth(part, row)),
        Node::Compare(comparison, left, right) => holds(*comparison, left, right, row),
        Node::Between { value, low, high, negated } => {
            let inside = holds(Comparison::GreaterEqual, value, low, row)
                && holds(Comparison::LessEqual, value, high, row);
            inside != *negated
        }
        Node::In { value, list, negated } => {
            list.iter().any(|item| holds(Comparison::Equal, value, item, row)) != *negated
        }
        Node::IsMissing { value, negated } => {
            matches!(integer(value, row), Cell::Float(value) if value.is_nan()) != *negated
        }
        _ => matches!(integer(expr, row), Cell::Truth(true)),
    }
}

fn holds(comparison: Comparison, left: &Expr, right: &Expr, row: &Row) -> bool {
    let (mut a, mut b) = (integer(left, row), integer(right, row));
    let is_single = |expr: &Expr| matches!(&expr.node, Node::Column(name) if name == "g");
    // NumPy takes a constant beside a column in the precision of the column, also one that was computed.
    for (column, cell, constant) in [(left, &mut b, right), (right, &mut a, left)] {
        if let (true, true, Cell::Float(value)) = (is_single(column), is_constant(constant), *cell)
            && (value as f32).is_finite()
        {
            *cell = Cell::Float((value as f32).into());
        }
    }
    let order = match (a, b) {
        (Cell::Truth(a), Cell::Truth(b)) => Some(a.cmp(&b)),
        (Cell::Integer(a), Cell::Integer(b)) => Some(a.cmp(&b)),
        (Cell::Float(a), Cell::Float(b)) => a.partial_cmp(&b),
        (Cell::Integer(a), b) => by_halves(a, float(b)),
        (a, Cell::Integer(b)) => by_halves(b, float(a)).map(Ordering::reverse),
        _ => unreachable!("{left} {right}"),
    };
    match comparison {
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessEqual => order.is_some_and(Ordering::is_le),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterEqual => order.is_some_and(Ordering::is_ge),
    }
}

fn is_constant(expr: &Expr) -> bool {
    match &expr.node {
        Node::Literal(_) => true,
        Node::Negate(value) => is_constant(value),
        Node::Arithmetic(_, left, right) => is_constant(left) && is_constant(right),
        _ => false,
    }
}

/// Compares the whole part, then the fraction.
fn by_halves(integer: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= 1.7e38 {
        return Some(Ordering::Less);
    }
    if float <= -1.7e38 {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    Some(integer.cmp(&(whole as i128)).then(0.0.partial_cmp(&(float - whole))?))
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let small = -3i64..4;
    let a = prop_oneof![
        4 => small,
        1 => prop::sample::select(&[i64::MIN, i64::MAX, 1 << 53, (1 << 53) + 1][..]),
    ];
    let b = prop_oneof![4 => 0u64..5, 1 => prop::sample::select(&[u64::MAX, 1 << 63, (1 << 53) + 1][..])];
    let f = prop_oneof![
        4 => (-6i32..7).prop_map(|v| f64::from(v) / 2.0),
        1 => prop::sample::select(&[f64::NAN, f64::INFINITY, -0.0, 9_007_199_254_740_992.0, 0.1][..]),
    ];
    let g = prop_oneof![(-3i8..4).prop_map(f32::from), Just(f32::NAN), Just(0.1f32)];
    let row = (a, b, -3i16..4, f, g, any::<bool>()).prop_map(|(a, b, c, f, g, t)| Row { a, b, c, f, g, t });
    prop::collection::vec(row, 1..12)
}

fn number() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        4 => prop::sample::select(&["a", "b", "c", "f", "g"][..]).prop_map(col),
        2 => (-4i64..5).prop_map(lit),
        1 => prop::sample::select(&[i64::MIN, i64::MAX, (1 << 53) + 1][..]).prop_map(lit),
        2 => prop::sample::select(&[0.5, -2.5, 0.1, 2.0, 1e300, f64::INFINITY][..]).prop_map(|value: f64| lit(value)),
    ];
    // At most one product, and not of two large ones, so that nothing leaves 128 bits.
    let factor = prop_oneof![Just(col("c")), Just(col("a")), Just(col("f")), (-4i64..5).prop_map(lit)];
    let product = (leaf.clone(), factor).prop_map(|(a, b)| a * b);
    let other = (leaf.clone(), 0..4usize, leaf.clone()).prop_map(|(a, operator, b)| match operator {
        0 => a + b,
        1 => a - b,
        2 => a / b,
        _ => a % b,
    });
    prop_oneof![4 => leaf.clone(), 1 => product, 2 => other, 1 => leaf.prop_map(|value| -value)]
}

fn condition() -> impl Strategy<Value = Expr> {
    let comparisons = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessEqual,
        Comparison::Greater,
        Comparison::GreaterEqual,
    ];
    let compare = (prop::sample::select(comparisons.to_vec()), number(), number())
        .prop_map(|(comparison, a, b)| Expr::of(Node::Compare(comparison, Box::new(a), Box::new(b))));
    let between = (number(), number(), number(), any::<bool>()).prop_map(|(value, low, high, negated)| {
        let [value, low, high] = [value, low, high].map(Box::new);
        Expr::of(Node::Between { value, low, high, negated })
    });
    let list = (number(), prop::collection::vec(number(), 1..5), any::<bool>())
        .prop_map(|(value, list, negated)| Expr::of(Node::In { value: Box::new(value), list, negated }));
    let leaf = prop_oneof![
        6 => compare,
        1 => between,
        1 => list,
        1 => number().prop_map(Expr::is_null),
        1 => Just(col("t")),
        1 => any::<bool>().prop_map(lit),
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.eq(b)),
            inner.prop_map(|condition| !condition),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn blocks_give_what_rows_give(rows in rows(), expr in condition()) {
        let table = Table::default()
            .with("a", "<i8", rows.iter().map(|row| row.a.to_le_bytes()))
            .with("b", ">u8", rows.iter().map(|row| row.b.to_be_bytes()))
            .with("c", ">i2", rows.iter().map(|row| row.c.to_be_bytes()))
            .with("f", "<f8", rows.iter().map(|row| row.f.to_le_bytes()))
            .with("g", ">f4", rows.iter().map(|row| row.g.to_be_bytes()))
            .with("t", "|b1", rows.iter().map(|row| [u8::from(row.t)]));
        let filter = Filter::new(expr.clone(), table.schema.as_slice()).unwrap();
        let expected: Vec<bool> = rows.iter().map(|row| truth(&expr, row)).collect();
        prop_assert_eq!(table.evaluate(&filter), expected, "{}", filter);

        let again = table.filter(&alloc::format!("{filter}"));
        prop_assert_eq!(again.unwrap(), filter);
    }
}
