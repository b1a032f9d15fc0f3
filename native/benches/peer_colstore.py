"""The same reads, writes and openings by colstore and NumPy, on the tables that the Rust benchmark left in target/bench.

    python peer_colstore.py FOLDER          with NumPy as well: add --numpy

Prints one JSON object a line: the name that the Rust benchmark has, who did it, and the median of the seconds of a call.
Run it by `cargo xtask bench`, which puts everything into one table.
"""

import importlib.metadata
import json
import os
import statistics
import sys
import time
from pathlib import Path

import colstore
import numpy as np

RELEASE = importlib.metadata.version("colstore")
IS_NEW = RELEASE.startswith("0.5")
ROWS, GATHERED, STREAMED = 5_000_000, 100_000, 10_000
WANTED = ["energy", "pt", "layer", "flag"]
SECONDS = 2.0


def measure(name, call, who="colstore " + RELEASE, least=5, after=lambda: None):
    call()
    after()
    spent, until = [], time.perf_counter() + SECONDS
    while len(spent) < least or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
        after()
    print(json.dumps({"name": name, "peer": who, "seconds": statistics.median(spent)}), flush=True)


def selections():
    random = np.random.default_rng(42)
    unsorted = random.integers(0, ROWS, GATHERED)
    mask = random.random(ROWS) < 0.05
    return {
        "gather": unsorted, "gather-sorted": np.sort(unsorted), "mask": mask, "slice": slice(1_000_000, 3_000_000),
    }


def matches(energy, layer, flag):
    return (energy > 0.9) & (layer < 512) & flag


def reads(folder):
    for records in (1, 500, 10_000):
        ds = colstore.open(folder / f"table-{records}{'-v05' if IS_NEW else ''}.cstore")
        for name, rows in selections().items():
            measure(f"table/{records}/{name}", lambda: ds[rows, WANTED].dict())
        measure(f"table/{records}/column", lambda: ds["energy"].array())
        if IS_NEW:
            query = "energy > 0.9 and layer < 512 and flag"
            measure(f"table/{records}/filter", lambda: ds.query(query, columns=WANTED).dict())
        else:
            tested = ["energy", "layer", "flag"]
            measure(f"table/{records}/filter", lambda: ds[matches(**ds[tested].dict()), WANTED].dict())
        ds.close()


def numpy_reads(folder):
    """From plain arrays, in memory and mapped from files, which have no records."""
    ds = colstore.open(folder / "table-1-v05.cstore")
    in_memory = ds[WANTED].dict()
    ds.close()
    mapped = {}
    for name, values in in_memory.items():
        path = folder / f"column-{name}.npy"
        np.save(path, values)
        mapped[name] = np.load(path, mmap_mode="r")
    for who, columns in (("numpy", in_memory), ("numpy memmap", mapped)):
        def read(rows):
            if isinstance(rows, slice):
                return {name: np.array(columns[name][rows]) for name in WANTED}
            if rows.dtype == bool:
                return {name: np.compress(rows, columns[name]) for name in WANTED}
            return {name: np.take(columns[name], rows) for name in WANTED}

        for name, rows in selections().items():
            measure(f"table/1/{name}", lambda: read(rows), who)
        measure("table/1/column", lambda: np.array(columns["energy"]), who)
        tested = ["energy", "layer", "flag"]
        measure("table/1/filter", lambda: read(matches(**{name: columns[name] for name in tested})), who)


def writes(folder):
    """Everything is on the disk when the time stops: `store` does not see to that itself."""
    ds = colstore.open(folder / f"table-1{'-v05' if IS_NEW else ''}.cstore")
    columns = ds.dict()
    ds.close()
    path = folder / "colstore-written.cstore"

    def store():
        colstore.store(columns, path, show_progress=False).close()
        with open(path, "rb") as file:
            os.fsync(file.fileno())

    def stream():
        with colstore.create(path) as writer:
            for first in range(0, ROWS, STREAMED):
                writer.write({name: values[first:first + STREAMED] for name, values in columns.items()})

    path.unlink(missing_ok=True)
    measure("table/write", store, after=path.unlink)
    measure("table/stream", stream, after=path.unlink)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    reads(where)
    many = where / f"table-many{'-v05' if IS_NEW else ''}.cstore"
    measure("table/open-100000-records", lambda: colstore.open(many).close())
    writes(where)
    if "--numpy" in sys.argv:
        numpy_reads(where)
