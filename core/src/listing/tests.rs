#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use alloc::string::ToString as _;
use alloc::vec;

use super::*;

fn parsed(streams: &str) -> Result<Listing> {
    Listing::parse(format!("{{\"format\": 1, \"streams\": [{streams}]}}").as_bytes())
}

fn stream(name: &str, kind: &str, path: &str, files: &str) -> String {
    format!(r#"{{"name": "{name}", "kind": "{kind}", "path": "{path}", "files": {files}}}"#)
}

#[test]
fn a_listing_is_written_with_a_line_for_each_stream() {
    let files = [(FileId::Chunk(10), 5), (FileId::Store, 1), (FileId::Chunk(2), 4), (FileId::Loc(0), 3)];
    let listing = Listing::new([
        ListedStream::new("words", ListedKind::Ragged, "words", files).unwrap(),
        ListedStream::new("a/b", ListedKind::Table, "a/b.cstore", [(FileId::Table, u64::MAX)]).unwrap(),
        ListedStream::new("é", ListedKind::Dense, ".", []).unwrap(),
    ]);
    let listing = listing.unwrap();
    let text = listing.to_string();
    // A name is text of its own: sorted by code points, files in the order of a store's.
    let expected = "{\"format\": 1, \"streams\": [\n\
        {\"name\": \"a/b\", \"kind\": \"table\", \"path\": \"a/b.cstore\", \"files\": {\"b.cstore\": 18446744073709551615}},\n\
        {\"name\": \"words\", \"kind\": \"ragged\", \"path\": \"words\", \"files\": {\"store.zr\": 1, \"0.loc\": 3, \"2.chunk\": 4, \"10.chunk\": 5}},\n\
        {\"name\": \"\\u00e9\", \"kind\": \"dense\", \"path\": \".\", \"files\": {}}\n\
        ]}\n";
    assert_eq!(text, expected);
    assert_eq!(Listing::parse(text.as_bytes()).unwrap(), listing);
    let empty = Listing::new([]).unwrap();
    assert_eq!(Listing::parse(empty.to_string().as_bytes()).unwrap(), empty);
}

#[test]
fn streams_are_found_by_name_in_whatever_order_they_came() {
    let streams = ["b", "a", "c"].map(|name| stream(name, "dense", name, "{\"meta.zr\": 7}")).join(",");
    let listing = parsed(&streams).unwrap();
    let names: Vec<_> = listing.streams().iter().map(ListedStream::name).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(listing.stream("b").unwrap().len_of(FileId::Meta), Some(7));
    assert_eq!(listing.stream("d"), None);
}

#[test]
fn no_path_leads_out_of_the_folder() {
    for path in [
        "", "/", "/a", "//host/a", "..", "a/..", "../a", "a/../b", "./a", "a/.", "a//b", "a/", "C:a",
        "http:a", "a\\\\b", "..\\\\a", "a\\u0000", "a\\nb", "\\ud800",
    ] {
        let error = parsed(&stream("a", "dense", path, "{}")).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{path}: {error}");
    }
    for path in ["a", "a/b", "...", ".a", "a b", "100%", "a?b#c", "雨/x"] {
        assert_eq!(parsed(&stream("a", "dense", path, "{}")).unwrap().streams()[0].path(), path);
    }
}

#[test]
fn a_stream_has_the_files_of_its_kind_only() {
    for (kind, path, files) in [
        ("dense", "a", r#"{"recask.lock": 0}"#),
        ("dense", "a", r#"{"../store.zr": 0}"#),
        ("dense", "a", r#"{"00.chunk": 0}"#),
        ("ragged", "a", r#"{"a": 0}"#),
        ("table", "a.cstore", r#"{}"#),
        ("table", "a.cstore", r#"{"b.cstore": 0}"#),
        ("table", "a.cstore", r#"{"a.cstore": 0, "store.zr": 0}"#),
        ("table", ".", r#"{".": 0}"#),
        ("table", ".", r#"{}"#),
        ("dense", "a", r#"{"meta.zr": -1}"#),
        ("dense", "a", r#"{"meta.zr": 18446744073709551616}"#),
        ("dense", "a", r#"{"meta.zr": 1.0}"#),
        ("dense", "a", r#"{"meta.zr": "1"}"#),
        ("dense", "a", "[]"),
        ("folder", "a", "{}"),
    ] {
        let error = parsed(&stream("a", kind, path, files)).unwrap_err();
        assert_eq!(error.code(), Code::InvalidSource, "{kind} {path} {files}: {error}");
    }
    let draft = ListedStream::new("a", ListedKind::Table, "a", [(FileId::Draft, 1)]).unwrap_err();
    assert_eq!(draft.code(), Code::InvalidSource);
}

#[test]
fn other_texts_are_refused() {
    let twice = [stream("a", "dense", "a", "{}"), stream("a", "dense", "b", "{}")].join(",");
    assert!(
        parsed(&twice).unwrap_err().message().ends_with("two streams are called 'a'; rename one of them")
    );
    assert_eq!(parsed(&stream("", "dense", "a", "{}")).unwrap_err().code(), Code::InvalidSource);
    assert_eq!(parsed("7").unwrap_err().code(), Code::InvalidSource);
    for text in [
        "",
        "[]",
        "{}",
        "{\"format\": 1}",
        "{\"format\": true, \"streams\": []}",
        "{\"format\": 1, \"streams\": {}}",
        "<!doctype html>",
    ] {
        assert_eq!(Listing::parse(text.as_bytes()).unwrap_err().code(), Code::InvalidSource, "{text}");
    }
    let later = Listing::parse(br#"{"format": 2, "streams": 7}"#).unwrap_err();
    assert_eq!(later.code(), Code::UnsupportedVersion);
    let large = vec![b' '; Listing::MOST_BYTES + 1];
    assert_eq!(Listing::parse(&large).unwrap_err().code(), Code::TooLarge);
}

#[test]
fn keys_of_later_versions_are_passed_over() {
    let text = br#"{"format": 1, "made": "today", "streams": [{"name": "a", "kind": "dense", "path": "a", "files": {}, "x": 1}]}"#;
    assert_eq!(Listing::parse(text).unwrap().streams().len(), 1);
}
