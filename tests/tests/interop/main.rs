//! Recask and the real loaderx 1.7.2 on the same stores, as `tests/interop/README.md` describes.

mod codecs;
mod dictionaries;
mod killed;
mod loading;
mod locks;
mod numbered;
mod peer;
#[path = "../python/mod.rs"]
mod python;
mod random;
mod records;
mod sampling;
mod store;
mod turns;
mod types;
mod values;
#[path = "../victim/mod.rs"]
mod victim;
