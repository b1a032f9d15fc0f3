"""Compares exported flights with the file that they came from, as pyarrow reads both: flights.py SOURCE FOLDER."""

import datetime
import pathlib
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet

source, folder = sys.argv[1], pathlib.Path(sys.argv[2])
schema = pa.schema(
    [
        ("date", pa.timestamp("us")),
        ("delay", pa.int64()),
        ("distance", pa.int64()),
        ("origin", pa.string()),
        ("destination", pa.string()),
    ]
)
flights = pyarrow.parquet.read_table(source).cast(schema)


def same(name, found, expected):
    assert found.num_rows == expected.num_rows > 0, f"{name}: {found.num_rows} rows of {expected.num_rows}"
    for column in expected.column_names:
        given = found[column].cast(expected[column].type).combine_chunks()
        assert given.equals(expected[column].combine_chunks()), f"{name}: column {column} differs"
    assert found.column_names == expected.column_names, name


same("all.parquet", pyarrow.parquet.read_table(folder / "all.parquet"), flights)
same("all.arrow", pyarrow.feather.read_table(folder / "all.arrow"), flights)
same("all.csv", pyarrow.csv.read_csv(folder / "all.csv"), flights)
day = pa.scalar(datetime.datetime(2001, 3, 1), pa.timestamp("us"))
late = pc.and_(
    pc.and_(pc.greater(flights["delay"], 60), pc.equal(flights["origin"], "SEA")),
    pc.greater_equal(flights["date"], day),
)
late = flights.filter(late)
same("late.parquet", pyarrow.parquet.read_table(folder / "late.parquet"), late)
same("late.jsonl", pyarrow.json.read_json(folder / "late.jsonl"), late)
drawn = [i * 7919 * 104729 % 3_000_000 for i in range(100_000)]
drawn = flights.take(drawn).select(["delay", "destination", "date"])
same("drawn.arrow", pyarrow.feather.read_table(folder / "drawn.arrow"), drawn)
