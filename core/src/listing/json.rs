//! A listing as JSON, and back.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::{ListedKind, ListedStream, Listing, is_read, path, wrong};
use crate::dtype::excerpt;
use crate::error::{Code, Error, Result};
use crate::format::cstore::{Json, Text};
use crate::storage::FileId;

/// The one version of the document that there is so far.
const FORMAT: u64 = 1;
const KINDS: [ListedKind; 3] = [ListedKind::Dense, ListedKind::Ragged, ListedKind::Table];

/// Writes a document with a line for each stream, so that its changes can be read.
pub(super) fn write(listing: &Listing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{{\"format\": {FORMAT}, \"streams\": [")?;
    for (position, stream) in listing.streams().iter().enumerate() {
        f.write_str(if position == 0 { "\n" } else { ",\n" })?;
        let mut line = String::new();
        document(stream).write(false, &mut line);
        f.write_str(&line)?;
    }
    f.write_str("\n]}\n")
}

fn document(stream: &ListedStream) -> Json {
    let size = |(file, bytes): (&FileId, &u64)| {
        (Text::from(stream.file_name(*file)), Json::Integer(bytes.to_string()))
    };
    let text = |value: &str| Json::String(value.into());
    Json::Object(alloc::vec![
        ("name".into(), text(stream.name())),
        ("kind".into(), text(stream.kind().as_str())),
        ("path".into(), text(stream.path())),
        ("files".into(), Json::Object(stream.files().iter().map(size).collect())),
    ])
}

/// Reads the text of a listing.
pub(super) fn parse(text: &[u8]) -> Result<Listing> {
    if text.len() > Listing::MOST_BYTES {
        let most = Listing::MOST_BYTES;
        let text = format!("a listing of {} bytes is none of streams; at most {most} are read", text.len());
        return Err(Error::new(Code::TooLarge, text));
    }
    let document = Json::parse(text)
        .map_err(|(byte, reason)| wrong(format_args!("it is not JSON at byte {byte}: {reason}")))?;
    let Json::Object(_) = document else { return Err(wrong("it is not an object")) };
    let format = document.get("format").and_then(integer).ok_or_else(|| wrong("'format' is no number"))?;
    if format != FORMAT {
        let text = format!("the listing has format {format}, this library reads format {FORMAT}; update it");
        return Err(Error::new(Code::UnsupportedVersion, text));
    }
    let Some(Json::Array(streams)) = document.get("streams") else {
        return Err(wrong("'streams' is not a list"));
    };
    let streams = streams.iter().enumerate().map(|(position, stream)| self::stream(stream, position));
    Listing::new(streams.collect::<Result<Vec<_>>>()?)
}

fn stream(stream: &Json, position: usize) -> Result<ListedStream> {
    let text = |key: &str| match stream.get(key) {
        Some(Json::String(text)) if text.is_unicode() => Ok(text.as_str()),
        _ => Err(wrong(format_args!("'{key}' of stream {position} is not a string"))),
    };
    let kind = text("kind")?;
    let Some(kind) = KINDS.into_iter().find(|known| known.as_str() == kind) else {
        let kind = excerpt(kind);
        return Err(wrong(format_args!("stream {position} is '{kind}', not dense, ragged or table")));
    };
    let path = text("path")?;
    let Some(Json::Object(files)) = stream.get("files") else {
        return Err(wrong(format_args!("'files' of stream {position} is not an object")));
    };
    let files = files.iter().map(|(name, size)| {
        let file = file(name, kind, path).ok_or_else(|| {
            let name = excerpt(name.as_str());
            wrong(format_args!("stream {position} is {kind} and cannot have the file '{name}'"))
        })?;
        let bytes = integer(size).ok_or_else(|| {
            wrong(format_args!("the size of '{}' in stream {position} is no number", excerpt(name.as_str())))
        })?;
        Ok((file, bytes))
    });
    ListedStream::new(text("name")?, kind, path, files.collect::<Result<Vec<_>>>()?)
}

fn file(name: &Text, kind: ListedKind, path: &str) -> Option<FileId> {
    let name = name.is_unicode().then(|| name.as_str())?;
    match kind {
        ListedKind::Table => (path::last(path) == Some(name)).then_some(FileId::Table),
        ListedKind::Dense | ListedKind::Ragged => FileId::from_name(name).filter(|file| is_read(*file)),
    }
}

/// A whole number from 0 to 2^64 - 1.
fn integer(value: &Json) -> Option<u64> {
    match value {
        Json::Integer(digits) => digits.parse().ok(),
        _ => None,
    }
}
