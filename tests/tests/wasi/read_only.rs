//! `--read-only`, where the sandbox would let the command write.

use std::fs::FileTimes;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::runtime::{Run, Runtime, natively};
use crate::workspace::{contents, dataset, words};

/// Everything that writes.
const WRITING: &[&str] = &[
    "create dense made --dtype <f4",
    "import digits.npz again",
    "import cmudict.jsonl.gz again",
    "import seattle-weather.csv again.cstore",
    "import seattle-weather.csv weather.cstore --force",
    "recode weather.cstore --layout 0.5",
    "export mnist out.npz",
    "export digits/images out.npy 3",
    "export words out.jsonl",
    "export words out",
    "export weather.cstore out.csv",
    "export weather.cstore out.npz",
    "append digits/images digits.npz",
    "append late/shard_0.cstore late.csv",
    "append late late.csv --shard",
    "append new late.csv --shard",
    "delete digits/images 3",
    "compact digits/images",
    "compact weather.cstore",
    "concat all.cstore weather.cstore",
    "recode mnist/images again --codec raw",
    "recode weather.cstore again.cstore --layout 0.5",
    "train-dict words/word dictionary",
    "load mnist --steps 2 --seed 1 --state run.json",
    "index .",
];

const READING: &[&str] = &[
    "info mnist",
    "head words",
    "show digits -1",
    "stats weather.cstore",
    "verify mnist",
    "query late wind>8",
    "sample mnist --seed 1",
    "load mnist --steps 2 --seed 1",
];

#[test]
fn nothing_is_written_in_node_which_would_allow_it() {
    let mut runtime = Runtime::node();
    nothing_is_written(&mut |folder, arguments| runtime.run(folder, arguments));
}

#[test]
fn nothing_is_written_under_wasmtime() {
    let mut runtime = Runtime::wasmtime();
    nothing_is_written(&mut |folder, arguments| runtime.run(folder, arguments));
}

#[test]
fn nothing_is_written_natively() {
    nothing_is_written(&mut natively);
}

fn nothing_is_written(run: &mut dyn FnMut(&Path, &[&str]) -> Run) {
    let folder = dataset();
    let folder = folder.path();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let before = contents(folder);
    for path in before.keys() {
        let file = std::fs::File::open(folder.join(path)).unwrap();
        file.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    }
    for (lines, status, code) in [(READING, 0, None), (WRITING, 1, Some("read_only"))] {
        for line in lines {
            let ended = run(folder, &[&words(line)[..], &["--read-only"]].concat());
            assert_eq!((ended.status, ended.code()), (status, code), "{line}: {ended:?}");
            assert!(contents(folder) == before, "{line} changed the folder");
            for path in before.keys() {
                let modified = std::fs::metadata(folder.join(path)).unwrap().modified().unwrap();
                assert_eq!(modified, long_ago, "{line} touched {}", path.display());
            }
        }
    }
}
