//! Dictionaries that one side trains serve the other.

use recask::{Codec, DType, Samples, StoreKind, Tier};
use serde_json::{Value, json};

use crate::peer::{Peer, PeerCodec, hex, unhex};
use crate::random::Random;
use crate::records::Record;
use crate::store;

/// A dictionary with zstd's magic number, trained on the kind of records that the tests write.
pub(crate) fn trained() -> Vec<u8> {
    Samples::from_records(similar_records(400), Tier::Fast).train(Tier::Fast).expect("a dictionary")
}

/// A dictionary of arbitrary bytes.
pub(crate) fn raw_content() -> Vec<u8> {
    Random::new(4).bytes(3000)
}

#[test]
fn a_dictionary_trained_by_loaderx_serves_recask() {
    let mut peer = Peer::start();
    let samples: Vec<String> = similar_records(400).iter().map(|record| hex(record)).collect();
    let answer = peer.ask("train", json!({"tier": "fast", "records": samples}));
    let dictionary = unhex(answer.as_str().expect("a dictionary"));
    let records = records();

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let codec = Codec::zstd_dict(dictionary.clone());
    let mut store = store::create(&path, StoreKind::Ragged, DType::U8, &[], codec);
    store::append(&mut store, &records);
    let with_dictionary = store.stats().expect("stats").live_bytes;
    store.close().expect("closed");
    assert!(with_dictionary < size_without_dictionary(&records), "the dictionary saves nothing");

    peer.open(&path, StoreKind::Ragged);
    assert_eq!(peer.read(), records);
}

#[test]
fn a_dictionary_trained_by_recask_serves_loaderx() {
    let mut peer = Peer::start();
    let dictionary = trained();
    let records = records();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    peer.create_ragged(&path, "|u1", &PeerCodec { name: "zstd_dict", dictionary: Some(&dictionary) });
    peer.append(StoreKind::Ragged, &records);
    peer.close();

    let store = store::open(&path);
    assert_eq!(store.codec().dictionary(), Some(&dictionary[..]));
    assert_eq!(store::read(&store), records);
    assert!(store.stats().expect("stats").live_bytes < size_without_dictionary(&records));
}

/// Their releases of zstd differ, so the same samples need not give the same dictionary on both sides. Here Recask
/// trains from either choice of samples, and the two dictionaries must be one.
#[test]
fn both_sides_choose_the_same_samples() {
    let mut peer = Peer::start();
    let few = similar_records(600);
    let listed: Vec<String> = few.iter().map(|record| hex(record)).collect();
    let theirs = peer_samples(&mut peer, json!({"records": listed}));
    assert!(train(&Samples::from_records(&few, Tier::Fast)) == train(&theirs), "an iterator");

    // 6 MiB, of which 4 MiB are taken.
    let wide: Vec<u8> = similar_records(1500).into_iter().cycle().flatten().take(6 << 20).collect();
    let array = json!({"dtype": "<u4", "shape": [6 << 10, 256], "data": hex(&wide)});
    let theirs = peer_samples(&mut peer, json!({"array": array}));
    let ours = Samples::from_array(&wide, 1024, Tier::Fast).expect("samples");
    assert_eq!(ours.len(), 4 << 10);
    assert!(train(&ours) == train(&theirs), "an array");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dense");
    let mut store = recask::DenseStore::builder(DType::U8, [1024]).create(&path).expect("a new store");
    store.append(&wide).expect("appended");
    let ours = store.samples(Tier::Fast).expect("samples");
    store.close().expect("closed");
    peer.open(&path, StoreKind::Dense);
    assert!(train(&ours) == train(&peer_samples(&mut peer, json!({}))), "a dense store");
    peer.close();

    let path = folder.path().join("ragged");
    let mut store = recask::RaggedStore::builder(DType::U8).create(&path).expect("a new store");
    let records: Vec<&[u8]> = wide.chunks(1500).collect();
    store.append(&records).expect("appended");
    let ours = store.samples(Tier::Fast).expect("samples");
    store.close().expect("closed");
    peer.open(&path, StoreKind::Ragged);
    assert!(train(&ours) == train(&peer_samples(&mut peer, json!({}))), "a ragged store");
}

fn peer_samples(peer: &mut Peer, mut arguments: Value) -> Samples {
    arguments["tier"] = Tier::Fast.as_str().into();
    let answer = peer.ask("samples", arguments);
    let mut samples = Samples::new();
    for sample in answer.as_array().expect("a list of samples") {
        samples.push(&unhex(sample.as_str().expect("bytes")));
    }
    samples
}

fn train(samples: &Samples) -> Vec<u8> {
    samples.train(Tier::Fast).expect("a dictionary")
}

fn records() -> Vec<Record> {
    similar_records(30).into_iter().map(|bytes| Record { shape: vec![bytes.len() as u64], bytes }).collect()
}

/// Short texts that share most of their parts.
fn similar_records(count: u64) -> Vec<Vec<u8>> {
    const PARTS: [&str; 8] = [
        "\"label\": ",
        "\"width\": 640, ",
        "\"height\": 480, ",
        "cat",
        "dog",
        "{\"id\": ",
        ", ",
        "\"source\": \"camera\"}",
    ];
    let mut random = Random::new(5);
    let mut record = |i: u64| {
        let parts = (0..8).map(|_| PARTS[usize::try_from(random.below(8)).expect("small")]);
        format!("{{\"id\": {i}, {}}}", parts.collect::<String>()).into_bytes()
    };
    (0..count).map(&mut record).collect()
}

fn size_without_dictionary(records: &[Record]) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = store::create(
        &folder.path().join("store"),
        StoreKind::Ragged,
        DType::U8,
        &[],
        Codec::zstd().level(19),
    );
    store::append(&mut store, records);
    store.stats().expect("stats").live_bytes
}
