//! Tables of very many columns.

use recask::convert::table::{ExportOptions, Format, ImportOptions, export, import};

use crate::support::{content, make};

#[test]
fn three_thousand_columns_go_through_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.cstore");
    let names: Vec<String> = (0..3000).map(|number| format!("c{number}")).collect();
    let columns: Vec<_> = names
        .iter()
        .zip(0i64..)
        .map(|(name, number)| (name.as_str(), "<i8", [number, -number].map(i64::to_le_bytes).concat()))
        .collect();
    let table = make(&path, &columns);
    for format in Format::ALL {
        let (file, dest) =
            (folder.path().join(format.as_str()), folder.path().join(format!("{}c", format.as_str())));
        let options = ExportOptions { format: Some(format), ..ExportOptions::default() };
        export(&table.all(), &file, &options, &()).unwrap();
        import(&file, &dest, &ImportOptions { format: Some(format), ..ImportOptions::default() }, &())
            .unwrap();
        assert!(content(&dest) == content(&path), "{format:?}");
    }
}
