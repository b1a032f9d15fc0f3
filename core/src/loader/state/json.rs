//! A state as JSON, and back.

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::State;
use crate::dtype::excerpt;
use crate::error::{Code, Error, Result};
use crate::format::cstore::Json;
use crate::loader::{Cursor, Identity};
use crate::sampler::{Mode, Sampler};

/// The one version of the document that there is so far.
const VERSION: u64 = 1;
/// The longest text that is read. A stream takes some hundred bytes, and a column of a table some twenty more.
const MOST_BYTES: usize = 16 << 20;
const KINDS: [&str; 3] = ["dense", "ragged", "table"];

/// The document of a state.
pub(super) fn document(state: &State) -> Json {
    let streams = state.streams.iter().map(|stream| {
        let samples = stream.samples.iter().map(|sample| match sample {
            Some(sample) => text(&format!("{sample:08x}")),
            None => Json::Null,
        });
        object([
            ("name", text(&stream.name)),
            ("kind", text(stream.kind)),
            ("layout", text(&stream.layout)),
            ("samples", Json::Array(samples.collect())),
        ])
    });
    object([
        ("recask_loader", Json::Integer(VERSION.to_string())),
        ("mode", text(state.mode().as_str())),
        ("seed", decimal(state.seed())),
        ("batch", decimal(state.batch())),
        ("length", decimal(state.length())),
        ("step", decimal(state.step())),
        ("done", Json::Array(state.cursor.done().iter().map(|step| decimal(*step)).collect())),
        ("rank", decimal(state.rank())),
        ("world", decimal(state.world())),
        ("streams", Json::Array(streams.collect())),
    ])
}

fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn text(value: &str) -> Json {
    Json::String(value.into())
}

fn decimal(value: u64) -> Json {
    text(&value.to_string())
}

/// Reads the text of a state.
pub(super) fn parse(line: &str) -> Result<State> {
    if line.len() > MOST_BYTES {
        let text =
            format!("a state of {} bytes is none of a loader; at most {MOST_BYTES} are read", line.len());
        return Err(Error::new(Code::TooLarge, text));
    }
    if line.starts_with('\u{feff}') {
        // Python's reader, which this is, would pass over it.
        return Err(
            wrong(format_args!("it begins with a byte order mark, which JSON has not")).at_character(1)
        );
    }
    let document = Json::parse(line.as_bytes()).map_err(|(byte, reason)| {
        let character = 1 + line.char_indices().take_while(|(at, _)| *at < byte).count();
        wrong(format_args!("it is not JSON at character {character}: {reason}")).at_character(character)
    })?;
    state(&document)
}

/// Reads the document of a state.
pub(super) fn state(document: &Json) -> Result<State> {
    let document = Members::of(document, Cow::Borrowed(""))?;
    let version = document.number("recask_loader")?;
    if version != VERSION {
        let text = format!(
            "the state has version {version} and this library reads version {VERSION}; use the one that wrote it"
        );
        return Err(Error::new(Code::UnsupportedVersion, text));
    }
    let mode = document.text("mode")?;
    let Ok(mode) = mode.parse::<Mode>() else {
        let known = "not sequential, iid, cyclic or iid_seek";
        return Err(document.wrong("mode", format_args!("is '{}', {known}", excerpt(mode))));
    };
    let (length, batch) = (document.number("length")?, document.number("batch")?);
    let sampler = Sampler::builder(mode, length, batch)
        .seed(document.number("seed")?)
        .shard(document.number("rank")?, document.number("world")?)
        .build()
        .map_err(|error| wrong(error.message()))?;
    let streams = document.list("streams")?.map(|(place, stream)| identity(stream, place, length));
    let streams: Vec<_> = streams.collect::<Result<_>>()?;
    let mut names = BTreeSet::new();
    if let Some(twice) = streams.iter().find(|stream| !names.insert(stream.name.as_str())) {
        return Err(wrong(format_args!("two streams are called '{}'", excerpt(&twice.name))));
    }
    Ok(State { sampler, cursor: cursor(&document)?, streams })
}

fn cursor(document: &Members<'_>) -> Result<Cursor> {
    let step = document.number("step")?;
    let done = document.list("done")?.map(|(place, step)| number(step, &place));
    let done: Vec<u64> = done.collect::<Result<_>>()?;
    let cursor = Cursor::new(step, done.iter().copied());
    if cursor.next() != step || cursor.done() != done {
        return Err(wrong("'done' does not list steps after 'step' in ascending order, each once"));
    }
    Ok(cursor)
}

fn identity(stream: &Json, place: String, length: u64) -> Result<Identity> {
    let stream = Members::of(stream, Cow::Owned(place))?;
    let kind = stream.text("kind")?;
    let Some(kind) = KINDS.into_iter().find(|known| *known == kind) else {
        return Err(stream.wrong("kind", format_args!("is '{}', not dense, ragged or table", excerpt(kind))));
    };
    let samples = stream.list("samples")?;
    let wanted = Identity::sampled(length).len();
    if samples.len() != wanted {
        let reason = format_args!("has {} entries, for {length} records there are {wanted}", samples.len());
        return Err(stream.wrong("samples", reason));
    }
    Ok(Identity {
        name: stream.text("name")?.into(),
        kind,
        layout: stream.text("layout")?.into(),
        samples: samples.map(|(place, sample)| self::sample(sample, &place)).collect::<Result<_>>()?,
    })
}

fn sample(value: &Json, place: &str) -> Result<Option<u32>> {
    let digits = match value {
        Json::Null => return Ok(None),
        Json::String(digits) if digits.is_unicode() => digits.as_str(),
        _ => "",
    };
    let is_sample = digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let sample = u32::from_str_radix(digits, 16).ok().filter(|_| is_sample);
    sample.map(Some).ok_or_else(|| wrong(format_args!("'{place}' is neither 8 hexadecimal digits nor null")))
}

fn number(value: &Json, place: &str) -> Result<u64> {
    let digits = match value {
        Json::String(digits) if digits.is_unicode() => digits.as_str(),
        Json::Integer(digits) => digits,
        _ => "",
    };
    let is_decimal = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_decimal);
    number.ok_or_else(|| wrong(format_args!("'{place}' is not a whole number from 0 to 2^64 - 1")))
}

fn wrong(what: impl fmt::Display) -> Error {
    Error::new(Code::InvalidArgument, format!("this is no state of a loader: {what}"))
}

/// One object of the document, and where it is.
struct Members<'j> {
    place: Cow<'static, str>,
    members: &'j Json,
}

impl<'j> Members<'j> {
    fn of(value: &'j Json, place: Cow<'static, str>) -> Result<Self> {
        match value {
            Json::Object(_) => Ok(Members { place, members: value }),
            _ if place.is_empty() => Err(wrong("it is not an object")),
            _ => Err(wrong(format_args!("'{place}' is not an object"))),
        }
    }

    fn place_of(&self, key: &str) -> String {
        if self.place.is_empty() { key.into() } else { format!("{}.{key}", self.place) }
    }

    fn wrong(&self, key: &str, reason: impl fmt::Display) -> Error {
        wrong(format_args!("'{}' {reason}", self.place_of(key)))
    }

    fn get(&self, key: &str) -> Result<&'j Json> {
        self.members.get(key).ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn number(&self, key: &str) -> Result<u64> {
        number(self.get(key)?, &self.place_of(key))
    }

    fn text(&self, key: &str) -> Result<&'j str> {
        match self.get(key)? {
            Json::String(text) if text.is_unicode() => Ok(text.as_str()),
            Json::String(_) => Err(self.wrong(key, "holds half of a surrogate pair")),
            _ => Err(self.wrong(key, "is not a string")),
        }
    }

    /// The items of a list, each with its place.
    fn list(&self, key: &str) -> Result<impl ExactSizeIterator<Item = (String, &'j Json)> + use<'j>> {
        let Json::Array(items) = self.get(key)? else { return Err(self.wrong(key, "is not a list")) };
        let place = self.place_of(key);
        Ok(items.iter().enumerate().map(move |(position, item)| (format!("{place}[{position}]"), item)))
    }
}
