//! The data that ships with the command, read without Recask: what stores of it have to answer.

use std::io::{BufRead as _, BufReader, Cursor, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use recask::{Code, Error};
use serde::Deserialize;
use zip::ZipArchive;

use crate::failure::{Failure, system};

/// A file of real data; `data/README.md` says where it is from.
pub(super) struct Source {
    /// The name of its dataset.
    pub(super) name: &'static str,
    file: &'static str,
    bytes: &'static [u8],
}

/// The sources of the tour.
pub(super) const SOURCES: &[Source] = &[
    Source { name: "digits", file: "digits.npz", bytes: include_bytes!("../../../data/digits.npz") },
    Source { name: "mnist", file: "mnist2000.npz", bytes: include_bytes!("../../../data/mnist2000.npz") },
    Source {
        name: "words",
        file: "cmudict.jsonl.gz",
        bytes: include_bytes!("../../../data/cmudict.jsonl.gz"),
    },
];

/// What one stream has to hold.
pub(super) struct Truth {
    pub(super) stream: &'static str,
    pub(super) records: Records,
}

/// The records of a stream.
pub(super) enum Records {
    /// As bytes: pixels, labels, letters.
    Bytes(Vec<Vec<u8>>),
    /// As lists of texts.
    Texts(Vec<Vec<String>>),
}

impl Records {
    pub(super) fn len(&self) -> usize {
        match self {
            Records::Bytes(records) => records.len(),
            Records::Texts(records) => records.len(),
        }
    }
}

#[derive(Deserialize)]
struct Entry {
    word: String,
    phonemes: Vec<String>,
}

impl Source {
    /// Writes the file for the import to read, unless it is there.
    pub(super) fn unpack(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let path = folder.join(self.file);
        if !path.exists() {
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, self.bytes));
            written.map_err(|error| system("write", &path, &error))?;
        }
        Ok(path)
    }

    /// What its streams have to hold.
    pub(super) fn truths(&self) -> Result<Vec<Truth>, Failure> {
        let truths = if self.file.ends_with(".npz") { self.arrays() } else { self.words() };
        // Only a damaged program has damaged data.
        truths.ok_or_else(|| {
            Error::new(Code::InvalidSource, format!("the built-in file {} is damaged", self.file)).into()
        })
    }

    fn arrays(&self) -> Option<Vec<Truth>> {
        let labels = self.array("labels.npy")?;
        let images = self.array("images.npy")?;
        let records = labels.len() / size_of::<i64>();
        let cut =
            |bytes: &[u8]| Records::Bytes(bytes.chunks(bytes.len() / records).map(<[u8]>::to_vec).collect());
        Some(vec![
            Truth { stream: "images", records: cut(&images) },
            Truth { stream: "labels", records: cut(&labels) },
        ])
    }

    /// The data of an array: behind 10 bytes and a header whose length stands in the last two of them.
    fn array(&self, name: &str) -> Option<Vec<u8>> {
        let mut archive = ZipArchive::new(Cursor::new(self.bytes)).ok()?;
        let mut bytes = Vec::new();
        archive.by_name(name).ok()?.read_to_end(&mut bytes).ok()?;
        let header = u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?);
        bytes.get(10 + usize::from(header)..).map(<[u8]>::to_vec)
    }

    fn words(&self) -> Option<Vec<Truth>> {
        let (mut words, mut phonemes) = (Vec::new(), Vec::new());
        for line in BufReader::new(GzDecoder::new(self.bytes)).lines() {
            let entry: Entry = serde_json::from_str(&line.ok()?).ok()?;
            words.push(entry.word.into_bytes());
            phonemes.push(entry.phonemes);
        }
        Some(vec![
            Truth { stream: "word", records: Records::Bytes(words) },
            Truth { stream: "phonemes", records: Records::Texts(phonemes) },
        ])
    }
}
