//! The browser door: the core of Recask behind `wasm-bindgen`, driven by the TypeScript in `wasm/ts`.

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of the package.
#[must_use]
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
