//! Results as arrays that JavaScript owns: copies, never views of the memory of the module.

use js_sys::{Array, Float64Array, Object, Uint8Array};
use recask_core::table::ColumnData;
use recask_core::{DenseBatch, RaggedBatch};
use wasm_bindgen::JsValue;

use crate::answer::object;
use crate::numbers::number;

/// Bytes in a new array.
pub(crate) fn bytes(bytes: &[u8]) -> JsValue {
    Uint8Array::from(bytes).into()
}

/// Counts in a new array; exact up to 2^53.
pub(crate) fn numbers(values: &[u64]) -> JsValue {
    #[expect(clippy::cast_precision_loss, reason = "counts of what is in memory, and extents")]
    let values: Vec<f64> = values.iter().map(|&value| value as f64).collect();
    Float64Array::from(values.as_slice()).into()
}

/// Texts in a new array.
pub(crate) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Array {
    texts.into_iter().map(JsValue::from).collect()
}

pub(crate) fn dense(batch: &DenseBatch) -> Object {
    object([("bytes", bytes(batch.as_bytes())), ("shape", numbers(batch.shape()))])
}

pub(crate) fn ragged(batch: &RaggedBatch) -> Object {
    let ranks: Vec<u8> =
        batch.records().map(|record| u8::try_from(record.shape.len()).unwrap_or(u8::MAX)).collect();
    object([
        ("bytes", bytes(batch.as_bytes())),
        ("offsets", numbers(batch.offsets())),
        ("extents", numbers(batch.shapes())),
        ("ranks", bytes(&ranks)),
    ])
}

pub(crate) fn columns(columns: &[ColumnData]) -> Array {
    columns
        .iter()
        .map(|column| {
            object([
                ("name", JsValue::from(column.name())),
                ("dtype", JsValue::from(column.dtype().to_string())),
                ("bytes", bytes(column.as_bytes())),
            ])
        })
        .collect()
}

/// A dense batch of a stream, or another kind, told apart.
pub(crate) fn with_kind(batch: Object, name: &str, kind: &str) -> Object {
    crate::answer::set(&batch, "name", &JsValue::from(name));
    crate::answer::set(&batch, "kind", &JsValue::from(kind));
    batch
}

/// A table batch of a stream.
pub(crate) fn table(data: &[ColumnData], rows: usize) -> Object {
    object([("length", number(rows as u64)), ("columns", columns(data).into())])
}
