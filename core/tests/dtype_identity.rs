//! The identity of a store: the bytes that loaderx writes, and only what it can read.

use recask_core::dtype::{DType, MAX_DEPTH};
use recask_core::format::identity::Identity;
use recask_core::shape::Shape;
use recask_core::storage::FileId;
use recask_core::{Code, Error};
use serde_json::Value;

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn golden(part: &str) -> Vec<Value> {
    let golden: Value = serde_json::from_str(include_str!("identities.json")).unwrap();
    golden[part].as_array().unwrap().clone()
}

fn decode(kind: &str, bytes: &[u8]) -> Result<Identity, Error> {
    if kind == "ragged" { Identity::decode_ragged(bytes) } else { Identity::decode_dense(bytes) }
}

fn dense(dtype: &str, extents: &[u64]) -> Identity {
    Identity::Dense { dtype: DType::parse(dtype).unwrap(), item_shape: Shape::from(extents) }
}

/// A dense identity whose dtype is the given bytes.
fn with_dtype(dtype: &[u8]) -> Vec<u8> {
    [b"\x82\xa5dtype", dtype, b"\xaaitem_shape\x90"].concat()
}

fn refused(bytes: &[u8]) -> Error {
    let error = Identity::decode_dense(bytes).unwrap_err();
    assert_eq!(error.code(), Code::CorruptIdentity);
    assert_eq!(error.file(), Some(FileId::Store));
    error
}

#[test]
fn the_bytes_of_the_format_text() {
    let key = "aa 6974656d5f7368617065";
    let aligned = "[('a', '|u1'), ('', '|V7'), ('b', '<i8')]";
    let rows: &[(&str, &[u64], &str, &str)] = &[
        ("float32", &[2, 3], "a3 3c6634", "92 02 03"),
        ("bool", &[2], "a3 7c6231", "91 02"),
        ("uint8", &[], "a3 7c7531", "90"),
        ("uint8", &[128], "a3 7c7531", "91 cc80"),
        ("uint8", &[300], "a3 7c7531", "91 cd012c"),
        ("uint8", &[70000], "a3 7c7531", "91 ce00011170"),
        ("uint8", &[1 << 32], "a3 7c7531", "91 cf0000000100000000"),
        ("uint8", &[1; 15], "a3 7c7531", "9f 010101010101010101010101010101"),
        ("uint8", &[1; 16], "a3 7c7531", "dc0010 01010101010101010101010101010101"),
        (">i4", &[2], "a3 3e6934", "91 02"),
        ("datetime64[ns]", &[2], "a7 3c4d385b6e735d", "91 02"),
        ("datetime64", &[], "a3 3c4d38", "90"),
        ("timedelta64[D]", &[], "a6 3c6d385b445d", "90"),
        ("S5", &[], "a3 7c5335", "90"),
        ("U3", &[], "a3 3c5533", "90"),
        ("[('a','<i4'),('b','<f8')]", &[2], "92 92a161a33c6934 92a162a33c6638", "91 02"),
        ("[('x','<f4',(2,3)),('y','u1')]", &[], "92 93a178a33c6634920203 92a179a37c7531", "90"),
        (
            "[('p',[('q','<i2'),('r','>i4')]),('s','S3')]",
            &[],
            "92 92a170 92 92a171a33c6932 92a172a33e6934 92a173a37c5333",
            "90",
        ),
        (
            "[(('title','nm'),'<i4'),('z','u1')]",
            &[],
            "92 92 92a57469746c65a26e6d a33c6934 92a17aa37c7531",
            "90",
        ),
        (aligned, &[], "93 92a161a37c7531 92a0a37c5637 92a162a33c6938", "90"),
    ];
    for (dtype, extents, dtype_hex, shape_hex) in rows {
        let bytes = bytes_of(&format!("82 a5 6474797065 {dtype_hex} {key} {shape_hex}"));
        assert_eq!(dense(dtype, extents).encode(), bytes, "{dtype} {extents:?}");
        assert_eq!(Identity::decode_dense(&bytes).unwrap(), dense(dtype, extents), "{dtype} {extents:?}");
    }
    for (dtype, dtype_hex) in [("int32", "a3 3c6934"), ("S4", "a3 7c5334")] {
        let identity = Identity::Ragged { dtype: DType::parse(dtype).unwrap() };
        let bytes = bytes_of(&format!("81 a5 6474797065 {dtype_hex}"));
        assert_eq!(identity.encode(), bytes);
        assert_eq!(Identity::decode_ragged(&bytes).unwrap(), identity);
    }
}

#[test]
fn long_names_and_many_fields_take_the_longer_markers() {
    let name = "n".repeat(32);
    let wide: Vec<_> = (0..16).map(|i| (format!("{name}{i}"), DType::U8)).collect();
    let identity = Identity::Ragged { dtype: DType::structure(wide).unwrap() };
    let bytes = identity.encode();
    assert_eq!(bytes[7..10], [0xdc, 0, 16]);
    assert_eq!(bytes[10..13], [0x92, 0xd9, 33]);
    assert_eq!(Identity::decode_ragged(&bytes).unwrap(), identity);
}

#[test]
fn golden_identities_are_read_and_written_again() {
    let stores = golden("stores");
    assert_eq!(stores.len(), 55);
    for store in stores {
        let (name, kind) = (&store["name"], store["kind"].as_str().unwrap());
        let bytes = bytes_of(store["identity_hex"].as_str().unwrap());
        let identity = decode(kind, &bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(identity.encode(), bytes, "{name}");
        assert_eq!(Some(identity.dtype().itemsize()), store["itemsize"].as_u64(), "{name}");
        let spelling = store["dtype"].as_str().map_or_else(|| store["dtype"].to_string(), str::to_owned);
        assert_eq!(*identity.dtype(), DType::parse(&spelling).unwrap(), "{name}");
        let extents = store["item_shape"].as_array();
        let extents = extents.map(|e| e.iter().map(|e| e.as_u64().unwrap()).collect::<Vec<_>>());
        assert_eq!(identity.item_shape().map(|shape| shape.dims().to_vec()), extents, "{name}");
        let other = if kind == "dense" { "ragged" } else { "dense" };
        assert_eq!(decode(other, &bytes).unwrap_err().code(), Code::CorruptIdentity, "{name}");
    }
}

/// loaderx notices these later or not at all: the width of the record, which the header has, decides about them.
const READABLE: &[(&str, &str, &[u64])] = &[
    ("identity_key_order", "|u1", &[28, 28]),
    ("identity_alias_dtype", "|u1", &[28, 28]),
    ("identity_empty_dtype_list", "[]", &[28, 28]),
    ("identity_wider_dtype", "<f4", &[28, 28]),
    ("identity_same_width", "<f4", &[196]),
    ("identity_ragged_f8", "<f8", &[]),
];

#[test]
fn golden_mutations_are_refused_unless_loaderx_can_read_them() {
    let mutations = golden("mutations");
    assert_eq!(mutations.len(), 23);
    let mut readable = 0;
    for mutation in mutations {
        let name = mutation["name"].as_str().unwrap();
        let bytes = bytes_of(mutation["identity_hex"].as_str().unwrap());
        let answer = decode(mutation["open_as"].as_str().unwrap(), &bytes);
        match READABLE.iter().find(|(readable, ..)| *readable == name) {
            Some((_, dtype, extents)) => {
                let identity = answer.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(identity.dtype().to_string(), *dtype, "{name}");
                assert_eq!(identity.item_shape().map_or(&[][..], Shape::dims), *extents, "{name}");
                readable += 1;
            }
            None => {
                let error = answer.unwrap_err();
                assert_eq!(error.code(), Code::CorruptIdentity, "{name}");
                assert_eq!(error.file(), Some(FileId::Store), "{name}");
            }
        }
    }
    assert_eq!(readable, READABLE.len());
}

#[test]
fn errors_say_what_was_found_and_where() {
    let cases: &[(&[u8], &str, u64)] = &[
        (b"\xc1", "no msgpack", 32),
        (b"", "its end", 32),
        (b"\x92\x01\x02", "found is an array", 32),
        (b"\x81\xa5dtype\xa3|u1", "1 entries", 33),
        (b"\x82\xa5dtype\xa3|u1\xa5dtype\xa3|u1", "the key 'dtype'", 49),
        (b"\x82\xc4\x05dtype\xa3|u1", "a key should be a string, found is raw bytes", 33),
        (b"\x82\xa5dtype\xc0", "found is nil", 39),
        (b"\x82\xa5dtype\x07", "found is an integer", 39),
        (b"\x82\xa5dtype\xa2|O", "object dtypes cannot be persisted", 42),
        (b"\x82\xa5dtype\xa3|q9", "'|q9' is not known", 43),
        (b"\x82\xa5dtype\xa3|u", "ends inside", 40),
        (b"\x82\xa5dtype\xa3|u1\xaaitem_shape\x92\x1c\xff", "a negative number", 56),
        (b"\x82\xa5dtype\xa3|u1\xaaitem_shape\x91\xca\0\0\0\0", "a float", 55),
        (b"\x82\xa5dtype\xa3|u1\xaaitem_shape\xc0", "should be an array, found is nil", 54),
        (b"\x82\xa5dtype\xa3|u1\xaaitem_shape\x90\xc0\xc0", "2 bytes follow", 55),
        (b"\x82\xa5dtype\xa1\xff", "not UTF-8", 40),
    ];
    for (bytes, sentence, offset) in cases {
        let error = refused(bytes);
        assert!(error.message().contains(sentence), "{bytes:02x?}: {error}");
        assert_eq!(error.offset(), Some(*offset), "{bytes:02x?}: {error}");
    }
}

#[test]
fn announced_lengths_are_not_believed() {
    refused(b"\xdf\xff\xff\xff\xff");
    refused(&with_dtype(b"\xdd\xff\xff\xff\xff"));
    refused(&with_dtype(b"\xdb\xff\xff\xff\xff"));
    refused(b"\x82\xa5dtype\xa3|u1\xaaitem_shape\xdd\xff\xff\xff\xff");
}

#[test]
fn structures_in_the_identity_are_limited_and_well_formed() {
    let nested = |depth: usize| with_dtype(&[&b"\x91\x92\xa1a".repeat(depth)[..], b"\xa3|u1"].concat());
    assert_eq!(Identity::decode_dense(&nested(MAX_DEPTH)).unwrap().dtype().itemsize(), 1);
    assert!(refused(&nested(MAX_DEPTH + 1)).message().contains("32 deep"));
    assert!(refused(&nested(100_000)).message().contains("32 deep"));
    for field in [
        &b"\x91\x91\xa1a"[..],
        b"\x91\xa1a",
        b"\x91\x92\x93\xa1a\xa1b\xa1c\xa2u1",
        b"\x91\x93\xa1a\xa2u1\x02",
    ] {
        refused(&with_dtype(field));
    }
    refused(&with_dtype(b"\x92\x92\xa1a\xa2u1\x92\xa1a\xa2u1"));
    refused(&with_dtype(b"\xaf[('a', 'i4    ')]"));
}
