//! Numbers, times and texts mean the same on both sides, not only their bytes.

use recask::{DType, DenseStore, Element};
use serde_json::{Value, json};

use crate::peer::Peer;

#[test]
fn numpy_sees_the_numbers_that_rust_wrote() {
    let mut peer = Peer::start();
    expect(&mut peer, &[true, false, true], &json!([true, false, true]));
    expect(&mut peer, &[i8::MIN, 0, i8::MAX], &json!([i8::MIN, 0, i8::MAX]));
    expect(&mut peer, &[i16::MIN, 0, i16::MAX], &json!([i16::MIN, 0, i16::MAX]));
    expect(&mut peer, &[i32::MIN, 0, i32::MAX], &json!([i32::MIN, 0, i32::MAX]));
    expect(&mut peer, &[i64::MIN, 0, i64::MAX], &json!([i64::MIN, 0, i64::MAX]));
    expect(&mut peer, &[0, u8::MAX], &json!([0, u8::MAX]));
    expect(&mut peer, &[0, u16::MAX], &json!([0, u16::MAX]));
    expect(&mut peer, &[0, u32::MAX], &json!([0, u32::MAX]));
    expect(&mut peer, &[0, u64::MAX], &json!([0, u64::MAX]));
    expect(&mut peer, &[-1.5f32, f32::MAX, f32::NAN], &json!([-1.5, f64::from(f32::MAX), "nan"]));
    expect(
        &mut peer,
        &[-1.5, f64::MIN_POSITIVE, f64::NEG_INFINITY],
        &json!([-1.5, f64::MIN_POSITIVE, "-inf"]),
    );
}

#[test]
fn numpy_sees_the_halves_pairs_texts_times_and_swapped_numbers_that_rust_wrote() {
    let mut peer = Peer::start();
    let utf32 =
        |text: &str, order: fn(u32) -> [u8; 4]| text.chars().flat_map(|c| order(u32::from(c))).collect();
    let bits = |halves: [u16; 4]| halves.into_iter().flat_map(u16::to_le_bytes).collect();
    let pair = [0.5f32, -2.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let wide_pair = [0.5f64, -2.0].into_iter().flat_map(f64::to_be_bytes).collect();
    let cases: [(&str, Vec<u8>, Value); 12] = [
        ("<f2", bits([0xBE00, 0x7BFF, 0x7E00, 0x7C00]), json!([-1.5, 65504.0, "nan", "inf"])),
        ("<c8", pair, json!([[0.5, -2.0]])),
        (">c16", wide_pair, json!([[0.5, -2.0]])),
        ("|S5", b"ab\0\0\0cdefg".into(), json!(["ab", "cdefg"])),
        ("<U3", utf32("aé名", u32::to_le_bytes), json!(["aé名"])),
        (">U3", utf32("aé名", u32::to_be_bytes), json!(["aé名"])),
        ("<M8[D]", 18_262i64.to_le_bytes().into(), json!(["2020-01-01"])),
        (">M8[ms]", 1000i64.to_be_bytes().into(), json!(["1970-01-01T00:00:01.000"])),
        ("<M8[25us]", 40_000i64.to_le_bytes().into(), json!(["1970-01-01T00:00:01"])),
        ("<m8[s]", (-5i64).to_le_bytes().into(), json!([-5])),
        (">i4", (-2i32).to_be_bytes().into(), json!([-2])),
        (">f8", 0.1f64.to_be_bytes().into(), json!([0.1])),
    ];
    for (dtype, bytes, values) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store");
        let dtype = DType::parse(dtype).expect("a type");
        let mut store = DenseStore::builder(dtype.clone(), ()).create(&path).expect("a new store");
        store.append_bytes(&bytes).expect("appended");
        store.close().expect("closed");
        expect_values(&mut peer, &path, &values, &dtype);
    }
}

fn expect<T: Element>(peer: &mut Peer, written: &[T], values: &Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let mut store = DenseStore::builder(T::DTYPE, ()).create(&path).expect("a new store");
    store.append(written).expect("appended");
    store.close().expect("closed");
    expect_values(peer, &path, values, &T::DTYPE);
}

fn expect_values(peer: &mut Peer, path: &std::path::Path, values: &Value, dtype: &DType) {
    peer.open(path, recask::StoreKind::Dense);
    assert_eq!(peer.ask("equals", json!({"values": values})), true, "{dtype}: {values}");
    peer.close();
}
