//! A folder to work in, and the command run in it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use recask::table::ColumnInput;
use recask::{Codec, DType, DenseStore, RaggedStore, Table, TableWriter, bytes_of_slice};
use serde_json::Value;

/// A temporary folder that is the working directory of every command run in it.
pub(crate) struct Workspace(tempfile::TempDir);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        Workspace(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_recask"));
        command.current_dir(self.0.path()).args(line.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs a line of arguments, cut at spaces.
    pub(crate) fn run(&self, line: &str) -> Run {
        self.command(line).output().unwrap().into()
    }

    /// Runs arguments that may hold spaces.
    pub(crate) fn run_args(&self, args: &[&str]) -> Run {
        self.command("").args(args).output().unwrap().into()
    }

    /// What a successful command prints.
    #[track_caller]
    pub(crate) fn text(&self, line: &str) -> String {
        self.run(line).text()
    }

    /// What a successful command answers in JSON.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        self.run(&format!("{line} --json")).json()
    }

    /// What a successful command answers in JSON lines.
    #[track_caller]
    pub(crate) fn json_lines(&self, line: &str) -> Vec<Value> {
        let text = self.text(&format!("{line} --json"));
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Writes an `.npy` file.
    pub(crate) fn npy(&self, name: &str, descr: &str, shape: &[usize], data: &[u8]) {
        let extents: Vec<String> = shape.iter().map(ToString::to_string).collect();
        let shape = extents.join(", ") + if shape.len() == 1 { "," } else { "" };
        let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
        while !(10 + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        file.extend(header.as_bytes());
        file.extend(data);
        std::fs::write(self.path(name), file).unwrap();
    }

    /// `name`, a zstd store of `records` images of 4 by 4 bytes; pixel p of image i is i + p.
    pub(crate) fn images(&self, name: &str, records: usize) {
        let pixels: Vec<u8> = (0..records).flat_map(|i| (0..16).map(move |p| wrapping(i + p))).collect();
        self.npy(&format!("{name}.npy"), "|u1", &[records, 4, 4], &pixels);
        self.text(&format!("import {name}.npy {name} --codec zstd"));
    }

    /// `name`, a table of four days with something missing in each column that can miss it, in one record a day where
    /// `streamed`.
    pub(crate) fn weather(&self, name: &str, streamed: bool) {
        let date = [16_436, 16_437, i64::MIN, 16_439];
        let rain = [0.0, 10.9, f64::NAN, -0.5];
        let kind = ["sun", "heavy rain", "", "snow"].map(text10);
        let count = [1, -2, i64::MAX, 4];
        let [day, text] = ["<M8[D]", "<U10"].map(|dtype| DType::parse(dtype).unwrap());
        let mut writer = TableWriter::create(self.path(name)).unwrap();
        let step = if streamed { 1 } else { 4 };
        for days in (0..4).step_by(step).map(|day| day..day + step) {
            let columns = [
                ColumnInput::new("date", day.clone(), bytes_of_slice(&date[days.clone()])),
                ColumnInput::of("rain", &rain[days.clone()]),
                ColumnInput::new("kind", text.clone(), kind[days.clone()].as_flattened()),
                ColumnInput::of("count", &count[days]),
            ];
            writer.write(&columns).unwrap();
        }
        writer.close().unwrap();
    }

    /// `name`, a dataset of three words with their numbers.
    pub(crate) fn words(&self, name: &str) {
        let lines = "{\"word\": \"one\", \"tokens\": [1], \"n\": 1}\n\
                     {\"word\": \"zwölf\", \"tokens\": [1, 2], \"n\": 12}\n\
                     {\"word\": \"three\", \"tokens\": [3, 4, 5], \"n\": 3}\n";
        std::fs::write(self.path(&format!("{name}.jsonl")), lines).unwrap();
        self.text(&format!("import {name}.jsonl {name}"));
    }

    /// `name`, a dataset of twelve records: dense `images` of 16 bytes in zstd, ragged `tokens` of 2^i bytes, and the table
    /// `weather.cstore` with 8 bytes a row.
    pub(crate) fn mixed(&self, name: &str) {
        let place = |stream: &str| self.path(name).join(stream);
        let pixels: Vec<u8> = (0..12 * 16).map(wrapping).collect();
        let builder = DenseStore::builder(DType::U8, [4, 4]).codec(Codec::zstd());
        let mut images = builder.create(place("images")).unwrap();
        images.append(&pixels).unwrap();
        images.close().unwrap();
        let mut tokens = RaggedStore::builder(DType::U8).create(place("tokens")).unwrap();
        tokens.append(&(0..12).map(|i| vec![wrapping(i); 1 << i]).collect::<Vec<_>>()).unwrap();
        tokens.close().unwrap();
        let rain: Vec<f64> = [0.0, 0.5, 10.9].repeat(4);
        Table::create(place("weather.cstore"), &[ColumnInput::of("rain", &rain)]).unwrap();
    }
}

/// As NumPy's `<U10`.
fn text10(text: &str) -> [u8; 40] {
    let mut bytes = [0; 40];
    for (place, c) in bytes.chunks_exact_mut(4).zip(text.chars()) {
        place.copy_from_slice(&u32::from(c).to_le_bytes());
    }
    bytes
}

pub(crate) fn wrapping(number: usize) -> u8 {
    u8::try_from(number % 256).unwrap()
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Run {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn text(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (Some(0), ""), "{}", self.stdout);
        self.stdout
    }

    /// What it answered in JSON.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text:?}"))
    }

    /// Checks the exit status and the error's code, and gives the message.
    #[track_caller]
    pub(crate) fn fails(self, status: i32, code: &str) -> String {
        assert_eq!(self.status, Some(status), "{self:?}");
        let message = self.stderr.strip_prefix(&format!("error[{code}]: "));
        message.unwrap_or_else(|| panic!("no {code} in {self:?}")).trim_end().to_owned()
    }
}
