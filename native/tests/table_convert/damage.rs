//! Damaged files: an error or rows, never a panic or more memory than there is, and nothing left behind after an error.

use std::fs;
use std::sync::LazyLock;

use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use proptest::prelude::*;
use recask::arrow::ToArrow as _;
use recask::convert::table::{Compression, ExportOptions, Format, ImportOptions, export, import};
use recask::table::Table;

use crate::support::{make, ticks, utf32};

/// Whole files to damage.
static FILES: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let text: Vec<String> = (0..50).map(|number| format!("text {}", number % 7)).collect();
    let text: Vec<&str> = text.iter().map(String::as_str).collect();
    let table = make(
        &folder.path().join("t"),
        &[
            ("x", "<i8", ticks(&(0..50).collect::<Vec<_>>())),
            ("t", "<U6", utf32(6, &text)),
            ("b", "|b1", vec![1; 50]),
        ],
    );
    let mut files = Vec::new();
    for format in Format::ALL {
        for compression in [Compression::None, Compression::Snappy, Compression::Zstd] {
            if format != Format::Parquet && compression != Compression::None {
                continue;
            }
            let path = folder.path().join("file");
            let options = ExportOptions {
                format: Some(format),
                compression,
                replace: true,
                ..ExportOptions::default()
            };
            export(&table.all(), &path, &options, &()).unwrap();
            files.push((format, fs::read(&path).unwrap()));
        }
    }
    let batch = table.to_arrow().unwrap();
    for codec in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = || IpcWriteOptions::default().try_with_compression(Some(codec)).unwrap();
        let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
        writer.write(&batch).unwrap();
        files.push((Format::Arrow, writer.into_inner().unwrap()));
        let mut writer = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
        writer.write(&batch).unwrap();
        files.push((Format::ArrowStream, writer.into_inner().unwrap()));
    }
    files
});

fn check(format: Format, bytes: &[u8]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().unwrap();
    let (source, dest) = (folder.path().join("source"), folder.path().join("dest"));
    fs::write(&source, bytes).unwrap();
    let options = ImportOptions { format: Some(format), ..ImportOptions::default() };
    match import(&source, &dest, &options, &()) {
        Ok(made) => prop_assert_eq!(Table::open(&dest).unwrap().len(), made.rows),
        Err(error) => {
            prop_assert!(!dest.exists(), "left behind after {error}");
            prop_assert!(!error.message().is_empty());
        }
    }
    Ok(())
}

#[test]
fn whole_files_are_read() {
    for (format, bytes) in &*FILES {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, bytes).unwrap();
        let options = ImportOptions { format: Some(*format), ..ImportOptions::default() };
        let made = import(&source, &folder.path().join("dest"), &options, &()).unwrap();
        assert_eq!(made.rows, 50, "{format:?}");
    }
}

#[test]
fn every_cut_file_is_an_error_or_has_fewer_rows() {
    for (format, bytes) in &*FILES {
        for len in (0..bytes.len()).step_by(1 + bytes.len() / 40) {
            check(*format, &bytes[..len]).unwrap();
        }
    }
}

#[test]
fn a_compressed_buffer_that_claims_more_than_there_is_memory_is_an_error() {
    let (format, bytes) = FILES.iter().rfind(|(format, _)| *format == Format::Arrow).unwrap();
    // The first buffer of the batch that is compressed: 50 numbers of 8 bytes.
    let claim = 400i64.to_le_bytes();
    let at = bytes.windows(8).position(|bytes| bytes == claim).unwrap();
    for claimed in [1i64 << 50, i64::MAX, i64::MIN, 401] {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&claimed.to_le_bytes());
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        fs::write(&source, &bytes).unwrap();
        let options = ImportOptions { format: Some(*format), ..ImportOptions::default() };
        let error = import(&source, &folder.path().join("dest"), &options, &()).unwrap_err();
        assert_eq!(error.code(), recask::Code::InvalidSource, "{claimed}: {error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_noticed_or_harmless(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let (format, bytes) = which.get(&FILES);
        let mut bytes = bytes.clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(*format, &bytes)?;
    }
}
