//! A running `tests/interop/peer.py`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use recask::StoreKind;
use serde_json::{Map, Value, json};

use crate::records::Record;

/// loaderx in a process of its own, with at most one store open.
pub(crate) struct Peer {
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// What loaderx raised.
#[derive(Debug)]
pub(crate) struct PeerError {
    /// The native error number, where there is one.
    pub(crate) code: Option<i64>,
}

impl Peer {
    pub(crate) fn start() -> Self {
        let mut process = Command::new(python())
            .arg(scripts().join("peer.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python peer starts");
        let requests = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("stdout was piped"));
        Peer { process, requests, answers }
    }

    /// Asks, and fails the test when loaderx raises.
    pub(crate) fn ask(&mut self, op: &str, arguments: Value) -> Value {
        let text = format!("{op} {arguments}");
        self.try_ask(op, arguments).unwrap_or_else(|(_, message)| panic!("loaderx refused {text}: {message}"))
    }

    /// Asks for something that loaderx must refuse.
    pub(crate) fn refusal(&mut self, op: &str, arguments: Value) -> PeerError {
        match self.try_ask(op, arguments) {
            Ok(value) => panic!("loaderx did not refuse {op}, it answered {value}"),
            Err((error, _)) => error,
        }
    }

    fn try_ask(&mut self, op: &str, arguments: Value) -> Result<Value, (PeerError, String)> {
        let mut request: Map<String, Value> =
            serde_json::from_value(arguments).expect("arguments are an object");
        request.insert("op".into(), op.into());
        let requests = self.requests.as_mut().expect("the peer is running");
        writeln!(requests, "{}", Value::Object(request)).expect("the peer takes requests");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        assert!(!line.is_empty(), "the Python peer died while it was asked to {op}; see its stderr");
        let mut answer: Value = serde_json::from_str(&line).expect("the peer answers in JSON");
        match answer.get_mut("ok") {
            Some(value) => Ok(value.take()),
            None => {
                let error = &answer["error"];
                Err((PeerError { code: error["code"].as_i64() }, error.to_string()))
            }
        }
    }

    pub(crate) fn create_dense(
        &mut self,
        path: &Path,
        dtype: &str,
        item_shape: &[u64],
        codec: &PeerCodec<'_>,
    ) {
        let arguments = json!({"path": path, "kind": "dense", "dtype": dtype, "item_shape": item_shape,
            "codec": codec.name, "dictionary": codec.dictionary.map(hex)});
        self.ask("create", arguments);
    }

    pub(crate) fn create_ragged(&mut self, path: &Path, dtype: &str, codec: &PeerCodec<'_>) {
        let arguments = json!({"path": path, "kind": "ragged", "dtype": dtype,
            "codec": codec.name, "dictionary": codec.dictionary.map(hex)});
        self.ask("create", arguments);
    }

    /// Opens a store and returns its number of records.
    pub(crate) fn open(&mut self, path: &Path, kind: StoreKind) -> u64 {
        self.ask("open", open_arguments(path, kind)).as_u64().expect("a length")
    }

    pub(crate) fn close(&mut self) {
        self.ask("close", json!({}));
    }

    pub(crate) fn append(&mut self, kind: StoreKind, records: &[Record]) {
        let records = match kind {
            StoreKind::Dense => json!(records.iter().map(|record| hex(&record.bytes)).collect::<String>()),
            StoreKind::Ragged => {
                records.iter().map(|record| json!([record.shape, hex(&record.bytes)])).collect()
            }
        };
        self.ask("append", json!({"records": records}));
    }

    /// All records.
    pub(crate) fn read(&mut self) -> Vec<Record> {
        let records = self.ask("read", json!({}));
        let record = |record: &Value| Record {
            shape: serde_json::from_value(record[0].clone()).expect("a shape"),
            bytes: unhex(record[1].as_str().expect("bytes")),
        };
        records.as_array().expect("a list of records").iter().map(record).collect()
    }

    pub(crate) fn delete(&mut self, records: &[u64]) {
        self.ask("delete", json!({"records": records}));
    }

    pub(crate) fn compact(&mut self) {
        self.ask("compact", json!({}));
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.process.wait();
    }
}

/// A codec as loaderx takes it.
pub(crate) struct PeerCodec<'d> {
    pub(crate) name: &'static str,
    pub(crate) dictionary: Option<&'d [u8]>,
}

impl<'d> From<&'d recask::Codec> for PeerCodec<'d> {
    fn from(codec: &'d recask::Codec) -> Self {
        PeerCodec { name: codec.kind().as_str(), dictionary: codec.dictionary() }
    }
}

pub(crate) fn open_arguments(path: &Path, kind: StoreKind) -> Value {
    json!({"path": path, "kind": kind.as_str()})
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    text.as_bytes().chunks_exact(2).map(|pair| byte(pair).expect("hexadecimal digits")).collect()
}

/// The interpreter that has loaderx: what `cargo xtask` names, else an environment made here.
fn python() -> PathBuf {
    if let Some(python) = std::env::var_os("RECASK_PEER_PYTHON") {
        return python.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("xtask").join("loaderx-1.7.2");
    let made = Command::new("python3")
        .arg(scripts().join("make_peer.py"))
        .arg(&folder)
        .stderr(Stdio::inherit())
        .output()
        .expect("python3 is installed");
    assert!(made.status.success(), "the Python peer could not be made; its output says why");
    PathBuf::from(String::from_utf8(made.stdout).expect("a path").trim_end())
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("interop")
}
