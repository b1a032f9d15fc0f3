//! A folder with stores.

use std::path::PathBuf;

use recask::{Codec, DType, DenseStore};
use recask_evaluate::{Place, Request};

pub(crate) struct Workspace(tempfile::TempDir);

impl Workspace {
    pub(crate) fn new() -> Self {
        Workspace(tempfile::tempdir().unwrap())
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A dense store of the records in `bytes`.
    pub(crate) fn dense(&self, name: &str, dtype: &str, shape: &[u64], bytes: &[u8]) {
        let dtype = DType::parse(dtype).unwrap();
        let builder = DenseStore::builder(dtype, shape.to_vec()).codec(Codec::zstd());
        let mut store = builder.create(self.at(name)).unwrap();
        store.append_bytes(bytes).unwrap();
        store.close().unwrap();
    }

    /// An evaluation of two stores.
    pub(crate) fn request(&self, labels: &str, predictions: &str) -> Request {
        let place = |name: &str| Place { path: self.at(name), columns: Vec::new() };
        Request { labels: place(labels), predictions: place(predictions), ..Request::default() }
    }
}
