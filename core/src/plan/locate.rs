//! The first round: where are these records?

use alloc::format;
use alloc::vec::Vec;

use super::{Fetch, Piece, ReadRange};
use crate::error::{Code, Error, Result};
use crate::format::zrecord::{Entry, EntryRules};
use crate::storage::FileId;

/// The table entries of some physical records.
#[derive(Clone, Debug)]
pub struct Locate<'a> {
    rules: EntryRules,
    physical: &'a [u64],
    decoded: Option<u32>,
}

impl<'a> Locate<'a> {
    /// A plan for `physical` records of a store with these rules; with `decoded`, each must have that many bytes.
    ///
    /// # Errors
    /// [`Code::IndexOutOfRange`] where a record lies behind the committed length.
    pub fn new(rules: EntryRules, physical: &'a [u64], decoded: Option<u32>) -> Result<Self> {
        match physical.iter().find(|&&record| record >= rules.header.length) {
            Some(record) => {
                let text =
                    format!("table entry {record} is out of range; the table has {}", rules.header.length);
                Err(Error::new(Code::IndexOutOfRange, text))
            }
            None => Ok(Locate { rules, physical, decoded }),
        }
    }

    /// One range of 16 bytes for each record, in their order.
    pub fn reads(&self) -> impl ExactSizeIterator<Item = ReadRange> {
        self.physical.iter().map(|&record| {
            // Lengths whose table cannot be addressed are refused when a store is opened.
            let (segment, offset) = self.rules.geometry.slot(record).unwrap_or((u32::MAX, 0));
            ReadRange { file: FileId::Loc(segment), offset, len: Entry::LEN }
        })
    }

    /// Takes the bytes of all [`Locate::reads`], one after the other.
    ///
    /// # Errors
    /// [`Code::CorruptEntry`] for an impossible entry, [`Code::BufferSize`] where `table` has another size.
    pub fn resolve(&self, table: &[u8]) -> Result<Fetch> {
        if table.len() != self.physical.len().saturating_mul(Entry::SIZE) {
            let text = format!("{} bytes of table entries for {} records", table.len(), self.physical.len());
            return Err(Error::new(Code::BufferSize, text));
        }
        let (entries, _) = table.as_chunks::<{ Entry::SIZE }>();
        let pieces: Result<Vec<Piece>> = self
            .physical
            .iter()
            .zip(entries)
            .map(|(&record, bytes)| {
                let entry = Entry::decode(bytes);
                let len = self.rules.fetch_len(record, &entry)?;
                if let Some(expected) = self.decoded.filter(|&expected| expected != entry.decoded) {
                    let reason = format!("it has {} decoded bytes, a record has {expected}", entry.decoded);
                    return Err(self.rules.refuse(record, &reason));
                }
                let read =
                    ReadRange { file: FileId::Chunk(entry.chunk), offset: u64::from(entry.offset), len };
                Ok(Piece { read, decoded: entry.decoded })
            })
            .collect();
        Ok(Fetch::new(pieces?))
    }
}
