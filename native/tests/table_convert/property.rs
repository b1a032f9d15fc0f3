//! Any table comes back as it was from every format that has its types.

use proptest::prelude::*;
use recask::convert::table::{Csv, ExportOptions, Format, ImportOptions, Nulls, Rules, export, import};

use crate::support::{content, make, ticks, utf32};

/// A column of each type that every format keeps.
#[derive(Debug, Clone)]
struct Rows {
    ints: Vec<i64>,
    floats: Vec<f64>,
    flags: Vec<bool>,
    days: Vec<i64>,
    times: Vec<i64>,
    texts: Vec<String>,
}

fn rows() -> impl Strategy<Value = Rows> {
    // The years 0001 to 9999: others are no four digits in text.
    let day = -719_162i64..2_932_897;
    let row = (
        any::<i64>(),
        any::<f64>(),
        any::<bool>(),
        prop_oneof![9 => day, 1 => Just(i64::MIN)],
        prop_oneof![9 => any::<i64>(), 1 => Just(i64::MIN)],
        "[^\\x00]{0,8}",
    );
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let mut columns =
            Rows { ints: vec![], floats: vec![], flags: vec![], days: vec![], times: vec![], texts: vec![] };
        for (int, float, flag, day, time, text) in rows {
            columns.ints.push(int);
            // NaN has many forms in a table, and one in text.
            columns.floats.push(if float.is_nan() { f64::NAN } else { float });
            columns.flags.push(flag);
            columns.days.push(day);
            columns.times.push(time);
            columns.texts.push(text);
        }
        // The first row decides of what kind a column of text is.
        columns.floats.push(0.5);
        columns.ints.push(0);
        columns.flags.push(true);
        columns.days.push(0);
        columns.times.push(1);
        columns.texts.push("not a number".to_owned());
        columns
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_format_keeps_the_table(rows in rows(), header in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<&str> = rows.texts.iter().map(String::as_str).collect();
        let width = texts.iter().map(|text| text.chars().count()).max().unwrap_or(1);
        let path = folder.path().join("t.cstore");
        let table = make(&path, &[
            ("column0", "<i8", ticks(&rows.ints)),
            ("column1", "<f8", rows.floats.iter().flat_map(|value| value.to_le_bytes()).collect()),
            ("column2", "|b1", rows.flags.iter().map(|&flag| u8::from(flag)).collect()),
            ("column3", "<M8[D]", ticks(&rows.days)),
            ("column4", "<M8[ns]", ticks(&rows.times)),
            ("column5", &format!("<U{width}"), utf32(width, &texts)),
        ]);
        let before = content(&path);
        for format in Format::ALL {
            let (file, dest) = (folder.path().join(format.as_str()), folder.path().join(format!("{}.cstore", format.as_str())));
            let csv = Csv { delimiter: None, header };
            let options = ExportOptions { format: Some(format), csv, ..ExportOptions::default() };
            export(&table.all(), &file, &options, &()).unwrap();
            let rules = Rules { nulls: Nulls::Empty, ..Rules::default() };
            let options = ImportOptions { format: Some(format), rules, csv, ..ImportOptions::default() };
            import(&file, &dest, &options, &()).unwrap();
            prop_assert_eq!(&content(&dest), &before, "{:?}", format);
        }
    }
}
