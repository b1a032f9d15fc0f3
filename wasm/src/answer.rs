//! What JavaScript is thrown: an error, or the bytes that a call needs.

use std::sync::Arc;

use js_sys::{Array, BigInt, Object, Reflect};
use recask_core::{Code, Error, Result};
use wasm_bindgen::JsValue;

use crate::fetched::Files;
use crate::numbers::number;

/// The result of an exported function.
pub(crate) type Fallible<T> = core::result::Result<T, JsValue>;

/// Passes a result on; where it failed for lack of bytes, what is to be thrown is the list of them.
pub(crate) fn answer<T>(places: &[Arc<Files>], result: Result<T>) -> Fallible<T> {
    let failed = match result {
        Ok(value) => {
            places.iter().for_each(|files| drop(files.take_wanted()));
            return Ok(value);
        }
        Err(error) => error,
    };
    if failed.code() == Code::NotFetched { Err(needs(places)) } else { Err(fault(&failed)) }
}

/// The bytes that were wanted; nothing of files that are not fetched: these are opened, and the call is made again.
pub(crate) fn needs(places: &[Arc<Files>]) -> JsValue {
    let list = Array::new();
    for files in places {
        for (id, bytes) in files.take_wanted() {
            let need = object([
                ("files", JsValue::from(files.id())),
                ("name", JsValue::from(id.to_string())),
                ("start", number(bytes.start)),
                ("end", number(bytes.end)),
            ]);
            list.push(&need);
        }
    }
    object([("needs", JsValue::from(list))]).into()
}

/// An error as an object with its fields.
pub(crate) fn fault(error: &Error) -> JsValue {
    fault_object(error).into()
}

pub(crate) fn fault_object(error: &Error) -> Object {
    let fault = object([
        ("code", JsValue::from(error.code().as_str())),
        ("message", JsValue::from(error.to_string())),
    ]);
    let add = |name, value: Option<JsValue>| {
        if let Some(value) = value {
            set(&fault, name, &value);
        }
    };
    add("place", error.place().map(JsValue::from));
    add("file", error.file().map(|file| JsValue::from(file.to_string())));
    add("record", error.record().map(number));
    add("offset", error.offset().map(number));
    add("stream", error.stream().map(JsValue::from));
    add("step", error.step().map(|step| BigInt::from(step).into()));
    add("character", error.character().map(|at| number(at as u64)));
    fault
}

/// A plain object.
pub(crate) fn object<const N: usize>(fields: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    fields.into_iter().for_each(|(name, value)| set(&object, name, &value));
    object
}

pub(crate) fn set(object: &Object, name: &str, value: &JsValue) {
    // A plain object takes every property.
    let _ = Reflect::set(object, &JsValue::from(name), value);
}
