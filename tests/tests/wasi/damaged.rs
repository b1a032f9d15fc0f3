//! Damaged stores and tables are reported, and trap nothing.

use std::path::{Path, PathBuf};

use recask_tests::folder::golden;

use crate::runtime::{Run, Runtime, natively};

#[test]
fn damage_is_reported_as_by_the_native_command() {
    let places: Vec<PathBuf> = entries(&golden("zrecord/bad"))
        .chain(entries(&golden("cstore")).filter(|path| name(path).starts_with("bad_")))
        .collect();
    assert!(places.len() > 100, "{places:?}");
    for mut runtime in Runtime::both() {
        let mut faulty = 0;
        for place in &places {
            let folder = place.parent().expect("it is in a folder");
            for command in ["info", "verify", "head"] {
                let arguments = [command, name(place)];
                let (expected, found) = (natively(folder, &arguments), runtime.run(folder, &arguments));
                assert_eq!(found.status, expected.status, "{}: {arguments:?}: {found:?}", runtime.name);
                assert_eq!(found.code(), expected.code(), "{}: {arguments:?}: {found:?}", runtime.name);
                assert_eq!(settled(&found), settled(&expected), "{}: {arguments:?}", runtime.name);
                faulty += i64::from(found.status == 1);
            }
        }
        assert!(faulty > 100, "{}: only {faulty} of {} were at fault", runtime.name, places.len());
    }
}

/// What is printed, without what the system and the decoder say in their own words.
fn settled(run: &Run) -> [String; 2] {
    [&run.stdout, &run.stderr].map(|text| text.lines().map(|line| ours(line) + "\n").collect())
}

fn ours(line: &str) -> String {
    let line = line.split(" (os error").next().unwrap_or(line);
    let theirs = ["zstd says: ", "the dictionary cannot be used: "];
    let Some((before, says)) = theirs.iter().find_map(|words| line.split_once(words)) else {
        return line.to_owned();
    };
    // Behind it stands where it is.
    let place = says.find(" (file ").map_or("", |at| &says[at..]);
    format!("{before}…{place}")
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("golden data")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    found.sort();
    found.into_iter()
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("a name")
}
