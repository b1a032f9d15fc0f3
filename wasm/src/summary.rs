//! Figures of a column.

use js_sys::{BigInt, Object};
use recask_core::table::{Number, SchemaColumn, Summary};
use wasm_bindgen::JsValue;

use crate::answer::object;
use crate::numbers::number;

pub(crate) fn summary_of(column: &SchemaColumn, found: &Summary) -> Object {
    let extreme = |figure: Option<Number>, text: &Option<String>| match text {
        Some(text) => JsValue::from(text.as_str()),
        None => figure_of(figure),
    };
    object([
        ("name", JsValue::from(column.name())),
        ("dtype", JsValue::from(column.dtype().to_string())),
        ("count", number(found.count)),
        ("missing", number(found.missing)),
        ("minimum", extreme(found.minimum, &found.minimum_text)),
        ("maximum", extreme(found.maximum, &found.maximum_text)),
        ("sum", figure_of(found.sum)),
        ("mean", found.mean.map_or(JsValue::NULL, JsValue::from)),
        ("deviation", found.deviation.map_or(JsValue::NULL, JsValue::from)),
    ])
}

/// Integers that a number cannot hold exactly are a `BigInt`.
fn figure_of(figure: Option<Number>) -> JsValue {
    match figure {
        Some(Number::Float(value)) => JsValue::from(value),
        Some(Number::Int(value)) if value.unsigned_abs() <= 1 << 53 =>
        {
            #[expect(clippy::cast_precision_loss, reason = "up to 2^53 it is exact")]
            JsValue::from(value as f64)
        }
        Some(Number::Int(value)) => BigInt::from(value).into(),
        Some(Number::NotATime) | None => JsValue::NULL,
    }
}
