//! Rules about the bytes of a file.

use alloc::vec;
use alloc::vec::Vec;

use super::{Abilities, Case, Outcome, equal, fail, succeed};
use crate::storage::{FileId, OpenMode, Storage, StorageErrorKind, StorageFile};

const FILE: FileId = FileId::Chunk(0);

pub(super) fn cases<S: Storage>() -> Vec<Case<S>> {
    vec![
        Case::always("writes land where they are told", positional),
        Case::always("a gap reads as zeros", gap),
        Case::always("a read past the end is an unexpected end", past_the_end),
        Case::always("an empty read succeeds, an empty write changes nothing", empty),
        Case::always("offsets near 2^64 are errors", hopeless_offsets),
        Case::always("a vectored write is its parts in order", vectored),
        Case::always("a vectored write may have thousands of parts", many_parts),
        Case::always("parts of all sizes keep their order", mixed_parts),
        Case::always("a size is cut and extended with zeros", set_len),
        Case::always("handles of one file see each other's changes", two_handles),
        Case::always("a file opened for reading is not written", read_only),
        Case::always("a synced file is as it was", sync),
        Case::always("mapped bytes are the bytes of the file", mapped),
        Case::when(|abilities| abilities.sparse, "offsets beyond 4 GiB work", beyond_4_gib),
    ]
}

fn new_file<S: Storage>(storage: &S, content: &[u8]) -> Result<S::File, alloc::string::String> {
    let file = succeed("creating", storage.open(FILE, OpenMode::CreateNew))?;
    succeed("writing", file.write_all_at(0, content))?;
    Ok(file)
}

fn holds(file: &impl StorageFile, expected: &[u8]) -> Outcome {
    equal("the size", succeed("asking", file.len())?, expected.len() as u64)?;
    let mut content = vec![0xee; expected.len()];
    succeed("reading", file.read_exact_at(0, &mut content))?;
    // Large contents would drown the message.
    match content.iter().zip(expected).position(|(found, expected)| found != expected) {
        Some(at) => equal(&alloc::format!("the byte at {at}"), content[at], expected[at]),
        None => Ok(()),
    }
}

fn positional<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"0123456789")?;
    succeed("overwriting", file.write_all_at(3, b"ab"))?;
    succeed("writing across the end", file.write_all_at(8, b"cdef"))?;
    holds(&file, b"012ab567cdef")?;
    let mut middle = [0; 3];
    succeed("reading", file.read_exact_at(7, &mut middle))?;
    equal("the middle", middle, *b"7cd")
}

fn gap<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"head")?;
    succeed("writing past the end", file.write_all_at(5000, b"tail"))?;
    let mut expected = vec![0; 5004];
    expected[..4].copy_from_slice(b"head");
    expected[5000..].copy_from_slice(b"tail");
    holds(&file, &expected)
}

fn past_the_end<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"0123")?;
    for (offset, len) in [(0, 5), (3, 2), (4, 1), (1 << 40, 1)] {
        let read = file.read_exact_at(offset, &mut vec![0; len]);
        fail(&alloc::format!("reading {len} bytes at {offset}"), read, StorageErrorKind::UnexpectedEnd)?;
    }
    holds(&file, b"0123")
}

fn empty<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"0123")?;
    for offset in [0, 4, 5000, u64::MAX] {
        succeed("reading nothing", file.read_exact_at(offset, &mut []))?;
        succeed("writing nothing", file.write_all_at(offset, &[]))?;
        succeed("writing no parts", file.write_all_vectored_at(offset, &[]))?;
        succeed("writing empty parts", file.write_all_vectored_at(offset, &[&[], &[]]))?;
    }
    holds(&file, b"0123")
}

fn hopeless_offsets<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"0123")?;
    for offset in [i64::MAX as u64 - 1, 1 << 63, u64::MAX - 3, u64::MAX] {
        let read = file.read_exact_at(offset, &mut [0; 8]);
        fail(&alloc::format!("reading at {offset}"), read, StorageErrorKind::UnexpectedEnd)?;
        equal("a write is refused", file.write_all_at(offset, &[1; 8]).is_err(), true)?;
        equal("a vectored write is refused", file.write_all_vectored_at(offset, &[&[1; 8]]).is_err(), true)?;
        equal("a mapped range", file.mapped(offset..u64::MAX).is_some_and(|bytes| !bytes.is_empty()), false)?;
    }
    holds(&file, b"0123")
}

fn vectored<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"xxxxxxxx")?;
    succeed("writing", file.write_all_vectored_at(2, &[b"ab", b"", b"c", b"", b"defgh"]))?;
    holds(&file, b"xxabcdefgh")
}

fn many_parts<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"")?;
    // More than the 1024 parts that one call of an operating system takes.
    let content: Vec<u8> = (0..5000u32).flat_map(u32::to_le_bytes).collect();
    let parts: Vec<&[u8]> = content.chunks(4).flat_map(|part| [part, &[]]).collect();
    succeed("writing", file.write_all_vectored_at(0, &parts))?;
    holds(&file, &content)
}

fn mixed_parts<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"")?;
    let content: Vec<u8> = (0..400_000u32).flat_map(u32::to_le_bytes).collect();
    let lens = [1, 511, 512, 70_000, 3, 255_000, 262_144, 300_000, 17, 262_145, 65_536, 65_535, 100];
    let (mut parts, mut rest) = (Vec::new(), &content[..]);
    for len in lens {
        let (part, after) = rest.split_at(len);
        parts.push(part);
        rest = after;
    }
    let total: usize = lens.iter().sum();
    succeed("writing", file.write_all_vectored_at(0, &parts))?;
    holds(&file, &content[..total])
}

fn set_len<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let file = new_file(&make(), b"0123456789")?;
    succeed("cutting", file.set_len(4))?;
    holds(&file, b"0123")?;
    succeed("extending", file.set_len(8))?;
    holds(&file, b"0123\0\0\0\0")?;
    succeed("emptying", file.set_len(0))?;
    equal("emptiness", succeed("asking", file.is_empty())?, true)
}

fn two_handles<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let first = new_file(&storage, b"first")?;
    let second = succeed("opening", storage.open(FILE, OpenMode::ReadWrite))?;
    let reader = succeed("opening", storage.open(FILE, OpenMode::Read))?;
    succeed("writing", second.write_all_at(5, b"second"))?;
    holds(&first, b"firstsecond")?;
    holds(&reader, b"firstsecond")?;
    succeed("cutting", first.set_len(2))?;
    holds(&second, b"fi")?;
    holds(&reader, b"fi")
}

fn read_only<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    new_file(&storage, b"kept")?;
    let reader = succeed("opening", storage.open(FILE, OpenMode::Read))?;
    fail("writing", reader.write_all_at(0, b"lost"), StorageErrorKind::PermissionDenied)?;
    let vectored = reader.write_all_vectored_at(0, &[b"lo", b"st"]);
    fail("writing parts", vectored, StorageErrorKind::PermissionDenied)?;
    fail("cutting", reader.set_len(0), StorageErrorKind::PermissionDenied)?;
    holds(&reader, b"kept")
}

fn sync<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let file = new_file(&storage, b"0123")?;
    succeed("syncing", file.sync())?;
    drop(file);
    holds(&succeed("opening", storage.open(FILE, OpenMode::Read))?, b"0123")
}

fn mapped<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    let storage = make();
    let content: Vec<u8> = (0..10_000u32).flat_map(u32::to_le_bytes).collect();
    let writer = new_file(&storage, &content)?;
    let reader = succeed("opening", storage.open(FILE, OpenMode::Read))?;
    for range in [0..40_000, 0..0, 1..4097, 39_999..40_000, 40_000..40_000] {
        let mut expected = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        succeed("reading", reader.read_exact_at(range.start, &mut expected))?;
        if let Some(found) = reader.mapped(range.clone()) {
            equal(&alloc::format!("equality of the mapped bytes {range:?}"), found == expected, true)?;
        }
    }
    let beyond = [reader.mapped(0..40_001), reader.mapped(40_000..40_001)];
    equal("bytes mapped past the end", beyond, [None, None])?;
    #[expect(clippy::reversed_empty_ranges, reason = "the range of a caller's mistake")]
    let reversed = reader.mapped(9..3);
    equal("bytes of a reversed range", reversed.is_some_and(|bytes| !bytes.is_empty()), false)?;
    // A file that grew is mapped as far as it was, or as far as it is.
    succeed("appending", writer.write_all_at(40_000, b"more"))?;
    equal("bytes after growing", reader.mapped(40_000..40_004).unwrap_or(b"more"), b"more")
}

fn beyond_4_gib<S: Storage>(make: &dyn Fn() -> S, _: Abilities) -> Outcome {
    const FAR: u64 = (1 << 32) - 2;
    let file = new_file(&make(), b"near")?;
    succeed("writing", file.write_all_at(FAR, b"over"))?;
    succeed("writing parts", file.write_all_vectored_at(FAR + 4, &[b"the", b"edge"]))?;
    equal("the size", succeed("asking", file.len())?, FAR + 11)?;
    let mut content = [0; 11];
    succeed("reading", file.read_exact_at(FAR, &mut content))?;
    equal("the content beyond", content, *b"overtheedge")?;
    let mut start = [0; 6];
    succeed("reading the start", file.read_exact_at(0, &mut start))?;
    equal("the start, where a cut offset would write", start, *b"near\0\0")?;
    succeed("cutting", file.set_len(FAR + 4))?;
    fail("reading past the cut", file.read_exact_at(FAR, &mut content), StorageErrorKind::UnexpectedEnd)
}
