//! Every type, both ways.

use std::sync::Arc;

use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, StringDictionaryBuilder, UInt8Builder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Date64Array,
    Decimal128Array, DurationMicrosecondArray, Float16Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Int64Array, LargeBinaryArray, LargeStringArray, NullArray, RecordBatch,
    StringArray, StringViewArray, StructArray, Time32MillisecondArray, Time64NanosecondArray,
    TimestampMicrosecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt8Array, UInt16Array,
    UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, TimeUnit};
use half::f16;
use recask::arrow::{ToArrow as _, WriteBatch as _};
use recask::convert::table::{Format, ImportOptions, Rules, TextAs};
use recask::table::TableWriter;
use recask::{Code, DType};

use crate::support::{content, exported, imported, make, ticks, utf32};

/// Type, values, Arrow's type, the type that comes back, its values.
type There = (&'static str, Vec<u8>, DataType, &'static str, Vec<u8>);

/// One column of every type that a table can have and Arrow too.
fn every_type() -> Vec<There> {
    let same = |dtype, bytes: Vec<u8>, arrow| (dtype, bytes.clone(), arrow, dtype, bytes);
    let timestamp = |unit| DataType::Timestamp(unit, None);
    let days = |expected: &[i64]| ("<M8[D]", ticks(expected));
    let to = |dtype, values: &[i64], arrow, (back, bytes): (&'static str, Vec<u8>)| {
        (dtype, ticks(values), arrow, back, bytes)
    };
    let nat = i64::MIN;
    vec![
        same("|b1", vec![1, 0, 1], DataType::Boolean),
        same("|i1", vec![0x80, 0, 0x7f], DataType::Int8),
        same("<i2", [i16::MIN, 0, i16::MAX].map(i16::to_le_bytes).concat(), DataType::Int16),
        same("<i4", [i32::MIN, 0, i32::MAX].map(i32::to_le_bytes).concat(), DataType::Int32),
        same("<i8", ticks(&[i64::MIN, 0, i64::MAX]), DataType::Int64),
        same("|u1", vec![0, 1, 0xff], DataType::UInt8),
        same("<u2", [0, 1, u16::MAX].map(u16::to_le_bytes).concat(), DataType::UInt16),
        same("<u4", [0, 1, u32::MAX].map(u32::to_le_bytes).concat(), DataType::UInt32),
        same("<u8", [0, 1, u64::MAX].map(u64::to_le_bytes).concat(), DataType::UInt64),
        same("<f2", [0x7e00u16, 0x8000, 0x3c00].map(u16::to_le_bytes).concat(), DataType::Float16),
        same("<f4", [f32::NAN, -0.0, f32::INFINITY].map(f32::to_le_bytes).concat(), DataType::Float32),
        same("<f8", [f64::NAN, -0.0, 0.1].map(f64::to_le_bytes).concat(), DataType::Float64),
        same("|S3", b"a\0bx\0\0\0\0\0".to_vec(), DataType::Binary),
        same("<U3", utf32(3, &["aß", "日本語", ""]), DataType::Utf8),
        same("<M8[s]", ticks(&[1, -1, 2]), timestamp(TimeUnit::Second)),
        same("<M8[ms]", ticks(&[1, -1, 2]), timestamp(TimeUnit::Millisecond)),
        same("<M8[us]", ticks(&[1, -1, 2]), timestamp(TimeUnit::Microsecond)),
        same("<M8[ns]", ticks(&[nat, i64::MAX, nat + 1]), timestamp(TimeUnit::Nanosecond)),
        same("<M8[D]", ticks(&[nat, i64::from(i32::MAX), i64::from(i32::MIN)]), DataType::Date32),
        to("<M8[W]", &[nat, 1, -1], DataType::Date32, days(&[nat, 7, -7])),
        to("<M8[M]", &[nat, 1, -1], DataType::Date32, days(&[nat, 31, -31])),
        to("<M8[Y]", &[nat, 1, 30], DataType::Date32, days(&[nat, 365, 10_957])),
        to("<M8[3D]", &[nat, 1, -1], DataType::Date32, days(&[nat, 3, -3])),
        to("<M8[h]", &[nat, 1, -1], timestamp(TimeUnit::Second), ("<M8[s]", ticks(&[nat, 3600, -3600]))),
        to("<M8[m]", &[nat, 1, -1], timestamp(TimeUnit::Second), ("<M8[s]", ticks(&[nat, 60, -60]))),
        to("<M8[25us]", &[nat, 1, -1], timestamp(TimeUnit::Microsecond), ("<M8[us]", ticks(&[nat, 25, -25]))),
        to(
            "<M8[ps]",
            &[nat, 3000, -1000],
            timestamp(TimeUnit::Nanosecond),
            ("<M8[ns]", ticks(&[nat, 3, -1])),
        ),
        to("<M8[fs]", &[0, 3_000_000, 0], timestamp(TimeUnit::Nanosecond), ("<M8[ns]", ticks(&[0, 3, 0]))),
        to(
            "<M8[as]",
            &[0, 3_000_000_000, 0],
            timestamp(TimeUnit::Nanosecond),
            ("<M8[ns]", ticks(&[0, 3, 0])),
        ),
        same("<m8[s]", ticks(&[nat, -1, 2]), DataType::Duration(TimeUnit::Second)),
        same("<m8[ns]", ticks(&[nat, i64::MAX, 2]), DataType::Duration(TimeUnit::Nanosecond)),
        to(
            "<m8[D]",
            &[nat, 1, -1],
            DataType::Duration(TimeUnit::Second),
            ("<m8[s]", ticks(&[nat, 86_400, -86_400])),
        ),
        to(
            "<m8[W]",
            &[nat, 1, 0],
            DataType::Duration(TimeUnit::Second),
            ("<m8[s]", ticks(&[nat, 604_800, 0])),
        ),
        to("<m8[h]", &[nat, 1, 0], DataType::Duration(TimeUnit::Second), ("<m8[s]", ticks(&[nat, 3600, 0]))),
        to(
            "<m8[10ms]",
            &[nat, 1, 0],
            DataType::Duration(TimeUnit::Millisecond),
            ("<m8[ms]", ticks(&[nat, 10, 0])),
        ),
        to(
            "<m8[ps]",
            &[0, 1000, 0],
            DataType::Duration(TimeUnit::Nanosecond),
            ("<m8[ns]", ticks(&[0, 1, 0])),
        ),
    ]
}

/// What comes back where NaT, which became null, is stored as NaT again.
fn nat_rules() -> Rules {
    Rules { nulls: recask::convert::table::Nulls::Nan, ..Rules::default() }
}

#[test]
fn every_type_of_a_table_becomes_arrow_and_back() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (dtype, bytes, arrow, back, expected)) in every_type().into_iter().enumerate() {
        let (path, copy) =
            (folder.path().join(format!("{number}.cstore")), folder.path().join(format!("{number}c")));
        let batch = make(&path, &[("x", dtype, bytes)]).to_arrow().unwrap();
        assert_eq!(batch.schema().field(0).data_type(), &arrow, "{dtype}");
        let mut writer = TableWriter::create(&copy).unwrap();
        writer.write_batch_with(&batch, &nat_rules()).unwrap();
        writer.close().unwrap();
        assert_eq!(content(&copy), [("x".to_owned(), back.to_owned(), expected)], "{dtype}");
    }
}

#[test]
fn every_type_goes_through_the_files_of_arrow_and_parquet() {
    for format in [Format::Arrow, Format::ArrowStream, Format::Parquet] {
        let folder = tempfile::tempdir().unwrap();
        let all = every_type();
        let names: Vec<String> = (0..all.len()).map(|number| format!("c{number}")).collect();
        let columns: Vec<_> = all
            .iter()
            .zip(&names)
            .map(|((dtype, bytes, ..), name)| (name.as_str(), *dtype, bytes.clone()))
            .collect();
        let table = make(&folder.path().join("all"), &columns);
        let file = folder.path().join(format!("all.{}", format.as_str()));
        exported(&table, &file);
        assert_eq!(Format::detect(&file).unwrap(), format);
        let options = ImportOptions { rules: nat_rules(), ..ImportOptions::default() };
        let (made, found) = imported(&file, &options).unwrap();
        assert_eq!((made.rows, made.format), (3, format));
        for ((name, (dtype, _, _, mut back, mut expected)), found) in names.into_iter().zip(all).zip(found) {
            // Parquet has no seconds.
            if format == Format::Parquet && back == "<M8[s]" {
                let seconds =
                    expected.chunks_exact(8).map(|tick| i64::from_le_bytes(tick.try_into().unwrap()));
                let millis = seconds.map(|tick| if tick == i64::MIN { tick } else { tick * 1000 });
                (back, expected) = ("<M8[ms]", ticks(&millis.collect::<Vec<_>>()));
            }
            assert_eq!(found, (name, back.to_owned(), expected), "{dtype} through {format:?}");
        }
    }
}

#[test]
fn npz_keeps_every_type_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let all = every_type();
    let names: Vec<String> = (0..all.len()).map(|number| format!("c{number}")).collect();
    let mut columns: Vec<_> = all
        .iter()
        .zip(&names)
        .map(|((dtype, bytes, ..), name)| (name.as_str(), *dtype, bytes.clone()))
        .collect();
    columns.push(("no unit", "<M8", ticks(&[1, 2, 3])));
    columns.push(("months", "<m8[M]", ticks(&[1, 2, 3])));
    let path = folder.path().join("all");
    let table = make(&path, &columns);
    let file = folder.path().join("all.npz");
    exported(&table, &file);
    let (made, found) = imported(&file, &ImportOptions::default()).unwrap();
    assert_eq!(made.format, Format::Npz);
    assert_eq!(found, content(&path));
}

fn units_of(array: ArrayRef, rules: &Rules) -> Result<(String, Vec<u8>), recask::Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let field = Field::new("x", array.data_type().clone(), true);
    let batch = RecordBatch::try_new(Arc::new(arrow_schema::Schema::new(vec![field])), vec![array]).unwrap();
    let mut writer = TableWriter::create(&path)?;
    writer.write_batch_with(&batch, rules)?;
    writer.close()?;
    let (_, dtype, bytes) = content(&path).remove(0);
    Ok((dtype, bytes))
}

#[test]
fn every_arrow_type_becomes_a_column() {
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    ["rain", "sun", "rain"].iter().for_each(|value| dictionary.append_value(value));
    let mut fixed = FixedSizeBinaryBuilder::new(3);
    [b"abc", b"d\0\0"].iter().for_each(|value| fixed.append_value(value).unwrap());
    let cases: Vec<(ArrayRef, &str, Vec<u8>)> = vec![
        (Arc::new(BooleanArray::from(vec![true, false])), "|b1", vec![1, 0]),
        (Arc::new(Int8Array::from(vec![-1])), "|i1", vec![0xff]),
        (Arc::new(Int16Array::from(vec![-2])), "<i2", vec![0xfe, 0xff]),
        (Arc::new(Int32Array::from(vec![1])), "<i4", vec![1, 0, 0, 0]),
        (Arc::new(Int64Array::from(vec![i64::MIN])), "<i8", ticks(&[i64::MIN])),
        (Arc::new(UInt8Array::from(vec![7])), "|u1", vec![7]),
        (Arc::new(UInt16Array::from(vec![7])), "<u2", vec![7, 0]),
        (Arc::new(UInt32Array::from(vec![7])), "<u4", vec![7, 0, 0, 0]),
        (Arc::new(UInt64Array::from(vec![u64::MAX])), "<u8", vec![0xff; 8]),
        (Arc::new(Float16Array::from(vec![f16::from_f32(1.5)])), "<f2", vec![0x00, 0x3e]),
        (Arc::new(Float32Array::from(vec![0.1])), "<f4", 0.1f32.to_le_bytes().to_vec()),
        (Arc::new(Float64Array::from(vec![0.1])), "<f8", 0.1f64.to_le_bytes().to_vec()),
        (Arc::new(Date32Array::from(vec![-1, 15_340])), "<M8[D]", ticks(&[-1, 15_340])),
        (Arc::new(Date64Array::from(vec![86_400_000])), "<M8[ms]", ticks(&[86_400_000])),
        (Arc::new(TimestampSecondArray::from(vec![5])), "<M8[s]", ticks(&[5])),
        (Arc::new(TimestampMicrosecondArray::from(vec![5]).with_timezone("+02:00")), "<M8[us]", ticks(&[5])),
        (Arc::new(TimestampNanosecondArray::from(vec![5])), "<M8[ns]", ticks(&[5])),
        (Arc::new(Time32MillisecondArray::from(vec![5])), "<m8[ms]", ticks(&[5])),
        (Arc::new(Time64NanosecondArray::from(vec![5])), "<m8[ns]", ticks(&[5])),
        (Arc::new(DurationMicrosecondArray::from(vec![-5])), "<m8[us]", ticks(&[-5])),
        (Arc::new(StringArray::from(vec!["aß", ""])), "<U2", utf32(2, &["aß", ""])),
        (Arc::new(LargeStringArray::from(vec!["abc"])), "<U3", utf32(3, &["abc"])),
        (
            Arc::new(StringViewArray::from(vec!["a text that is longer than 12"])),
            "<U29",
            utf32(29, &["a text that is longer than 12"]),
        ),
        (Arc::new(BinaryArray::from(vec![&b"ab"[..], b"c"])), "|S2", b"abc\0".to_vec()),
        (Arc::new(LargeBinaryArray::from(vec![&b"ab"[..]])), "|S2", b"ab".to_vec()),
        (Arc::new(BinaryViewArray::from(vec![&b"ab"[..]])), "|S2", b"ab".to_vec()),
        (Arc::new(fixed.finish()), "|S3", b"abcd\0\0".to_vec()),
        (Arc::new(dictionary.finish()), "<U4", utf32(4, &["rain", "sun", "rain"])),
    ];
    for (array, dtype, bytes) in cases {
        let described = array.data_type().clone();
        assert_eq!(units_of(array, &Rules::default()).unwrap(), (dtype.to_owned(), bytes), "{described}");
    }
}

#[test]
fn a_part_of_an_array_is_taken_from_its_place() {
    let batch: ArrayRef = Arc::new(Int16Array::from(vec![1, 2, 3, 4]));
    assert_eq!(units_of(batch.slice(1, 2), &Rules::default()).unwrap().1, [2, 0, 3, 0]);
    let flags: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true, true]));
    assert_eq!(units_of(flags.slice(1, 2), &Rules::default()).unwrap().1, [0, 1]);
    let days: ArrayRef = Arc::new(Date32Array::from(vec![1, 2, 3]));
    assert_eq!(units_of(days.slice(2, 1), &Rules::default()).unwrap().1, ticks(&[3]));
}

#[test]
fn text_can_be_bytes_and_decimals_floats_on_request() {
    let rules = Rules { text: TextAs::Utf8, decimals_as_floats: true, ..Rules::default() };
    let text: ArrayRef = Arc::new(StringArray::from(vec!["aß", ""]));
    assert_eq!(units_of(text, &rules).unwrap(), ("|S3".to_owned(), "aß\0\0\0".as_bytes().to_vec()));
    let price: ArrayRef =
        Arc::new(Decimal128Array::from(vec![1_234, -5]).with_precision_and_scale(10, 2).unwrap());
    let expected = [12.34, -0.05].map(f64::to_le_bytes).concat();
    assert_eq!(units_of(price, &rules).unwrap(), ("<f8".to_owned(), expected));
}

#[test]
fn types_without_a_counterpart_are_refused_by_name() {
    let mut list = ListBuilder::new(UInt8Builder::new());
    list.values().append_value(1);
    list.append(true);
    let nested = StructArray::from(vec![(
        Arc::new(Field::new("y", DataType::Int8, false)),
        Arc::new(Int8Array::from(vec![1])) as ArrayRef,
    )]);
    let price = Decimal128Array::from(vec![1]);
    for array in
        [Arc::new(list.finish()) as ArrayRef, Arc::new(nested), Arc::new(NullArray::new(1)), Arc::new(price)]
    {
        let error = units_of(array, &Rules::default()).unwrap_err();
        assert_eq!(error.code(), Code::InvalidDType, "{error}");
        assert!(error.message().starts_with("column 'x' has "), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, dtype) in ["<M8", "<m8", "<m8[Y]", "<f16"].into_iter().enumerate() {
        let width = usize::try_from(DType::parse(dtype).unwrap().itemsize()).unwrap();
        let table = make(&folder.path().join(number.to_string()), &[("x", dtype, vec![0; width])]);
        let error = table.to_arrow().unwrap_err();
        assert_eq!(error.code(), Code::InvalidDType, "{error}");
        assert!(error.message().starts_with(&format!("column 'x' has the type '{dtype}': ")), "{error}");
    }
}

#[test]
fn values_that_arrow_cannot_name_are_errors_with_their_row() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [(&str, Vec<u8>); 5] = [
        ("<M8[ps]", ticks(&[0, 1])),
        ("<M8[h]", ticks(&[0, i64::MAX])),
        ("<M8[D]", ticks(&[0, 1 << 31])),
        ("<M8[M]", ticks(&[0, i64::MAX])),
        ("<U1", [0, 0, 0, 0, 0, 0xd8, 0, 0].to_vec()),
    ];
    for (number, (dtype, bytes)) in cases.into_iter().enumerate() {
        let table = make(&folder.path().join(number.to_string()), &[("x", dtype, bytes)]);
        let error = table.to_arrow().unwrap_err();
        assert!(error.message().starts_with("column 'x', row 1: the value "), "{dtype}: {error}");
    }
}
