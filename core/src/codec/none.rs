//! The zstd of a build without one.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use super::{Codec, Decoder, Encoder};
use crate::error::{Code, Error, Result};

/// There is no value of it.
pub(super) enum Backend {}

impl Backend {
    pub(super) fn new(codec: &Codec) -> Result<Self> {
        Err(Error::new(Code::Unsupported, format!("this build has no {} codec", codec.kind().as_str())))
    }

    pub(super) fn library() -> Option<String> {
        None
    }

    pub(super) fn decoder(&self) -> Result<Box<dyn Decoder>> {
        match *self {}
    }

    pub(super) fn with_encoder<T>(&self, _work: impl FnOnce(&mut dyn Encoder) -> Result<T>) -> Result<T> {
        match *self {}
    }
}
