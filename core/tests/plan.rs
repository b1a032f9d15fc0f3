//! Plans read the same records as the engine, however their ranges are joined.
#![cfg(all(feature = "zstd", feature = "conformance"))]

use proptest::prelude::*;
use recask_core::codec::{Codec, Coders};
use recask_core::dtype::DType;
use recask_core::format::zrecord::{EntryRules, Geometry};
use recask_core::plan::{Coalesce, Fetch, Locate, ReadRange, coalesce};
use recask_core::storage::memory::{MemoryEnvironment, MemoryPlace, MemoryStorage};
use recask_core::storage::{OpenMode, Storage, StorageFile};
use recask_core::{Code, DenseStore, RaggedStore};

/// Answers ranges as a server of byte ranges would: joined, then cut apart again.
fn serve(storage: &MemoryStorage, reads: &[ReadRange], rule: Coalesce) -> Vec<Vec<u8>> {
    let mut answers = vec![Vec::new(); reads.len()];
    for span in coalesce(reads, rule) {
        let file = storage.open(span.file, OpenMode::Read).expect("plans name files that exist");
        let mut bytes = vec![0; usize::try_from(span.bytes.end - span.bytes.start).expect("small")];
        file.read_exact_at(span.bytes.start, &mut bytes).expect("plans stay within files");
        for &member in &span.members {
            answers[member] = bytes[span.locate(&reads[member]).expect("a member lies in its span")].to_vec();
        }
    }
    answers
}

fn run(storage: &MemoryStorage, coders: &Coders, locate: &Locate<'_>, rule: Coalesce) -> Vec<u8> {
    let reads: Vec<_> = locate.reads().collect();
    let fetch: Fetch = locate.resolve(&serve(storage, &reads, rule).concat()).expect("a good table");
    let reads: Vec<_> = fetch.reads().collect();
    let stored = serve(storage, &reads, rule);
    let mut out = vec![0; usize::try_from(fetch.decoded_bytes()).expect("small")];
    coders
        .with_decoder(|mut decoder| {
            for ((piece, stored), slot) in fetch.pieces().iter().zip(&stored).zip(fetch.slots(&mut out)?) {
                piece.decode(stored, decoder.as_deref_mut(), slot)?;
            }
            Ok(())
        })
        .expect("good records");
    out
}

fn codec(raw: bool) -> Codec {
    if raw { Codec::raw() } else { Codec::zstd() }
}

proptest! {
    #[test]
    fn a_dense_gather_is_its_plan(
        values in prop::collection::vec(any::<u8>(), 1..400),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        raw: bool, gap in 0u64..100, max in 1u64..2000,
    ) {
        let count = values.len().div_ceil(7) as u64;
        let mut bytes = values;
        bytes.resize(usize::try_from(count * 7).unwrap(), 3);
        let place = MemoryPlace::new();
        let mut store: DenseStore<MemoryEnvironment> =
            DenseStore::builder(DType::U8, [7]).codec(codec(raw)).create(place.clone()).unwrap();
        store.append_bytes(&bytes).unwrap();
        let records: Vec<u64> = picks.iter().map(|pick| pick.index(bytes.len() / 7) as u64).collect();
        let rules = EntryRules { header: *store.store().header(), geometry: Geometry::FORMAT };
        let coders = Coders::new(codec(raw)).unwrap();
        let locate = Locate::new(rules, &records, Some(7)).unwrap();
        let planned = run(&place.storage().unwrap(), &coders, &locate, Coalesce { gap, max });
        prop_assert_eq!(planned, store.gather(&records).unwrap().as_bytes().to_vec());
    }

    #[test]
    fn a_ragged_gather_is_the_plan_of_its_payloads(
        values in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 1..30),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        raw: bool, gap in 0u64..100, max in 1u64..2000,
    ) {
        let place = MemoryPlace::new();
        let mut store: RaggedStore<MemoryEnvironment> =
            RaggedStore::builder(DType::U8).codec(codec(raw)).create(place.clone()).unwrap();
        store.append(&values).unwrap();
        let records: Vec<u64> = picks.iter().map(|pick| pick.index(values.len()) as u64).collect();
        let payloads: Vec<u64> = records.iter().map(|record| record * 2).collect();
        let rules = EntryRules { header: *store.store().header(), geometry: Geometry::FORMAT };
        let locate = Locate::new(rules, &payloads, None).unwrap();
        let coders = Coders::new(codec(raw)).unwrap();
        let planned = run(&place.storage().unwrap(), &coders, &locate, Coalesce { gap, max });
        prop_assert_eq!(planned, store.gather(&records).unwrap().as_bytes().to_vec());
    }
}

#[test]
fn a_plan_refuses_what_the_engine_refuses() {
    let place = MemoryPlace::new();
    let mut store: DenseStore<MemoryEnvironment> = DenseStore::builder(DType::U8, [4]).create(place).unwrap();
    store.append(&[1u8; 8]).unwrap();
    let rules = EntryRules { header: *store.store().header(), geometry: Geometry::FORMAT };
    assert_eq!(Locate::new(rules, &[0, 2], None).unwrap_err().code(), Code::IndexOutOfRange);
    let locate = Locate::new(rules, &[1], Some(5)).unwrap();
    assert_eq!(locate.resolve(&[0; 15]).unwrap_err().code(), Code::BufferSize);
    assert_eq!(locate.resolve(&[0; 16]).unwrap_err().code(), Code::CorruptEntry);
    let other_width = [4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(locate.resolve(&other_width).unwrap_err().code(), Code::CorruptEntry);
}
