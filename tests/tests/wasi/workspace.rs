//! Folders with real and golden data, and what is in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use recask_tests::folder;
use tempfile::TempDir;

use crate::runtime::natively;

/// What is in a folder: contents by path, folders without.
pub(crate) type Contents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// The real data of the command.
pub(crate) const REAL: [&str; 4] = ["mnist2000.npz", "cmudict.jsonl.gz", "seattle-weather.csv", "digits.npz"];

/// A folder with the sources of real data, and nothing made of them.
pub(crate) fn sources() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in REAL {
        fs::copy(real(name), folder.path().join(name)).expect("real data is there");
    }
    fs::write(folder.path().join("late.csv"), "date,wind\n2016-01-01,2.5\n2016-01-02,40.25\n")
        .expect("it is written");
    folder
}

/// The same with stores and tables made of them, by the native command.
pub(crate) fn dataset() -> TempDir {
    let folder = sources();
    for line in [
        "import mnist2000.npz mnist --codec zstd",
        "import digits.npz digits --codec raw",
        "import cmudict.jsonl.gz words --train-dict",
        "import seattle-weather.csv weather.cstore",
        "import late.csv late/shard_0.cstore",
    ] {
        let made = natively(folder.path(), &words(line));
        assert_eq!(made.status, 0, "{line}: {}", made.stderr);
    }
    folder
}

pub(crate) fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// All that is below a folder.
pub(crate) fn contents(folder: &Path) -> Contents {
    let mut found = Contents::new();
    add(folder, Path::new(""), &mut found);
    found
}

/// The paths alone, for messages.
pub(crate) fn paths(contents: &Contents) -> Vec<&Path> {
    contents.keys().map(PathBuf::as_path).collect()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for (path, content) in contents(from) {
        match content {
            None => fs::create_dir(to.join(path)),
            Some(content) => fs::write(to.join(path), content),
        }
        .expect("a copy");
    }
}

fn add(root: &Path, inside: &Path, found: &mut Contents) {
    for entry in fs::read_dir(root.join(inside)).expect("a folder") {
        let path = inside.join(entry.expect("an entry").file_name());
        if root.join(&path).is_dir() {
            found.insert(path.clone(), None);
            add(root, &path, found);
        } else {
            let content = fs::read(root.join(&path)).expect("a file");
            found.insert(path, Some(content));
        }
    }
}

fn real(name: &str) -> PathBuf {
    folder::tests().join("../native/cli/data").join(name)
}
