//! A directory whose files are open already, as a storage of the core.

use js_sys::{Array, Object, Reflect};
use recask_core::storage::{FileId, OpenMode, StorageError, StorageErrorKind};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use super::objects::Kept;
use crate::answer::object;
use crate::numbers::number;

#[wasm_bindgen]
extern "C" {
    /// `Directory` of `ts/raw.ts`.
    pub type JsDirectory;

    #[wasm_bindgen(method, getter)]
    fn name(this: &JsDirectory) -> Option<String>;
    #[wasm_bindgen(method, catch)]
    fn open(this: &JsDirectory, name: &str, create: bool, fresh: bool) -> Result<JsFile, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn has(this: &JsDirectory, name: &str) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn remove(this: &JsDirectory, name: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn rename(this: &JsDirectory, from: &str, to: &str) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn names(this: &JsDirectory) -> Result<Array, JsValue>;

    /// `SyncFile` of `ts/raw.ts`.
    type JsFile;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsFile, buffer: &mut [u8], options: &Object) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn write(this: &JsFile, buffer: &[u8], options: &Object) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getSize)]
    fn get_size(this: &JsFile) -> Result<f64, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn truncate(this: &JsFile, size: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn flush(this: &JsFile) -> Result<(), JsValue>;
}

/// A directory of JavaScript. A clone is the same.
#[derive(Clone, Debug)]
pub(crate) struct LiveFolder(Kept);

/// A file of it.
#[derive(Debug)]
pub(crate) struct LiveFile {
    object: Kept,
    id: FileId,
}

impl LiveFolder {
    pub(crate) fn new(directory: JsDirectory) -> Self {
        LiveFolder(Kept::new(directory.into()))
    }

    /// As messages call it.
    pub(crate) fn name(&self) -> String {
        self.object().ok().and_then(|directory| directory.name()).unwrap_or_default()
    }

    pub(crate) fn open(&self, id: FileId, mode: OpenMode) -> Result<LiveFile, StorageError> {
        let create = matches!(mode, OpenMode::OpenOrCreate | OpenMode::CreateNew);
        let file = self
            .object()?
            .open(&id.to_string(), create, mode == OpenMode::CreateNew)
            .map_err(|thrown| failed("open", id, &thrown))?;
        Ok(LiveFile { object: Kept::new(file.into()), id })
    }

    pub(crate) fn has(&self, id: FileId) -> Result<bool, StorageError> {
        self.object()?.has(&id.to_string()).map_err(|thrown| failed("look for", id, &thrown))
    }

    pub(crate) fn remove(&self, id: FileId) -> Result<(), StorageError> {
        self.object()?.remove(&id.to_string()).map_err(|thrown| failed("remove", id, &thrown))
    }

    pub(crate) fn rename(&self, from: FileId, to: FileId) -> Result<(), StorageError> {
        self.object()?
            .rename(&from.to_string(), &to.to_string())
            .map_err(|thrown| failed("rename", from, &thrown))
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, StorageError> {
        let names = self.object()?.names().map_err(|thrown| failed("list", FileId::Store, &thrown))?;
        Ok(names.iter().filter_map(|name| name.as_string()).collect())
    }

    fn object(&self) -> Result<JsDirectory, StorageError> {
        self.0.get().map(JsCast::unchecked_into).ok_or_else(elsewhere)
    }
}

impl LiveFile {
    pub(crate) fn len(&self) -> Result<u64, StorageError> {
        let size = self.object()?.get_size().map_err(|thrown| failed("measure", self.id, &thrown))?;
        crate::numbers::whole(size).map_err(|_| self.odd(&format!("its size is {size}")))
    }

    pub(crate) fn read_exact_at(&self, offset: u64, out: &mut [u8]) -> Result<(), StorageError> {
        let wanted = out.len();
        let read =
            self.object()?.read(out, &at(offset)).map_err(|thrown| failed("read", self.id, &thrown))?;
        if read == count(wanted) {
            return Ok(());
        }
        let text = format!("{} ends before the {wanted} bytes from {offset} on", self.id);
        Err(StorageError::new(StorageErrorKind::UnexpectedEnd, text))
    }

    pub(crate) fn write_all_at(&self, offset: u64, data: &[u8]) -> Result<(), StorageError> {
        let (file, mut at_offset, mut rest) = (self.object()?, offset, data);
        while !rest.is_empty() {
            let written =
                file.write(rest, &at(at_offset)).map_err(|thrown| failed("write", self.id, &thrown))?;
            let written =
                crate::numbers::whole(written).ok().and_then(|written| usize::try_from(written).ok());
            let Some(written @ 1..) = written.filter(|&written| written <= rest.len()) else {
                return Err(self.odd("the system took none of the bytes to be written"));
            };
            rest = &rest[written..];
            at_offset = at_offset.saturating_add(written as u64);
        }
        Ok(())
    }

    pub(crate) fn set_len(&self, len: u64) -> Result<(), StorageError> {
        #[expect(clippy::cast_precision_loss, reason = "files of a browser are smaller than 2^53 bytes")]
        self.object()?.truncate(len as f64).map_err(|thrown| failed("resize", self.id, &thrown))
    }

    pub(crate) fn sync(&self) -> Result<(), StorageError> {
        self.object()?.flush().map_err(|thrown| failed("sync", self.id, &thrown))
    }

    fn object(&self) -> Result<JsFile, StorageError> {
        self.object.get().map(JsCast::unchecked_into).ok_or_else(elsewhere)
    }

    fn odd(&self, what: &str) -> StorageError {
        StorageError::new(StorageErrorKind::Other, format!("{}: {what}", self.id))
    }
}

fn at(offset: u64) -> Object {
    object([("at", number(offset))])
}

#[expect(clippy::cast_precision_loss, reason = "no buffer has 2^53 bytes")]
fn count(len: usize) -> f64 {
    len as f64
}

/// What was thrown, as the core knows it.
fn failed(action: &str, id: FileId, thrown: &JsValue) -> StorageError {
    let field = |name| Reflect::get(thrown, &JsValue::from(name)).ok();
    if field("prepare").is_some_and(|prepare| prepare.is_truthy()) {
        return StorageError::new(StorageErrorKind::NotFetched, format!("{id} has to be opened first"));
    }
    let name = field("name").and_then(|name| name.as_string()).unwrap_or_default();
    let kind = match name.as_str() {
        "NotFoundError" => StorageErrorKind::NotFound,
        "AlreadyExists" => StorageErrorKind::AlreadyExists,
        "NoModificationAllowedError" | "InvalidStateError" => StorageErrorKind::Busy,
        "NotAllowedError" | "SecurityError" => StorageErrorKind::PermissionDenied,
        "QuotaExceededError" => StorageErrorKind::Full,
        _ => StorageErrorKind::Other,
    };
    let message = field("message").and_then(|message| message.as_string()).unwrap_or_default();
    StorageError::new(kind, format!("cannot {action} {id}: {message}"))
}

fn elsewhere() -> StorageError {
    let text = "an open file belongs to the thread that opened it";
    StorageError::new(StorageErrorKind::Other, text)
}
