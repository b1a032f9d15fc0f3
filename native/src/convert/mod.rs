//! Import from and export to the files that datasets come in: record stores here, column tables in [`table`].
//!
//! | source | becomes |
//! |---|---|
//! | `.npy` | DEST, a dense store: the first axis counts records; every element type that has a fixed width |
//! | `.npz` | DEST/*array*, a dense store for each array |
//! | IDX (MNIST), also `.gz` | DEST, a dense store; the data stays big-endian |
//! | folder of files | DEST/`files`, ragged `\|u1`, in the order of the relative names (bytes of UTF-8, `/` between the parts); DEST/`names`, ragged `\|u1` |
//! | `.jsonl`, `.ndjson`, also `.gz` | DEST/*field* for each field: see below |
//!
//! **JSON lines.** Every line is an object with the same fields. Numbers become dense scalars: `<i8` where all are
//! integers (`<u8` where one is beyond 63 bits and none is negative), else `<f8`; an integer beyond 64 bits counts as a
//! float, and one that no float equals is an error beside floats. `"NaN"`, `"Infinity"` and `"-Infinity"` are floats
//! beside numbers. Bools become dense `|b1`. Text becomes ragged UTF-8 (`|u1`). Lists become ragged arrays of the same
//! element types, and lists of text ragged arrays of `<U` with the width of the longest; lists of lists have to be
//! rectangular. Missing and null values, objects inside, empty lists and empty texts are errors that name the line. A
//! line has at most 32 MiB.
//!
//! | export | holds |
//! |---|---|
//! | `.npy` | a dense store, byte for byte the file that NumPy writes |
//! | `.npz` | of one dense store an array with the name of its folder; of a ragged one `values`, `offsets` (records + 1, in elements), `shapes` (a flat list) and `shape_offsets` (records + 1, into `shapes`), all `<i8`; of a dataset folder every stream, where the arrays of ragged ones are named *stream*`.values` and so on |
//! | `.jsonl` | one object a line, with a key for each stream; a single store has the name of its folder |
//! | folder | every record of a ragged `\|u1` store as a file, named by the `names` beside it, else `000000.bin` |
//!
//! ```
//! use recask::convert::{self, ImportOptions};
//! # let folder = tempfile::tempdir()?;
//! # let (lines, dataset, back) = (folder.path().join("a.jsonl"), folder.path().join("a"), folder.path().join("a.npz"));
//! std::fs::write(&lines, "{\"label\": 3, \"tokens\": [1, 2]}\n{\"label\": 5, \"tokens\": [4]}\n")?;
//! let made = convert::import(&lines, &dataset, &ImportOptions::default(), &())?;
//! assert_eq!(made[0].name.as_deref(), Some("label"));
//! assert_eq!(made[0].records, 2);
//!
//! convert::export(&dataset, &back, recask::Index::ALL, &())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod append;
mod array;
mod dataset;
mod export;
mod find;
mod folder;
mod idx;
mod import;
mod json;
mod name;
mod npy;
mod npz;
mod options;
mod problem;
mod ragged;
mod reading;
mod source;
pub mod table;
mod training;
mod transposed;
mod undo;

pub use append::append;
pub use dataset::{is_store, streams};
pub use export::{ExportFormat, Exported, export, export_records, write_json};
pub use find::{Found, find};
pub use import::{Imported, import};
pub use options::{CodecChoice, ImportOptions};
pub use source::{SourceKind, append_units, import_units};
pub use training::dictionary_from;
