//! `demo`: the tour.

use crate::support::Workspace;

#[test]
fn the_tour_builds_compares_and_verifies_stores_in_every_codec() {
    let here = Workspace::new();
    let report = here.json("demo --out tour");
    let stores = report["stores"].as_array().unwrap();
    assert_eq!(stores.len(), 18);
    for codec in ["raw", "zstd", "zstd_dict"] {
        assert!(stores.iter().any(|store| store["codec"] == codec), "{codec}");
    }
    let images = stores.iter().find(|store| store["path"] == "tour/zstd/mnist/images").unwrap();
    assert_eq!(images["records"], 2000);
    assert_eq!(images["source_bytes"], 2000 * 28 * 28);
    assert!(images["ratio"].as_f64().unwrap() > 2.0, "{images}");
    // Three times 1797 + 1797 + 2000 + 2000 + 20646 + 20646 records, and those that an edit left.
    assert_eq!(report["compared"].as_u64().unwrap(), 146_658 + report["edited"]["records"].as_u64().unwrap());
    assert!(report["edited"]["freed"].as_u64().unwrap() > 0);
    assert_eq!(here.json("verify tour/zstd_dict/words")["ok"], true);
    let tables = report["tables"].as_array().unwrap();
    let figures: Vec<_> =
        tables.iter().map(|table| [&table["rows"], &table["values"], &table["found"]]).collect();
    assert_eq!(figures, [[1461, 1461 * 6, 51], [20_000, 60_000, 334]]);
    let info = here.json("info tour/tables/flights-rebuilt.cstore");
    assert_eq!((&info["rows"], &info["needs_compaction"]), (&20_000.into(), &false.into()));
    // An earlier tour is not overwritten.
    here.run("demo --out tour").fails(2, "invalid_argument");
}
