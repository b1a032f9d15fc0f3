"""How long a loader takes for a batch, for the scripts beside it."""

import json
import statistics
import time
from itertools import islice

SECONDS = 3.0
# The benchmarks of Recask's loader that a peer is put beside.
ROWS = ["1-worker", "2-workers"]


def seconds_of(loader):
    """The median over runs of batches that are dropped at once. Workers deliver in bursts, and keep some batches ready; so
    a run is many batches, and the first is not counted."""
    batches = iter(loader)
    start = time.perf_counter()
    take(batches, 12)
    run = max(12, round(12 * 0.3 / (time.perf_counter() - start)))
    spent, until = [], time.perf_counter() + SECONDS
    while len(spent) < 3 or time.perf_counter() < until:
        start = time.perf_counter()
        take(batches, run)
        spent.append((time.perf_counter() - start) / run)
    return statistics.median(spent)


def take(batches, count):
    for _ in islice(batches, count):
        pass


def report(name, peer, seconds):
    for row in ROWS:
        print(json.dumps({"name": f"loader/{name}/{row}", "peer": peer, "seconds": seconds}), flush=True)
