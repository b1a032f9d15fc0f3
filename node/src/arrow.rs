//! Rows as bytes of Apache Arrow.

use std::io::{self, Write};

use napi::Env;
use napi::bindgen_prelude::{AsyncTask, Unknown};
use napi_derive::napi;
use recask::convert::table::{Format, to_ipc};
use recask::core::buffer::Buffer;
use recask::{Result, Selection};

use crate::error::invalid;
use crate::memory::{Block, lend, lend_now};
use crate::selection::NativeSelection;
use crate::task::{Job, later, now};
use crate::watch::{NativeStop, Told, Watch};

#[napi]
impl NativeSelection {
    /// The selected rows and columns as an Arrow IPC file or stream. Progress counts rows.
    ///
    /// # Errors
    /// `invalid_dtype` for a column that Arrow does not have; `interrupted`, `too_large`, a fault of the data.
    #[napi(
        ts_args_type = "format: 'file' | 'stream', stop?: NativeStop | null, progress?: ((done: number, total: number) => void) | null",
        ts_return_type = "Promise<Uint8Array>"
    )]
    pub fn arrow(
        &self,
        format: String,
        stop: Option<&NativeStop>,
        progress: Option<Told<'_>>,
    ) -> napi::Result<AsyncTask<Job<Block>>> {
        let (format, call) = now(|| Ok((format_of(&format)?, self.call(stop, progress)?)))?;
        Ok(later(move || bytes_of(&call.rows, format, &call.watch), lend))
    }

    /// The same at once.
    ///
    /// # Errors
    /// As `arrow`.
    #[napi(ts_args_type = "format: 'file' | 'stream'", ts_return_type = "Uint8Array")]
    pub fn arrow_sync<'e>(&self, env: &'e Env, format: String) -> napi::Result<Unknown<'e>> {
        lend_now(env, now(|| bytes_of(&self.rows()?, format_of(&format)?, &Watch::default()))?)
    }
}

fn format_of(name: &str) -> Result<Format> {
    match name {
        "file" => Ok(Format::Arrow),
        "stream" => Ok(Format::ArrowStream),
        other => Err(invalid(format!("'{other}' is no format of Arrow; use file or stream"))),
    }
}

fn bytes_of(rows: &Selection, format: Format, watch: &Watch) -> Result<Block> {
    watch.check()?;
    watch.expect(rows.len());
    let width = rows.columns_selected().map(|column| column.dtype().itemsize()).fold(0, u64::saturating_add);
    let values = width.saturating_mul(rows.len());
    // Messages around the values take a little more.
    let memory = Block::new(values.saturating_add(values / 64 + (64 << 10)))?.into_buffer();
    let written = to_ipc(rows, format, Growing { memory, len: 0 }, watch)?;
    let Growing { mut memory, len } = written;
    memory.resize(len)?;
    Ok(Block::of(memory))
}

/// Memory of the pool, and how much of it is written.
struct Growing {
    memory: Buffer,
    len: u64,
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let end = self.len + bytes.len() as u64;
        if end > self.memory.len() as u64 {
            let more = end.max(self.memory.len() as u64 * 2);
            self.memory.resize(more).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        }
        let start = usize::try_from(self.len).map_err(io::Error::other)?;
        let room = self.memory.get_mut(start..).unwrap_or_default();
        let size = bytes.len().min(room.len());
        room[..size].copy_from_slice(&bytes[..size]);
        self.len += size as u64;
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
