//! loaderx 1.7.2 as the specification describes it: its checks at open (section 5), its reading, and two of its
//! changes. Written from the specification alone, over the bare files.

use recask_core::codec::{Codec, Coders};
use recask_core::format::zrecord::Geometry;
use recask_core::storage::memory::MemoryStorage;
use recask_core::storage::{FileId, OpenMode, Storage, StorageFile};

use super::Record;

/// What loaderx knows after opening a store.
#[derive(Debug)]
pub(crate) struct Loaderx {
    pub(crate) codec: u8,
    pub(crate) tail_chunk: u32,
    pub(crate) tail_offset: u32,
    pub(crate) length: u64,
    pub(crate) reserved: [u8; 10],
    pub(crate) ragged: bool,
    pub(crate) entries: Vec<[u32; 4]>,
    files: Vec<(String, Vec<u8>)>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

impl Loaderx {
    /// The checks at open, in their order, with a sentence for the first that fails.
    pub(crate) fn open(files: Vec<(String, Vec<u8>)>, geometry: &Geometry) -> Result<Self, String> {
        let find =
            |name: &str| files.iter().find(|(found, _)| found == name).map(|(_, bytes)| bytes.as_slice());
        let store = find("store.zr").ok_or("store.zr is missing")?;
        if store.len() < 32 || &store[..4] != b"LXST" || store[4] != 1 || !(1..=2).contains(&store[5]) {
            return Err("the probe refuses store.zr".into());
        }
        let meta = find("meta.zr").ok_or("1: meta.zr is missing")?;
        if meta.len() != 32 {
            return Err(format!("3: meta.zr has {} bytes", meta.len()));
        }
        if &meta[..4] != b"ZREC" || meta[4] != 4 || meta[5] > 2 {
            return Err("4: magic, version or codec of meta.zr".into());
        }
        let (codec, tail_chunk, tail_offset, length) =
            (meta[5], u32_at(meta, 6), u32_at(meta, 10), u64_at(meta, 14));
        if tail_chunk == u32::MAX {
            return Err("5: impossible tail chunk".into());
        }
        let chunk_len = |id: u32| find(&format!("{id}.chunk")).map(|bytes| bytes.len() as u64);
        for id in 0..=tail_chunk {
            let len = chunk_len(id).ok_or(format!("6: {id}.chunk is missing"))?;
            if len > geometry.chunk_bytes || (id == tail_chunk && len < u64::from(tail_offset)) {
                return Err(format!("6: {id}.chunk has {len} bytes, the tail is {tail_chunk}/{tail_offset}"));
            }
        }
        let per_segment = geometry.segment_entries;
        let mut entries = Vec::new();
        for segment in 0..length.div_ceil(per_segment) {
            let table = find(&format!("{segment}.loc")).ok_or(format!("7: {segment}.loc is missing"))?;
            let needed = (length - segment * per_segment).min(per_segment);
            let needed = usize::try_from(needed * 16).unwrap();
            if table.len() < needed {
                return Err(format!("7: {segment}.loc has {} bytes, {needed} are needed", table.len()));
            }
            entries.extend(
                table[..needed].as_chunks::<16>().0.iter().map(|e| [0, 4, 8, 12].map(|at| u32_at(e, at))),
            );
        }
        for (slot, &[offset, phys, logic, chunk]) in entries.iter().enumerate() {
            let end = u64::from(offset) + u64::from(phys);
            let possible = chunk <= tail_chunk
                && phys != 0
                && (1..=1 << 31).contains(&logic)
                && end <= geometry.chunk_bytes
                && (chunk != tail_chunk || end <= u64::from(tail_offset))
                && chunk_len(chunk) >= Some(end);
            if !possible {
                return Err(format!("8: entry {slot} is [{offset}, {phys}, {logic}, {chunk}]"));
            }
        }
        if find("dict.zr").is_some() != (codec == 2) {
            return Err("9: dict.zr and the codec disagree".into());
        }
        if find("dict.zr").is_some_and(<[u8]>::is_empty) {
            return Err("10: the dictionary is empty".into());
        }
        if store.len() as u64 != 32 + u64_at(store, 16) {
            return Err("11: size of store.zr".into());
        }
        let (ragged, record_bytes) = (store[5] == 2, u64_at(store, 8));
        let fits = if ragged {
            record_bytes == 0 && length.is_multiple_of(2)
        } else {
            (1..=1 << 31).contains(&record_bytes)
        };
        if !fits {
            return Err(format!("12: {record_bytes} bytes a record, {length} entries"));
        }
        if !ragged && entries.iter().any(|entry| u64::from(entry[2]) != record_bytes) {
            return Err("a record has another width than the store".into());
        }
        let reserved = meta[22..].try_into().unwrap();
        Ok(Loaderx { codec, tail_chunk, tail_offset, length, reserved, ragged, entries, files })
    }

    /// Every record, read as loaderx reads it.
    pub(crate) fn records(&self) -> Vec<Record> {
        let coders = self.coders();
        let step = if self.ragged { 2 } else { 1 };
        self.entries
            .chunks(step)
            .map(|entries| {
                let bytes = self.decoded(&coders, entries[0]);
                let shape = match entries.get(1) {
                    None => vec![bytes.len() as u64],
                    Some(&shape) => {
                        let dims = self.decoded(&coders, shape);
                        assert_eq!(dims.len() as u64, 8 * (u64_at(&dims, 0) + 1), "rank of a shape record");
                        (8..dims.len()).step_by(8).map(|at| u64_at(&dims, at)).collect()
                    }
                };
                Record { shape, bytes }
            })
            .collect()
    }

    fn file(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(found, _)| found == name).map(|(_, bytes)| bytes.as_slice())
    }

    fn coders(&self) -> Coders {
        let codec = match self.codec {
            0 => Codec::raw(),
            1 => Codec::zstd(),
            _ => Codec::zstd_dict(self.file("dict.zr").unwrap()),
        };
        Coders::new(codec).unwrap()
    }

    fn decoded(&self, coders: &Coders, [offset, phys, logic, chunk]: [u32; 4]) -> Vec<u8> {
        let at = |at: u32| usize::try_from(at).unwrap();
        let stored = &self.file(&format!("{chunk}.chunk")).unwrap()[at(offset)..at(offset) + at(phys)];
        let mut out = vec![0; at(logic)];
        coders
            .with_decoder(|decoder| {
                match decoder {
                    Some(decoder) => decoder.decode(stored, &mut out).unwrap(),
                    None => out.copy_from_slice(stored),
                }
                Ok(())
            })
            .unwrap();
        out
    }

    fn header(&self) -> Vec<u8> {
        let mut bytes = b"ZREC\x04".to_vec();
        bytes.push(self.codec);
        bytes.extend(self.tail_chunk.to_le_bytes());
        bytes.extend(self.tail_offset.to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.reserved);
        bytes
    }
}

fn write(storage: &MemoryStorage, id: FileId, offset: u64, bytes: &[u8]) {
    storage.open(id, OpenMode::OpenOrCreate).unwrap().write_all_at(offset, bytes).unwrap();
}

/// Opens a dense raw store with one chunk and one segment, as loaderx would.
fn opened(storage: &MemoryStorage) -> Loaderx {
    let store = Loaderx::open(storage.files(), &Geometry::FORMAT).unwrap();
    assert!(!store.ragged && store.codec == 0 && store.tail_chunk == 0);
    store
}

/// loaderx opens the store, appends one record and is gone.
pub(crate) fn append_one(storage: &MemoryStorage, record: &[u8]) {
    let mut store = opened(storage);
    let size = u32::try_from(record.len()).unwrap();
    write(storage, FileId::Chunk(0), store.tail_offset.into(), record);
    let entry: Vec<u8> =
        [store.tail_offset, size, size, 0].iter().flat_map(|field| field.to_le_bytes()).collect();
    write(storage, FileId::Loc(0), store.length * 16, &entry);
    store.tail_offset += size;
    store.length += 1;
    write(storage, FileId::Meta, 0, &store.header());
}

/// loaderx opens the store, deletes one record and is gone.
pub(crate) fn delete_one(storage: &MemoryStorage, target: u64) {
    let mut store = opened(storage);
    store.length -= 1;
    if target != store.length {
        alias(storage, store.length, target);
    }
    write(storage, FileId::Meta, 0, &store.header());
}

/// Copies a table entry over another one: what an interrupted delete of loaderx leaves.
pub(crate) fn alias(storage: &MemoryStorage, from: u64, to: u64) {
    let table = storage.open(FileId::Loc(0), OpenMode::ReadWrite).unwrap();
    let mut entry = [0; 16];
    table.read_exact_at(from * 16, &mut entry).unwrap();
    table.write_all_at(to * 16, &entry).unwrap();
}
