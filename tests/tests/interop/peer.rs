//! A running `tests/interop/peer.py`.

use std::path::Path;

use recask::StoreKind;
use serde_json::{Value, json};

use crate::python::{Package, Service};
pub(crate) use crate::python::{hex, unhex};
use crate::records::Record;

const LOADERX: Package = Package { name: "loaderx-1.7.2", script: "peer.py", variable: "RECASK_PEER_PYTHON" };

/// loaderx in a process of its own, with at most one store open.
pub(crate) struct Peer(Service);

/// What loaderx raised.
#[derive(Debug)]
pub(crate) struct PeerError {
    /// The native error number, where there is one.
    pub(crate) code: Option<i64>,
}

impl Peer {
    pub(crate) fn start() -> Self {
        Peer(Service::start(&LOADERX))
    }

    /// Asks, and fails the test when loaderx raises.
    pub(crate) fn ask(&mut self, op: &str, arguments: Value) -> Value {
        self.0.ask(op, arguments)
    }

    /// Asks for something that loaderx must refuse.
    pub(crate) fn refusal(&mut self, op: &str, arguments: Value) -> PeerError {
        PeerError { code: self.0.refusal(op, arguments)["code"].as_i64() }
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
