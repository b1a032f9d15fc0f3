//! Damaged and hostile sources: an error or the right records, never a panic, and nothing left behind after an error.
#![cfg(feature = "convert")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use recask::convert::{self, ImportOptions};

/// Whole sources to damage.
fn sources() -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut sources: Vec<Vec<u8>> =
        ["nested.npy", "fortran.npy", "version2.npy", "v3.npy", "small.npz", "small_packed.npz"]
            .iter()
            .map(|name| fs::read(fixtures.join(name)).unwrap())
            .collect();
    sources.push(vec![0, 0, 11, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]);
    let lines =
        "{\"a\": 1, \"b\": [\"x\", \"yz\"], \"c\": \"text\"}\n{\"a\": 2.5, \"b\": [\"z\"], \"c\": \"t\"}\n";
    sources.push(lines.into());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, lines.as_bytes()).unwrap();
    sources.push(packed.finish().unwrap());
    sources
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let root = tempfile::tempdir().unwrap();
    let (source, dest) = (root.path().join("source"), root.path().join("dest"));
    fs::write(&source, bytes).unwrap();
    match convert::import(&source, &dest, &ImportOptions::default(), &()) {
        Ok(made) => {
            for stream in made {
                let store = recask::AnyStore::open(stream.path).unwrap();
                prop_assert_eq!(store.len(), stream.records);
                prop_assert!(store.verify(&()).unwrap().is_ok());
            }
        }
        Err(error) => {
            prop_assert!(!dest.exists(), "left behind after {error}");
            prop_assert!(!error.message().is_empty());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes_are_noticed_or_harmless(
        which in 0..9usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = sources().swap_remove(which);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(&bytes)?;
    }

    #[test]
    fn any_bytes_behind_a_magic_number_are_read_safely(
        magic in prop::sample::select(vec![&b"\x93NUMPY\x01\0"[..], b"\x93NUMPY\x03\0", b"PK\x03\x04", b"\0\0\x08\x02", b"{\"", b"\x1f\x8b\x08\0"]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        check(&[magic, &rest].concat())?;
    }

    #[test]
    fn headers_of_any_claim_are_checked_before_memory_is_taken(
        shape in prop::collection::vec(prop_oneof![0..4u64, any::<u64>()], 0..4),
        dtype in prop::sample::select(vec!["<f8", "|S2147483647", "|V0", "[('a', '<f8', (1000000000, 1000000000))]"]),
        fortran in prop::sample::select(vec!["True", "False"]),
    ) {
        let shape: String = shape.iter().map(|dim| format!("{dim}, ")).collect();
        let descr = if dtype.starts_with('[') { dtype.to_owned() } else { format!("'{dtype}'") };
        let text = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': ({shape})}}\n");
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        bytes.extend(text.bytes());
        check(&bytes)?;
    }
}

#[test]
fn every_cut_of_an_archive_is_refused() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let whole = fs::read(fixtures.join("small_packed.npz")).unwrap();
    let root = tempfile::tempdir().unwrap();
    let (source, dest) = (root.path().join("cut.npz"), root.path().join("dest"));
    for end in (0..whole.len()).step_by(13) {
        fs::write(&source, &whole[..end]).unwrap();
        let error = convert::import(&source, &dest, &ImportOptions::default(), &()).unwrap_err();
        assert_eq!(error.code(), recask::Code::InvalidSource, "{end}: {error}");
        assert!(!dest.exists());
    }
}

#[test]
fn an_archive_that_claims_more_than_it_holds_is_refused_at_once() {
    let root = tempfile::tempdir().unwrap();
    let text = "{'descr': '|u1', 'fortran_order': True, 'shape': (1000000000, 1000000)}\n";
    let mut array = b"\x93NUMPY\x01\0".to_vec();
    array.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    array.extend(text.bytes());
    let source = root.path().join("a.npz");
    let mut archive = zip::ZipWriter::new(fs::File::create(&source).unwrap());
    archive.start_file("a.npy", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut archive, &array).unwrap();
    archive.finish().unwrap();
    let codec = convert::CodecChoice::TrainDict { tier: recask::Tier::Max, level: None };
    for codec in [convert::CodecChoice::Raw, codec] {
        let options = ImportOptions { codec, ..ImportOptions::default() };
        let error = convert::import(&source, &root.path().join("dest"), &options, &()).unwrap_err();
        assert_eq!(error.code(), recask::Code::InvalidSource, "{error}");
        assert!(error.message().contains("claims"), "{error}");
    }
}
