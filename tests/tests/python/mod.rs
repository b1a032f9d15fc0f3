//! Python packages as services: a script of `tests/interop` in its own process and virtual environment.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value};

/// Which package, by which script.
pub(crate) struct Package {
    /// As `tests/interop/requirements` names it.
    pub(crate) name: &'static str,
    /// The script in `tests/interop`.
    pub(crate) script: &'static str,
    /// The environment variable that names an interpreter which has the package.
    pub(crate) variable: &'static str,
}

/// A running script.
pub(crate) struct Service {
    name: &'static str,
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Service {
    pub(crate) fn start(package: &Package) -> Self {
        let mut process = Command::new(python(package))
            .arg(scripts().join(package.script))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python peer starts");
        let requests = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("stdout was piped"));
        Service { name: package.name, process, requests, answers }
    }

    /// Asks, and fails the test when Python raises.
    pub(crate) fn ask(&mut self, op: &str, arguments: Value) -> Value {
        let text = arguments.to_string();
        self.try_ask(op, arguments)
            .unwrap_or_else(|error| panic!("{} refused {op} {text:.1000}: {error}", self.name))
    }

    /// Asks for something that must be refused, and returns what was raised.
    pub(crate) fn refusal(&mut self, op: &str, arguments: Value) -> Value {
        match self.try_ask(op, arguments) {
            Ok(value) => panic!("{} did not refuse {op}, it answered {value}", self.name),
            Err(error) => error,
        }
    }

    fn try_ask(&mut self, op: &str, arguments: Value) -> Result<Value, Value> {
        let mut request: Map<String, Value> =
            serde_json::from_value(arguments).expect("arguments are an object");
        request.insert("op".into(), op.into());
        let requests = self.requests.as_mut().expect("the peer is running");
        writeln!(requests, "{}", Value::Object(request)).expect("the peer takes requests");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the peer answers");
        assert!(!line.is_empty(), "{} died while it was asked to {op}; see its stderr", self.name);
        let mut answer: Value = serde_json::from_str(&line).expect("the peer answers in JSON");
        match answer.get_mut("ok") {
            Some(value) => Ok(value.take()),
            None => Err(answer["error"].take()),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.process.wait();
    }
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

/// The interpreter that has the package: what `cargo xtask` names, else an environment made here.
fn python(package: &Package) -> PathBuf {
    if let Some(python) = std::env::var_os(package.variable) {
        return python.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("xtask").join(package.name);
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
