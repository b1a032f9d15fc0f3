"""The same gathers, appends and openings by loaderx 1.7.2, on the stores that the Rust benchmarks left in target/bench.

Prints one JSON object a line: the name that the Rust benchmark has, and the median of the seconds of a call.
Run it by `cargo xtask bench`, which puts both into one table.
"""

import json
import shutil
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from loaderx.zrecord import DenseStore, RaggedStore
from loaderx.zsampler import Sampler

CASES = [("256KiB", 256 << 10, 1024, 256), ("1KiB", 1 << 10, 100_000, 8192), ("64B", 64, 1_000_000, 65536)]
CODECS = ["raw", "zstd", "zstd_dict"]
SECONDS = 3.0


def measure(name, call, least=5):
    call()
    spent, until = [], time.perf_counter() + SECONDS
    while len(spent) < least or time.perf_counter() < until:
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    report(name, spent)


def report(name, spent):
    print(json.dumps({"name": name, "peer": "loaderx", "seconds": statistics.median(spent)}), flush=True)


def batches(length, batch):
    sampler = Sampler(length, batch, 2, seed=42)
    return [sampler.next() for _ in range(16)]


def gathers(folder):
    for name, _, length, batch in CASES + [("tokens", 1 << 10, 50_000, 4096)]:
        wanted = batches(length, batch)
        for codec in CODECS:
            store = (RaggedStore if name == "tokens" else DenseStore)(str(folder / f"{name}-{codec}"))
            step = iter(range(1 << 60))
            measure(f"gather/{name}/{codec}", lambda: store[wanted[next(step) % 16]])
            store.close()


def appends(folder):
    for name, width, _, _ in CASES:
        for codec in CODECS:
            source = DenseStore(str(folder / f"{name}-{codec}"))
            count = (16 << 20) // width
            if codec == "zstd_dict":
                count = -(-count // 16)
            values = source[np.arange(count) % len(source)]
            source.close()
            dictionary = (folder / f"{name}-{codec}" / "dict.zr").read_bytes() if codec == "zstd_dict" else None
            path = folder / "loaderx-append"
            spent = []
            for _ in range(10):
                shutil.rmtree(path, ignore_errors=True)
                more = {"dict_bytes": dictionary} if dictionary else {}
                store = DenseStore(str(path), dtype=np.uint8, item_shape=(width,), codec=codec, **more)
                start = time.perf_counter()
                store.append(values)
                spent.append(time.perf_counter() - start)
                store.close()
            shutil.rmtree(path, ignore_errors=True)
            report(f"append/{name}/{codec}", spent)


def million(folder):
    def reopen():
        DenseStore(str(folder / "64B-raw")).close()

    measure("million/open", reopen, least=3)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    gathers(where)
    appends(where)
    million(where)
