//! Every spelling means here what it means in NumPy, whose answers stand in `numpy_dtypes.json`.

use recask_core::dtype::{ByteOrder, DType, Field, FieldSpec, Kind, MAX_DEPTH, MAX_FIELDS, TimeUnit, Unit};
use recask_core::{Code, Error};
use serde_json::Value;

fn answers(part: &str) -> Vec<Value> {
    let answers: Value = serde_json::from_str(include_str!("numpy_dtypes.json")).unwrap();
    let part = answers[part].as_array().unwrap().clone();
    assert!(part.len() > 80, "the list is not cut short");
    part
}

fn refusal(text: &str) -> Error {
    match DType::parse(text) {
        Ok(dtype) => panic!("{text:?} was read as {dtype}"),
        Err(error) => error,
    }
}

#[test]
fn numpys_spellings_have_its_canonical_form_width_and_offsets() {
    for answer in answers("accepted") {
        let input = answer["input"].as_str().unwrap();
        let dtype = DType::parse(input).unwrap_or_else(|error| panic!("{input:?}: {error}"));
        assert_eq!(dtype.to_string(), answer["canonical"].as_str().unwrap(), "{input:?}");
        assert_eq!(Some(dtype.itemsize()), answer["itemsize"].as_u64(), "{input:?}");
        assert_eq!(DType::parse(&dtype.to_string()).unwrap(), dtype, "{input:?}");
        let Some(offsets) = answer.get("offsets").and_then(Value::as_object) else {
            assert!(!dtype.is_struct(), "{input:?}");
            continue;
        };
        assert_eq!(dtype.fields().len(), offsets.len(), "{input:?}");
        for field in dtype.fields() {
            assert_eq!(Some(field.offset()), offsets[field.name()].as_u64(), "{} of {input:?}", field.name());
        }
    }
}

#[test]
fn what_numpy_or_loaderx_refuses_is_refused() {
    for input in answers("refused") {
        let input = input.as_str().unwrap();
        assert_eq!(refusal(input).code(), Code::InvalidDType, "{input:?}");
    }
}

#[test]
fn object_types_say_why_they_are_refused() {
    for text in ["O", "|O", "object", "[('a', 'i4'), ('b', '|O')]", "T"] {
        let error = refusal(text);
        assert!(error.message().contains("object dtypes cannot be persisted"), "{text}: {error}");
    }
}

#[test]
fn json_and_python_literals_are_the_same() {
    let python =
        DType::parse("[(('a title', 'nm'), '>u2'), ('x', '<f4', (2, 3)), ('p', [('q', 'i1')])]").unwrap();
    let json = DType::parse(r#" [ [["a title","nm"],"u2>"], ["x","<f4",[2,3]], ["p",[["q","i1"]]] ] "#);
    assert_eq!(json.unwrap_err().code(), Code::InvalidDType);
    let json =
        DType::parse(r#" [ [["a title","nm"],">u2"], ["x","<f4",[2,3]], ["p",[["q","i1"]]] ] "#).unwrap();
    assert_eq!(json, python);
    let escaped = DType::parse(r#"[["\u00e9\ud83d\ude00\"", "i4"]]"#).unwrap();
    assert_eq!(escaped.fields()[0].name(), "é😀\"");
    assert_eq!(DType::parse(r"[('\x00\x1f\x85\\', 'i4')]").unwrap().fields()[0].name(), "\0\u{1f}\u{85}\\");
    for broken in
        [r#"[["\ud83d", "i4"]]"#, r#"[["\ud83dx", "i4"]]"#, r"[('\xg0', 'i4')]", r"[('\q', 'i4')]", r"[('a\"]
    {
        assert_eq!(refusal(broken).code(), Code::InvalidDType, "{broken}");
    }
}

#[test]
fn a_message_quotes_the_start_of_a_long_text() {
    let error = refusal(&"q\u{1b}".repeat(1000));
    assert!(error.message().contains("q\\u{1b}q") && error.message().len() < 400, "{error}");
}

#[test]
fn a_title_needs_a_name() {
    assert_eq!(refusal("[(('t', ''), '<i4')]").code(), Code::InvalidDType);
}

#[test]
fn a_syntax_error_says_where_it_is() {
    assert!(refusal("[('a', 'i4'), ('b' 'f8')]").message().contains("byte 19"));
}

#[test]
fn scalars_tell_their_parts() {
    let ticks = DType::parse(">M8[25us]").unwrap();
    let unit = TimeUnit::new(25, Unit::Microsecond).unwrap();
    assert_eq!((ticks.kind(), ticks.order(), ticks.unit()), (Kind::DateTime, ByteOrder::Big, Some(unit)));
    assert_eq!(DType::parse("M8").unwrap(), DType::datetime(None));
    assert_eq!(DType::parse("m8[D]").unwrap(), DType::timedelta(Some(TimeUnit::of(Unit::Day))));
    assert_eq!(DType::parse("U3").unwrap(), DType::text(3).unwrap());
    assert_eq!(DType::parse("S5").unwrap(), DType::bytes(5).unwrap());
    assert_eq!(DType::parse(">V7").unwrap(), DType::void(7).unwrap());
    assert_eq!(DType::text(1 << 29).unwrap_err().code(), Code::InvalidDType);
    assert_eq!(DType::bytes(1 << 31).unwrap_err().code(), Code::InvalidDType);
    assert_eq!(TimeUnit::new(1 << 31, Unit::Second).unwrap_err().code(), Code::InvalidDType);
    assert_eq!(DType::U8.order(), ByteOrder::Irrelevant);
    assert_eq!(DType::C128.to_string(), "<c16");
}

#[test]
fn native_order_looks_into_structures() {
    let foreign = if cfg!(target_endian = "little") { '>' } else { '<' };
    assert!(DType::parse("u1").unwrap().is_native_order());
    assert!(!DType::parse(&format!("{foreign}f4")).unwrap().is_native_order());
    assert!(
        !DType::parse(&format!("[('p', [('q', '{foreign}i2')]), ('r', 'u1')]")).unwrap().is_native_order()
    );
    assert!(DType::parse("[('p', [('q', 'S2')]), ('r', 'u1')]").unwrap().is_native_order());
}

#[test]
fn structures_are_built_as_they_are_read() {
    let built = DType::structure([
        FieldSpec::new("a", DType::U8),
        FieldSpec::padding(3),
        FieldSpec::padding(4),
        FieldSpec::new("b", DType::I64).title("long").shape([2]),
        FieldSpec::padding(1),
    ])
    .unwrap();
    let read =
        DType::parse("[('a', '|u1'), ('', '|V7'), (('long', 'b'), '<i8', (2,)), ('', '|V1')]").unwrap();
    assert_eq!(built, read);
    assert_eq!((built.itemsize(), built.fields().len()), (25, 2));
    let b = built.field("b").unwrap();
    assert_eq!((b.offset(), b.byte_len(), b.title()), (8, 16, Some("long")));
    assert_eq!(built.field("long").map(Field::name), None);

    let with_shape = DType::structure([("x", DType::F32, [2, 3]), ("", DType::F32, [1, 1])]).unwrap();
    assert_eq!(with_shape.to_string(), "[('x', '<f4', (2, 3)), ('f1', '<f4', (1, 1))]");
}

#[test]
fn depth_is_limited_where_nesting_is_read_and_where_it_is_built() {
    let nested = |depth: usize| format!("{}'u1'{}", "[('a', ".repeat(depth), ")]".repeat(depth));
    assert_eq!(DType::parse(&nested(MAX_DEPTH)).unwrap().itemsize(), 1);
    for depth in [MAX_DEPTH + 1, 100_000] {
        assert!(refusal(&nested(depth)).message().contains("32 deep"));
    }
    let built = (0..MAX_DEPTH).fold(DType::U8, |inner, _| DType::structure([("a", inner)]).unwrap());
    assert_eq!(built, DType::parse(&nested(MAX_DEPTH)).unwrap());
    assert_eq!(DType::structure([("a", built)]).unwrap_err().code(), Code::InvalidDType);
}

#[test]
fn fields_are_limited_also_where_they_are_shared() {
    let wide = |fields: usize| DType::structure((0..fields).map(|i| (format!("n{i}"), DType::U8)));
    assert_eq!(wide(MAX_FIELDS).unwrap().itemsize(), MAX_FIELDS as u64);
    assert_eq!(wide(MAX_FIELDS + 1).unwrap_err().code(), Code::InvalidDType);
    let doubled =
        (0..20).try_fold(DType::U8, |inner, _| DType::structure([("a", inner.clone()), ("b", inner)]));
    assert!(doubled.unwrap_err().message().contains("fields"));
    assert_eq!(refusal(&"i1,".repeat(MAX_FIELDS + 1)).code(), Code::InvalidDType);
}

#[test]
fn widths_do_not_wrap() {
    let huge = u64::MAX / 4;
    assert_eq!(DType::structure([("a", DType::F32, [huge])]).unwrap().itemsize(), huge * 4);
    for extents in [vec![huge + 1], vec![1 << 32, 1 << 32], vec![1; 65]] {
        let error = DType::structure([("a", DType::F32, extents.clone())]).unwrap_err();
        assert_eq!(error.code(), Code::InvalidDType, "{extents:?}");
    }
    let sum = DType::structure([("a", DType::F32, [huge]), ("b", DType::F32, [1])]);
    assert_eq!(sum.unwrap_err().code(), Code::InvalidDType);
    assert_eq!(DType::structure([FieldSpec::padding(1 << 31)]).unwrap_err().code(), Code::InvalidDType);
}
