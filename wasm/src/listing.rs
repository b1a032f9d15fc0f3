//! `recask.json`: what is in a folder that cannot be listed.

use js_sys::{Array, Object};
use recask_core::listing::Listing;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Fallible, fault, object, set};
use crate::numbers::number;

/// The streams of a folder.
#[wasm_bindgen(js_name = parseIndex)]
pub fn parse_index(text: &[u8]) -> Fallible<Array> {
    let listing = Listing::parse(text).map_err(|error| fault(&error))?;
    let streams = listing.streams().iter().map(|stream| {
        let files = Object::new();
        for (id, size) in stream.files() {
            set(&files, &id.to_string(), &number(*size));
        }
        object([
            ("name", JsValue::from(stream.name())),
            ("kind", JsValue::from(stream.kind().as_str())),
            ("path", JsValue::from(stream.path())),
            ("files", files.into()),
        ])
    });
    Ok(streams.collect())
}
