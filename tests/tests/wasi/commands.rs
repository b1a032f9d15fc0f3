//! What the command answers and writes is the same everywhere.

use std::path::Path;

use recask_tests::folder::golden;

use crate::runtime::{Run, Runtime, natively};
use crate::workspace::{contents, copy, dataset, paths, sources, words};

/// Commands that only read, on real data.
const READING: &[&str] = &[
    "info mnist",
    "info words --json",
    "head mnist -n 2 --art=never",
    "head words -n 20 --json",
    "head weather.cstore -n 4",
    "tail digits -n 1 --json",
    "tail weather.cstore -n 3 --csv",
    "show mnist/labels 0:5 -1",
    "show words/word 100 --json",
    "show weather.cstore 3 -1 --columns date,wind",
    "query weather.cstore wind>8 --columns date,wind",
    "query late wind>8 --json",
    "sample mnist --batch 4 --seed 1 --steps 3",
    "sample --len 1000000 --batch 8 --seed 7 --step 123456 --mode iid_seek --json",
    "stats mnist",
    "stats words --json",
    "stats weather.cstore",
    "verify mnist",
    "verify words --json",
    "verify digits",
    "verify weather.cstore",
    "--version",
];

/// Commands that write, and what is in the folder then; the codec is one that has no choice of its own.
const WRITING: &[&str] = &[
    "import digits.npz digits --codec raw",
    "import mnist2000.npz mnist --codec raw --fields images",
    "import cmudict.jsonl.gz words --codec raw",
    "import seattle-weather.csv weather.cstore",
    "export words back.jsonl",
    "export digits back.npz",
    "export digits/images gathered.npy 5 1 3 3 -1 10:20",
    "export digits/images one.npy 7",
    "append digits/images one.npy",
    "append digits/images gathered.npy",
    "delete digits/images 17 0:100 -1",
    "compact digits/images",
    "export weather.cstore windy.jsonl --where wind>8",
    "export weather.cstore weather.npz --columns wind",
    "import weather.npz wind.cstore",
    "append wind.cstore weather.npz",
    "append winds weather.npz --shard",
    "append winds weather.npz --shard",
    "compact wind.cstore",
    "concat winds.cstore wind.cstore winds",
    "create dense made --dtype <f4 --shape 2,3",
    "recode digits/images recoded --codec raw",
    "verify digits",
    "verify wind.cstore",
];

#[test]
fn reading_answers_the_same() {
    let folder = dataset();
    let folder = folder.path();
    for mut runtime in Runtime::both() {
        for line in READING {
            same(&mut runtime, folder, &words(line));
        }
    }
}

#[test]
fn golden_data_reads_the_same() {
    let stores = names_in(&golden("zrecord/stores"));
    let tables = names_in(&golden("cstore")).into_iter();
    let tables: Vec<String> =
        tables.filter(|name| name.ends_with(".cstore") && !name.starts_with("bad_")).collect();
    assert!(stores.len() > 20 && tables.len() > 20, "{stores:?} {tables:?}");
    for mut runtime in Runtime::both() {
        for store in &stores {
            for line in [["info", store], ["stats", store], ["verify", store], ["head", store]] {
                same(&mut runtime, &golden("zrecord/stores"), &line);
            }
        }
        for table in &tables {
            for line in [["stats", table], ["verify", table], ["head", table]] {
                same(&mut runtime, &golden("cstore"), &line);
            }
        }
    }
}

#[test]
fn writing_leaves_the_same_files() {
    let native = sources();
    for line in WRITING {
        let run = natively(native.path(), &words(line));
        assert_eq!(run.status, 0, "{line}: {}", run.stderr);
    }
    let expected = contents(native.path());
    for mut runtime in Runtime::both() {
        let folder = sources();
        for line in WRITING {
            let run = runtime.run(folder.path(), &words(line));
            assert_eq!(run.status, 0, "{}: {line}: {}", runtime.name, run.stderr);
        }
        let found = contents(folder.path());
        assert_eq!(paths(&found), paths(&expected), "{}", runtime.name);
        for (path, content) in &expected {
            assert!(found[path] == *content, "{}: {} differs", runtime.name, path.display());
        }
    }
}

#[test]
fn compressed_stores_hold_the_same_records() {
    let native = dataset();
    for mut runtime in Runtime::both() {
        let folder = sources();
        for line in [
            "import mnist2000.npz mnist --codec zstd",
            "import cmudict.jsonl.gz words --train-dict",
            "recode mnist/images small --codec zstd --level 9",
            "export mnist back.npz",
            "export words back.jsonl",
        ] {
            let run = runtime.run(folder.path(), &words(line));
            assert_eq!(run.status, 0, "{}: {line}: {}", runtime.name, run.stderr);
        }
        // The native command reads what the module wrote, with the C library.
        for line in ["verify mnist", "verify words", "verify small", "head words --json", "tail mnist --json"]
        {
            let ours = natively(folder.path(), &words(line));
            assert_eq!(ours.status, 0, "{}: {line}: {}", runtime.name, ours.stderr);
        }
        for (line, file) in [("export mnist ours.npz", "npz"), ("export words ours.jsonl", "jsonl")] {
            assert_eq!(natively(native.path(), &words(line)).status, 0);
            let read =
                |folder: &Path, name: &str| std::fs::read(folder.join(format!("{name}.{file}"))).unwrap();
            assert!(read(native.path(), "ours") == read(folder.path(), "back"), "{}: {line}", runtime.name);
            std::fs::remove_file(native.path().join(format!("ours.{file}"))).unwrap();
        }
    }
}

#[test]
fn a_loader_without_workers_goes_on_from_its_state() {
    let given = dataset();
    for mut runtime in Runtime::both() {
        let folder = tempfile::tempdir().unwrap();
        copy(given.path(), folder.path());
        let line = "load mnist --steps 10 --batch 64 --seed 1 --state run.json --json";
        let runs = [natively(folder.path(), &words(line)), runtime.run(folder.path(), &words(line))];
        let [first, second] = runs.map(|run| {
            assert_eq!(run.status, 0, "{}: {}", runtime.name, run.stderr);
            serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()
        });
        assert_eq!([&first["next_step"], &second["start_step"], &second["next_step"]], [10, 10, 20]);
        assert_eq!([&second["workers"], &second["records"], &second["seed"]], [0, 640, 1]);
        assert_eq!(first["value_bytes"], second["value_bytes"]);
        let refused = runtime.run(folder.path(), &words("load mnist --workers 2"));
        assert_eq!((refused.status, refused.code()), (1, Some("unsupported")));
        assert!(refused.stderr.contains("no threads: ask for 0"), "{}", refused.stderr);
    }
}

/// Everything that is printed, and the status.
#[track_caller]
fn same(runtime: &mut Runtime, folder: &Path, arguments: &[&str]) {
    let (expected, found): (Run, Run) = (natively(folder, arguments), runtime.run(folder, arguments));
    assert_eq!(found, expected, "{}: {arguments:?}", runtime.name);
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("golden data is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
