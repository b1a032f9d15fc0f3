//! Errors as JavaScript sees them: one line of JSON, from which TypeScript makes a `RecaskError`.

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use recask::{Code, Error};
use serde_json::{Map, Value};

use crate::numbers::count;

/// Stands in front of the line: what JavaScript catches without it is no error of Recask.
const MARK: &str = "recask:";

/// An error as it is thrown: `recask:{"code":"…","message":"…"}` with whatever is known of `place`, `file`, `record`, `offset`,
/// `stream`, `step` (as text, which may exceed 2^53) and `character`.
#[expect(clippy::needless_pass_by_value, reason = "errors are mapped with it")]
pub(crate) fn thrown(error: Error) -> napi::Error {
    told(&error)
}

/// The same of an error that is kept.
pub(crate) fn told(error: &Error) -> napi::Error {
    let mut fields = Map::new();
    fields.insert("code".into(), error.code().as_str().into());
    fields.insert("message".into(), error.to_string().into());
    let known: [(&str, Option<Value>); 7] = [
        ("place", error.place().map(Value::from)),
        ("file", error.file().map(|file| file.to_string().into())),
        ("record", error.record().map(Value::from)),
        ("offset", error.offset().map(Value::from)),
        ("stream", error.stream().map(Value::from)),
        ("step", error.step().map(|step| step.to_string().into())),
        ("character", error.character().map(Value::from)),
    ];
    fields.extend(known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    napi::Error::from_reason(format!("{MARK}{}", Value::Object(fields)))
}

/// A call that has no meaning.
pub(crate) fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::new(Code::InvalidArgument, message)
}

/// One fault of the data, or of a call, as an object.
#[napi(object, js_name = "RawFault", object_from_js = false)]
#[derive(Debug)]
pub struct Fault {
    /// The stable code.
    pub code: String,
    /// The sentence, with file, record and offset.
    pub message: String,
    /// Where the table at fault is.
    pub place: Option<String>,
    /// The file at fault.
    pub file: Option<String>,
    /// The record at fault.
    pub record: Option<f64>,
    /// The byte in the file.
    pub offset: Option<f64>,
    /// The stream of a loader.
    pub stream: Option<String>,
    /// The step of a loader.
    pub step: Option<BigInt>,
    /// The character of a text, counted from 1.
    pub character: Option<f64>,
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        Fault {
            code: error.code().as_str().into(),
            message: error.to_string(),
            place: error.place().map(Into::into),
            file: error.file().map(|file| file.to_string()),
            record: error.record().map(count),
            offset: error.offset().map(count),
            stream: error.stream().map(Into::into),
            step: error.step().map(BigInt::from),
            character: error.character().map(|at| count(at as u64)),
        }
    }
}
