//! Columns of weather in a table: written month by month, filtered, and read into vectors.
//!
//! ```text
//! cargo run -p recask --example table
//! ```

use recask::table::{ColumnInput, Missing, Shards, WriteOptions, concat, open};
use recask::{DType, Result, bytes_of_slice};

fn main() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let months = folder.path().join("weather");

    // One file for each month. Days are counted from 1970, as NumPy does.
    let day = DType::parse("<M8[D]")?;
    let mut shards = Shards::open(&months)?;
    for (first, rain) in [(15_340i64, [0.0, 10.9, 0.8, 20.3]), (15_371, [1.3, 2.5, 0.0, 0.0])] {
        let days: Vec<i64> = (first..).take(rain.len()).collect();
        let warmest = rain.map(|rain: f64| 12.5 - rain / 4.0);
        shards.append(&[
            ColumnInput::new("day", day.clone(), bytes_of_slice(&days)),
            ColumnInput::of("rain", &rain),
            ColumnInput::of("warmest", &warmest),
        ])?;
    }

    // The folder is one table. Nothing is read before the values are asked for, and then only what is needed.
    let weather = open(&months)?;
    let wet = weather.filter("rain >= 1.0 AND day < '2012-02-01'")?.select(["day", "rain"])?;
    println!("{} of {} days in January were wet", wet.len(), weather.filter("day < '2012-02-01'")?.len());
    println!("rain on the wet days: {:?}", wet.column("rain")?.values::<f64>()?);

    let one = concat(&months, folder.path().join("weather.cstore"), &WriteOptions::default(), &())?;
    let warmest = one.all().summary("warmest", Missing::Skip)?.maximum;
    println!("one file of {} rows in {} record; warmest: {warmest:?}", one.len(), one.file_records());
    Ok(())
}
