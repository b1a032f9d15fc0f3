//! Figures of a column.

use napi::bindgen_prelude::{BigInt, Either3, Null};
use napi_derive::napi;
use recask::table::{Number, SchemaColumn, Summary};

use crate::numbers::count;

/// What a column holds; `null` where the type has no such figure, or there is no value.
#[napi(object, js_name = "RawSummary", object_from_js = false)]
pub struct Figures {
    /// The column.
    pub name: String,
    /// The type of its values.
    pub dtype: String,
    /// Values, missing ones included.
    pub count: f64,
    /// NaN and NaT among them.
    pub missing: f64,
    /// The smallest value: of times in ticks, of texts a text.
    #[napi(ts_type = "number | bigint | string | null")]
    pub minimum: Figure,
    /// The largest value.
    #[napi(ts_type = "number | bigint | string | null")]
    pub maximum: Figure,
    /// The sum.
    #[napi(ts_type = "number | bigint | null")]
    pub sum: Figure,
    /// The mean.
    #[napi(ts_type = "number | null")]
    pub mean: Figure,
    /// The standard deviation of the whole population.
    #[napi(ts_type = "number | null")]
    pub deviation: Figure,
}

type Figure = napi::Either<Either3<f64, BigInt, String>, Null>;

impl Figures {
    pub(crate) fn of(column: &SchemaColumn, found: Summary) -> Self {
        let extreme = |figure: Option<Number>, text: Option<String>| {
            text.map_or_else(|| figure_of(figure), |text| some(Either3::C(text)))
        };
        Figures {
            name: column.name().to_owned(),
            dtype: column.dtype().to_string(),
            count: count(found.count),
            missing: count(found.missing),
            minimum: extreme(found.minimum, found.minimum_text),
            maximum: extreme(found.maximum, found.maximum_text),
            sum: figure_of(found.sum),
            mean: figure_of(found.mean.map(Number::Float)),
            deviation: figure_of(found.deviation.map(Number::Float)),
        }
    }
}

/// Integers that a number cannot hold exactly are a `bigint`.
fn figure_of(figure: Option<Number>) -> Figure {
    match figure {
        Some(Number::Float(value)) => some(Either3::A(value)),
        Some(Number::Int(value)) => match u64::try_from(value.unsigned_abs()) {
            Ok(size) if size <= 1 << 53 => {
                let size = count(size);
                some(Either3::A(if value < 0 { -size } else { size }))
            }
            _ => some(Either3::B(BigInt::from(value))),
        },
        Some(Number::NotATime) | None => napi::Either::B(Null),
    }
}

fn some(figure: Either3<f64, BigInt, String>) -> Figure {
    napi::Either::A(figure)
}
