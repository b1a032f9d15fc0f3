"""Batches by the DataLoader of loaderx 1.7.2, on the stores that the Rust benchmark left in target/bench.

Prints one JSON object a line: the name that the Rust benchmark has, and the median of the seconds of a batch, with the
number of workers that is best. Run it by `cargo xtask bench loader/`, which puts everything into one table.
"""

import sys
from contextlib import ExitStack, closing
from pathlib import Path

from batches import report, seconds_of
from loaderx.dataloader import DataLoader
from loaderx.zrecord import DenseStore, RaggedStore

IMAGES, LABELS, TOKENS = ("256KiB", DenseStore), ("labels", DenseStore), ("tokens", RaggedStore)
CASES = [
    ("256KiB/raw", [IMAGES], 256), ("256KiB/zstd", [IMAGES], 256), ("labels/raw", [IMAGES, LABELS], 256),
    ("tokens/raw", [TOKENS], 4096), ("tokens/zstd", [TOKENS], 4096),
]
WORKERS = [1, 4]


def batch_seconds(folder, streams, codec, batch, workers):
    with ExitStack() as opened:
        stores = {name: opened.enter_context(closing(kind(str(folder / f"{name}-{codec}")))) for name, kind in streams}
        # Closed in any case: it never ends by itself.
        loader = DataLoader(stores, num_workers=workers, batch_size=batch, mode=2, seed=42)
        return seconds_of(opened.enter_context(loader))


if __name__ == "__main__":
    where = Path(sys.argv[1])
    for name, streams, batch in CASES:
        best = min(batch_seconds(where, streams, name.split("/")[1], batch, workers) for workers in WORKERS)
        report(name, "loaderx", best)
