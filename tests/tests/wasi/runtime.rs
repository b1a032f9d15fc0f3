//! Where the command runs: natively, in Node.js, under wasmtime.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The native command.
const NATIVE: &str = "RECASK_COMMAND";
/// The command as a module.
const MODULE: &str = "RECASK_WASI_COMMAND";
/// The evaluation as a module.
const EVALUATION: &str = "RECASK_WASI_EVALUATE";
/// The example that predicts digits.
const DIGITS: &str = "RECASK_DIGITS_EXAMPLE";
/// The conformance runner as a module.
const CONFORMANCE: &str = "RECASK_WASI_CONFORMANCE";
/// Node.js; the one on the path where nothing is said.
const NODE: &str = "RECASK_NODE";
/// A Python that has wasmtime.
const PYTHON: &str = "RECASK_WASMTIME_PYTHON";

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) status: i64,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The code of the error that it ended with.
    pub(crate) fn code(&self) -> Option<&str> {
        let line = self.stderr.lines().find_map(|line| line.strip_prefix("error["))?;
        Some(line.split_once(']')?.0)
    }
}

/// The native command, in a folder.
pub(crate) fn natively(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(given(NATIVE));
    let output = command.current_dir(folder).args(arguments).stdin(Stdio::null()).output();
    let output = output.expect("the native command starts");
    Run {
        status: output.status.code().expect("it ended by itself").into(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}

/// What a module is given.
pub(crate) struct Request<'r> {
    pub(crate) module: PathBuf,
    pub(crate) arguments: &'r [&'r str],
    /// Folders by the names that the module has for them.
    pub(crate) folders: &'r [(&'r Path, &'r str)],
    /// What is not the same everywhere.
    pub(crate) more: Value,
}

/// A runner of modules.
pub(crate) struct Runtime {
    pub(crate) name: &'static str,
    process: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Runtime {
    pub(crate) fn node() -> Self {
        let mut command = Command::new(std::env::var_os(NODE).unwrap_or("node".into()));
        command.arg("--no-warnings").arg(runners().join("run.mjs"));
        Self::start("node:wasi", command)
    }

    pub(crate) fn wasmtime() -> Self {
        let mut command = Command::new(given(PYTHON));
        command.arg(runners().join("run.py"));
        Self::start("wasmtime", command)
    }

    pub(crate) fn both() -> [Self; 2] {
        [Self::node(), Self::wasmtime()]
    }

    fn start(name: &'static str, mut command: Command) -> Self {
        let process = command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = process.unwrap_or_else(|error| panic!("{name} does not start: {error}"));
        let requests = process.stdin.take();
        let answers = BufReader::new(process.stdout.take().expect("it is piped"));
        Runtime { name, process, requests, answers }
    }

    /// The command, in a folder and with nothing else.
    #[track_caller]
    pub(crate) fn run(&mut self, folder: &Path, arguments: &[&str]) -> Run {
        self.run_with(&Request { module: command(), arguments, folders: &[(folder, ".")], more: json!({}) })
    }

    #[track_caller]
    pub(crate) fn run_with(&mut self, request: &Request<'_>) -> Run {
        self.ask(request)
            .unwrap_or_else(|trap| panic!("{}: {:?} traps: {trap}", self.name, request.arguments))
    }

    /// The trap, where the module ends with one.
    #[track_caller]
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Result<Run, String> {
        let mut line = json!({
            "module": request.module,
            "arguments": request.arguments,
            "folders": request.folders,
            "read_only_folders": [],
        });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, request.more.clone()) {
            line.extend(more);
        }
        writeln!(self.requests.as_mut().expect("it runs"), "{line}").expect("it takes requests");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        let answer: Value = serde_json::from_str(&answer).expect("it answers in JSON");
        let Some(answer) = answer.get("ok") else { panic!("{}: {answer}", self.name) };
        match answer.get("trap") {
            Some(trap) => Err(trap.to_string()),
            None => Ok(Run {
                status: answer["status"].as_i64().expect("a status"),
                stdout: text(&answer["stdout"]),
                stderr: text(&answer["stderr"]),
            }),
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.process.wait();
    }
}

pub(crate) fn command() -> PathBuf {
    given(MODULE)
}

pub(crate) fn evaluation() -> PathBuf {
    given(EVALUATION)
}

pub(crate) fn digits() -> PathBuf {
    given(DIGITS)
}

pub(crate) fn conformance() -> PathBuf {
    given(CONFORMANCE)
}

fn given(variable: &str) -> PathBuf {
    match std::env::var_os(variable) {
        Some(path) => path.into(),
        None => panic!(
            "{variable} is not set: `cargo xtask test --only WASI` builds what is needed here and sets it"
        ),
    }
}

fn runners() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("wasi")
}

fn text(hex: &Value) -> String {
    let hex = hex.as_str().expect("hexadecimal digits").as_bytes();
    let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes = hex.chunks_exact(2).map(|pair| byte(pair).expect("hexadecimal digits"));
    String::from_utf8(bytes.collect()).expect("text")
}
