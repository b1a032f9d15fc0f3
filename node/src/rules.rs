//! How values of other formats become columns, and CSV bytes.

use napi_derive::napi;
use recask::Result;
use recask::convert::table::{Csv, Nulls, Rules, TextAs};

use crate::error::invalid;
use crate::numbers::whole;

/// How values become columns, where there is a choice.
#[napi(object, js_name = "RawRules", object_to_js = false)]
#[derive(Default)]
pub struct RawRules {
    /// What is stored for missing values; by default they are an error.
    #[napi(ts_type = "'refuse' | 'nan' | 'zero' | 'empty'")]
    pub nulls: Option<String>,
    /// The width of text: characters, bytes with `utf8`. By default that of the longest one.
    pub width: Option<f64>,
    /// Whether text is stored as bytes of UTF-8 and not as NumPy's text.
    pub utf8: Option<bool>,
    /// Whether decimals become the nearest floats; they are an error otherwise.
    pub decimals_as_floats: Option<bool>,
}

impl RawRules {
    pub(crate) fn rules(&self) -> Result<Rules> {
        let nulls = match self.nulls.as_deref() {
            None | Some("refuse") => Nulls::Refuse,
            Some("nan") => Nulls::Nan,
            Some("zero") => Nulls::Zero,
            Some("empty") => Nulls::Empty,
            Some(other) => {
                let text =
                    format!("there is no rule '{other}' for missing values; use refuse, nan, zero or empty");
                return Err(invalid(text));
            }
        };
        let wide = |width| {
            u32::try_from(whole(width)?).ok().filter(|&width| width > 0).ok_or_else(|| too_wide(width))
        };
        Ok(Rules {
            nulls,
            width: self.width.map(wide).transpose()?,
            text: if self.utf8 == Some(true) { TextAs::Utf8 } else { TextAs::Unicode },
            decimals_as_floats: self.decimals_as_floats == Some(true),
        })
    }
}

fn too_wide(width: f64) -> recask::Error {
    invalid(format!("{width} is no width of text; it is at least 1, and less than 2^32"))
}

/// How CSV is read and written.
pub(crate) fn csv_of(delimiter: Option<&str>, header: Option<bool>) -> Result<Csv> {
    let byte = |text: &str| match text.as_bytes() {
        [byte] => Ok(*byte),
        _ => Err(invalid(format!("'{text}' is no delimiter: it takes one character of ASCII"))),
    };
    Ok(Csv { delimiter: delimiter.map(byte).transpose()?, header: header != Some(false) })
}
