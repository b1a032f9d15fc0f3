//! Every element type in both kinds: the same identity, the same layout and the same bytes on both sides.

use recask::{Codec, DType, StoreKind, core::dtype::Kind};
use serde_json::{Value, json};

use crate::peer::{Peer, PeerCodec, hex, open_arguments};
use crate::random::Random;
use crate::records::{Record, random_records};
use crate::store::{self, KINDS};

const ITEM_SHAPE: &[u64] = &[2, 3];

/// Spellings that Recask and NumPy share.
const SHARED: &[&str] = &[
    "|b1",
    "|i1",
    "|u1",
    "<i2",
    "<i4",
    "<i8",
    "<u2",
    "<u4",
    "<u8",
    ">i2",
    ">i4",
    ">i8",
    ">u2",
    ">u4",
    ">u8",
    "<f2",
    "<f4",
    "<f8",
    "<f16",
    ">f2",
    ">f4",
    ">f8",
    "<c8",
    "<c16",
    "<c32",
    ">c8",
    ">c16",
    "|S1",
    "|S5",
    "<U1",
    "<U3",
    ">U3",
    "|V1",
    "|V7",
    "<M8",
    "<M8[Y]",
    "<M8[D]",
    "<M8[ns]",
    "<M8[25us]",
    ">M8[s]",
    "<m8",
    "<m8[D]",
    "<m8[25us]",
    ">m8[ns]",
    "[('a', '<i4'), ('b', '<f8')]",
    "[('id', '<i8'), ('xy', '<f4', (2,)), ('tag', '|S3')]",
    "[('x', '<f4', (2, 3)), ('y', '|u1')]",
    "[('p', [('q', '<i2'), ('r', '>i4')]), ('s', '|S3')]",
    "[('p', [('q', '<i2'), ('deep', [('z', '>c8')], (2,))], (2, 2)), ('when', '<M8[ms]')]",
    "[(('a title', 'nm'), '<i4'), ('z', '|u1')]",
    "[('Größe', '<f4'), ('名', '<U2')]",
];

/// Padded structures, which NumPy takes as dictionaries and writes with unnamed fields.
const PADDED: &[(&str, &str)] = &[
    (
        "[('a', '|u1'), ('', '|V7'), ('b', '<i8')]",
        "{'names': ['a', 'b'], 'formats': ['|u1', '<i8'], 'offsets': [0, 8], 'itemsize': 16}",
    ),
    (
        "[('', '|V2'), ('a', '>u2', (3,)), ('', '|V4')]",
        "{'names': ['a'], 'formats': [('>u2', (3,))], 'offsets': [2], 'itemsize': 12}",
    ),
];

#[test]
fn loaderx_reads_every_type_that_recask_writes_and_the_other_way_round() {
    let mut peer = Peer::start();
    let mut random = Random::new(1);
    let shared = SHARED.iter().map(|text| (*text, *text));
    for (recask, numpy) in shared.chain(PADDED.iter().copied()) {
        for kind in KINDS {
            recask_writes_loaderx_reads(&mut peer, &mut random, kind, recask, numpy);
            // loaderx reopens a padded type as another one, to which nothing can be appended.
            loaderx_writes_recask_reads(&mut peer, &mut random, kind, recask, numpy);
        }
    }
}

fn recask_writes_loaderx_reads(
    peer: &mut Peer,
    random: &mut Random,
    kind: StoreKind,
    recask: &str,
    numpy: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let dtype = DType::parse(recask).expect("a type");
    let records = legal_records(random, kind, &dtype);
    let mut store = store::create(&path, kind, dtype, ITEM_SHAPE, Codec::zstd());
    store::append(&mut store, &records);
    store.close().expect("closed");

    assert_eq!(peer.open(&path, kind), records.len() as u64, "{recask}");
    let identity = peer.ask("identity", json!({}));
    assert_eq!(identity, peer.ask("expected_identity", identity_arguments(kind, numpy)), "{recask}");
    assert_eq!(peer.read(), records, "{recask}");
    peer.close();
}

fn loaderx_writes_recask_reads(
    peer: &mut Peer,
    random: &mut Random,
    kind: StoreKind,
    recask: &str,
    numpy: &str,
) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let dtype = DType::parse(recask).expect("a type");
    let records = legal_records(random, kind, &dtype);
    let codec = PeerCodec { name: "raw", dictionary: None };
    match kind {
        StoreKind::Dense => peer.create_dense(&path, numpy, ITEM_SHAPE, &codec),
        StoreKind::Ragged => peer.create_ragged(&path, numpy, &codec),
    }
    peer.append(kind, &records);
    peer.close();

    let store = store::open(&path);
    assert_eq!(*store.dtype(), dtype, "{recask}");
    assert_eq!(offsets(store.dtype()), peer.ask("offsets", json!({"dtype": numpy})), "{recask}");
    assert_eq!(store::read(&store), records, "{recask}");
    store::assert_sound(&store);
}

fn identity_arguments(kind: StoreKind, numpy: &str) -> Value {
    match kind {
        StoreKind::Dense => json!({"dtype": numpy, "item_shape": ITEM_SHAPE}),
        StoreKind::Ragged => json!({"dtype": numpy}),
    }
}

/// Random records whose bytes every type takes: small numbers, of which booleans are 0 or 1.
fn legal_records(random: &mut Random, kind: StoreKind, dtype: &DType) -> Vec<Record> {
    let mut records = random_records(random, kind, ITEM_SHAPE, dtype.itemsize(), 5);
    if dtype.kind() == Kind::Bool {
        records.iter_mut().flat_map(|record| &mut record.bytes).for_each(|byte| *byte &= 1);
    }
    records
}

/// Where every field lies, fields of fields as `outer.inner`.
fn offsets(dtype: &DType) -> Value {
    fn walk(dtype: &DType, prefix: &str, base: u64, found: &mut serde_json::Map<String, Value>) {
        for field in dtype.fields() {
            let name = format!("{prefix}{}", field.name());
            let offset = base + field.offset();
            walk(field.dtype(), &format!("{name}."), offset, found);
            found.insert(name, offset.into());
        }
    }
    let mut found = serde_json::Map::new();
    walk(dtype, "", 0, &mut found);
    Value::Object(found)
}

#[test]
fn both_sides_refuse_a_store_of_the_other_kind() {
    let mut peer = Peer::start();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    store::create(&path, StoreKind::Dense, DType::U8, ITEM_SHAPE, Codec::raw()).close().expect("closed");
    peer.refusal("open", open_arguments(&path, StoreKind::Ragged));
    let error = recask::RaggedStore::open(&path).expect_err("a dense store");
    assert_eq!(error.code(), recask::Code::KindMismatch);

    // The same bytes as what loaderx itself writes.
    assert_eq!(peer.open(&path, StoreKind::Dense), 0);
    peer.ask("append", json!({"records": hex(&[7; 6])}));
    assert_eq!(peer.read(), [Record { shape: ITEM_SHAPE.to_vec(), bytes: vec![7; 6] }]);
}
