//! Missing values, by each rule, from each format that has them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DictionaryArray, Float32Array, Int16Array, RecordBatch, StringArray,
};
use parquet::arrow::ArrowWriter;
use recask::Code;
use recask::convert::table::{ImportOptions, Nulls, Rules};

use crate::support::{imported, ticks, utf32};

/// One column of each kind, whose second value is missing.
fn columns() -> [(&'static str, ArrayRef); 6] {
    let dictionary: DictionaryArray<Int8Type> = [Some("a"), None].into_iter().collect();
    [
        ("flag", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ("int", Arc::new(Int16Array::from(vec![Some(7), None]))),
        ("float", Arc::new(Float32Array::from(vec![Some(1.5), None]))),
        ("day", Arc::new(Date32Array::from(vec![Some(1), None]))),
        ("text", Arc::new(StringArray::from(vec![Some("ab"), None]))),
        ("kind", Arc::new(dictionary)),
    ]
}

/// What is stored for the missing value, under the rules refuse, nan, zero and empty; nothing where it is an error.
fn expected(name: &str) -> [Option<Vec<u8>>; 4] {
    let nan = f32::NAN.to_le_bytes().to_vec();
    match name {
        "flag" => [None, None, Some(vec![0]), None],
        "int" => [None, None, Some(vec![0, 0]), None],
        "float" => [None, Some(nan.clone()), Some(vec![0; 4]), Some(nan)],
        "day" => [None, Some(ticks(&[i64::MIN])), Some(ticks(&[0])), Some(ticks(&[i64::MIN]))],
        "text" => [None, None, Some(utf32(2, &[""])), Some(utf32(2, &[""]))],
        _ => [None, None, Some(utf32(1, &[""])), Some(utf32(1, &[""]))],
    }
}

fn files(folder: &Path, name: &str, array: ArrayRef) -> Vec<PathBuf> {
    let batch = RecordBatch::try_from_iter_with_nullable([(name, array, true)]).unwrap();
    let parquet = folder.join("a.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&parquet).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let arrow = folder.join("a.arrow");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let stream = folder.join("a.arrows");
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(File::create(&stream).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    vec![parquet, arrow, stream]
}

#[test]
fn each_rule_has_its_value_or_its_error() {
    for (name, array) in columns() {
        let folder = tempfile::tempdir().unwrap();
        for file in files(folder.path(), name, array) {
            for (nulls, stored) in
                [Nulls::Refuse, Nulls::Nan, Nulls::Zero, Nulls::Empty].into_iter().zip(expected(name))
            {
                let rules = Rules { nulls, ..Rules::default() };
                let outcome = imported(&file, &ImportOptions { rules, ..ImportOptions::default() });
                match (outcome, stored) {
                    (Ok((_, content)), Some(stored)) => {
                        let (_, _, bytes) = &content[0];
                        assert_eq!(bytes[bytes.len() / 2..], stored, "{name} {nulls:?} {}", file.display());
                        std::fs::remove_file(folder.path().join("table.cstore")).unwrap();
                    }
                    (Err(error), None) => {
                        assert_eq!(error.code(), Code::InvalidSource);
                        let start = format!("column '{name}', row 1: the value is missing");
                        assert!(error.message().starts_with(&start), "{error}");
                        assert!(!folder.path().join("table.cstore").exists());
                    }
                    (outcome, stored) => {
                        panic!("{name} {nulls:?} {}: {outcome:?}, {stored:?}", file.display())
                    }
                }
            }
        }
    }
}

#[test]
fn text_formats_have_missing_values_too() {
    let csv = "int,float,day,text\n1,1.5,2012-01-01,ab\n,,,\n";
    let lines = concat!(
        "{\"int\": 1, \"float\": 1.5, \"day\": \"2012-01-01\", \"text\": \"ab\"}\n",
        "{\"int\": null, \"float\": null, \"text\": null}\n",
    );
    for (file, source) in [("a.csv", csv), ("a.jsonl", lines)] {
        let (_folder, path) = crate::support::written(file, source);
        let mut options = ImportOptions::default();
        let error = imported(&path, &options).unwrap_err();
        let named = if file == "a.csv" {
            "line 3, column 'int': the value is missing"
        } else {
            "line 2: field \"int\" is missing"
        };
        assert!(error.message().contains(named), "{error}");

        options.rules.nulls = Nulls::Zero;
        let (_, content) = imported(&path, &options).unwrap();
        let bytes: Vec<_> = content.iter().map(|(_, _, bytes)| bytes.clone()).collect();
        let floats = [1.5, 0.0].map(f64::to_le_bytes).concat();
        assert_eq!(bytes, [ticks(&[1, 0]), floats, ticks(&[15_340, 0]), utf32(2, &["ab", ""])]);
        std::fs::remove_file(path.with_file_name("table.cstore")).unwrap();

        options.rules.nulls = Nulls::Empty;
        options.columns = Some(["text", "day", "float"].map(str::to_owned).to_vec());
        let (_, content) = imported(&path, &options).unwrap();
        let bytes: Vec<_> = content.iter().map(|(_, _, bytes)| bytes.clone()).collect();
        let floats = [1.5, f64::NAN].map(f64::to_le_bytes).concat();
        assert_eq!(bytes, [utf32(2, &["ab", ""]), ticks(&[15_340, i64::MIN]), floats]);
    }
}
