//! `index`: what a folder holds, for readers over HTTP.

use recask::core::listing::{ListedKind, Listing};
use recask::core::storage::FileId;
use serde_json::json;

use crate::support::Workspace;

fn listing(here: &Workspace, folder: &str) -> Listing {
    Listing::parse(&std::fs::read(here.path(folder).join("recask.json")).unwrap()).unwrap()
}

/// A store of images inside of folders.
fn images(here: &Workspace, path: &str, records: usize) {
    here.images("made", records);
    let path = here.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::rename(here.path("made"), path).unwrap();
}

#[test]
fn the_streams_of_a_folder_are_listed_with_their_files() {
    let here = Workspace::new();
    here.mixed("data/train");
    images(&here, "data/plain", 3);
    std::fs::write(here.path("data/notes.txt"), "not a stream").unwrap();
    std::fs::create_dir(here.path("data/.hidden")).unwrap();
    std::fs::write(here.path("data/.hidden/broken.cstore"), "").unwrap();
    let report = here.json("index data");
    assert_eq!(report["path"], "data/recask.json");
    assert_eq!(report["changed"], true);
    let table = here.path("data/train/weather.cstore").metadata().unwrap().len();
    let weather = json!({ "name": "train/weather", "kind": "table", "path": "train/weather.cstore", "files": 1, "bytes": table });
    assert_eq!(report["streams"][3], weather);

    let listing = listing(&here, "data");
    let names: Vec<_> = listing.streams().iter().map(|stream| (stream.name(), stream.kind())).collect();
    let (dense, ragged) = (ListedKind::Dense, ListedKind::Ragged);
    let expected = [
        ("plain", dense),
        ("train/images", dense),
        ("train/tokens", ragged),
        ("train/weather", ListedKind::Table),
    ];
    assert_eq!(names, expected);
    let images = listing.stream("train/images").unwrap();
    for (file, bytes) in images.files() {
        let path = here.path("data").join(images.path()).join(file.to_string());
        assert_eq!(path.metadata().unwrap().len(), *bytes, "{file}");
    }
    for file in [FileId::Store, FileId::Meta, FileId::Loc(0), FileId::Chunk(0)] {
        assert!(images.files().contains_key(&file), "{file}");
    }
    assert!(!images.files().contains_key(&FileId::Lock));
    assert_eq!(listing.stream("train/weather").unwrap().len_of(FileId::Table), Some(table));
    // Nothing but the listing was left behind.
    let mut names: Vec<_> =
        std::fs::read_dir(here.path("data")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".hidden", "notes.txt", "plain", "recask.json", "train"]);
}

#[test]
fn a_store_is_listed_inside_itself() {
    let here = Workspace::new();
    here.images("images", 3);
    let text = here.text("index images");
    assert!(text.starts_with("images/recask.json: written, 1 stream, "), "{text}");
    let listing = listing(&here, "images");
    assert_eq!((listing.streams()[0].name(), listing.streams()[0].path()), ("images", "."));
    // The store stays what it was.
    assert_eq!(here.json("verify images")["ok"], true);
    here.text("delete images 0");
    here.text("compact images");
    assert!(here.path("images/recask.json").exists());
}

#[test]
fn check_says_whether_it_is_up_to_date() {
    let here = Workspace::new();
    images(&here, "data/images", 3);
    let missing = here.run("index data --check");
    assert_eq!((missing.status, missing.stderr.as_str()), (Some(1), ""));
    assert!(missing.stdout.starts_with("data/recask.json: out of date, "), "{missing:?}");
    assert!(!here.path("data/recask.json").exists());
    here.text("index data");
    assert!(here.text("index data --check").contains("up to date"));
    assert_eq!(here.json("index data")["changed"], false);
    here.npy("more.npy", "|u1", &[1, 4, 4], &[1; 16]);
    here.text("append data/images more.npy");
    let stale = here.run("index data --check --json");
    assert_eq!(stale.status, Some(1));
    assert!(stale.stdout.contains(r#""changed":true"#), "{stale:?}");
    here.text("index data");
    here.text("index data --check");
}

#[test]
fn what_cannot_be_listed_is_refused() {
    let here = Workspace::new();
    here.weather("weather.cstore", false);
    here.run("index weather.cstore").fails(1, "invalid_argument");
    here.run("index nothing").fails(1, "store_not_found");
    std::fs::create_dir(here.path("empty")).unwrap();
    here.run("index empty").fails(1, "store_not_found");
    images(&here, "twice/weather", 1);
    std::fs::copy(here.path("weather.cstore"), here.path("twice/weather.cstore")).unwrap();
    let message = here.run("index twice").fails(1, "invalid_source");
    assert!(message.contains("two streams are called 'weather'"), "{message}");
    std::fs::create_dir(here.path("broken")).unwrap();
    std::fs::write(here.path("broken/a.cstore"), "CSTORE").unwrap();
    let message = here.run("index broken").fails(1, "corrupt_header");
    assert!(message.contains("broken/a.cstore"), "{message}");
    here.run("index twice/weather --read-only").fails(1, "read_only");
    assert!(!here.path("twice/weather/recask.json").exists());
}
