"""Samplers: all vectors, the slices of ranks cut from them, the way back, and the errors."""
import json
from itertools import islice

import draws
from model import GOLDEN

FILES = ["zrecord/sampler.json", "sampler/iid_seek.json"]
U64 = (1 << 64) - 1


def mix(seed, value, number):
    z = seed ^ (value * 0x9E3779B97F4A7C15 & U64) ^ (number * 0xD1B54A32D192ED03 & U64)
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & U64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & U64
    return z ^ z >> 31


def permuted(key, n, x):
    if n <= 1:
        return 0
    half = ((n - 1).bit_length() + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = x >> half & mask, x & mask
        for number in range(4):
            left, right = right, left ^ (mix(key, right, number) & mask)
        x = left << half | right
        if x < n:
            return x


def batch_at(mode, n, b, seed, step):
    """Sections "Sequential" and "Cyclic" of spec/zsampler.md; `draws` has the other two modes."""
    if mode == "iid":
        return draws.iid(n, b, seed, step)
    if mode == "iid_seek":
        return draws.iid_seek(n, b, seed, step)
    if mode == "sequential":
        start = (step * b & U64) % n
        return [(start + i & U64) % n for i in range(b)]
    usable = n // b * b if n >= b else n
    per_cycle = -(-usable // b)
    cycle, start = step // per_cycle, step % per_cycle * b
    key = mix(seed, cycle, 0)
    return [permuted(key, n, start + i) for i in range(min(b, usable - start))]


def slice_of(batch, rank, world):
    share, extra = divmod(len(batch), world)
    start = rank * share + min(rank, extra)
    return batch[start:start + share + (rank < extra)]


def runs(vector):
    yield 0, vector["first"]
    for seek in vector["seek"]:
        yield int(seek["step"]), seek["batches"]


def cases():
    vectors = [vector for file in FILES for vector in json.loads((GOLDEN / file).read_text())["vectors"]]
    for vector in vectors:
        mode, n, b, seed = vector["mode"], int(vector["length"]), vector["batch"], int(vector["seed"])
        name = f"{mode}/n={n}/b={b}/seed={seed}"
        base = {"mode": mode, "length": str(n), "batch": b, "seed": str(seed)}
        back = set()
        for step, batches in runs(vector):
            yield {"name": f"sampler/{name}/step={step}", "op": "sampler", **base, "step": str(step),
                   "expect": {"batches": batches}}
            for world in sorted({3, b + 1}) if step in (0, 5) else ():
                for rank in sorted({0, 1, world - 1}):
                    yield {"name": f"sampler/{name}/step={step}/rank={rank}of{world}", "op": "sampler", **base,
                           "step": str(step), "rank": rank, "world": world,
                           "expect": {"batches": [slice_of(batch, rank, world) for batch in batches]}}
            batch = [int(index) for index in batches[0]]
            assert batch == batch_at(mode, n, b, seed, step), name
            if mode not in ("sequential", "cyclic"):
                continue
            for position in sorted({0, len(batch) // 2}):
                record = batch[position]
                if (record, step) in back or step * b > U64:
                    continue
                back.add((record, step))
                yield {"name": f"steps_of/{name}/from={step}/record={record}", "op": "steps_of", **base,
                       "record": str(record), "step": str(step), "count": 1,
                       "expect": {"occurrences": [[str(step), str(batch.index(record))]]}}

    # Small ones in full, against a search through the batches.
    for mode, n, b, seed in [("sequential", 10, 4, 0), ("sequential", 3, 7, 0), ("cyclic", 10, 4, 123), ("cyclic", 3, 7, 5),
                             ("cyclic", 97, 10, 7)]:
        base = {"mode": mode, "length": str(n), "batch": b, "seed": str(seed)}
        for record in (0, 1, n - 1):
            for rank, world in ((0, 1), (1, 3)):
                # All have a period far below 500 steps, or an answer within them.
                found = ((step, place) for step in range(2, 500)
                         for place, index in enumerate(batch_at(mode, n, b, seed, step))
                         if index == record and place in places(mode, n, b, rank, world))
                yield {"name": f"steps_of/{mode}/n={n}/b={b}/seed={seed}/record={record}/rank={rank}of{world}",
                       "op": "steps_of", **base, "record": str(record), "step": "2", "rank": rank, "world": world,
                       "count": 5,
                       "expect": {"occurrences": [[str(step), str(place)] for step, place in islice(found, 5)]}}

    yield from epochs()

    good = {"mode": "cyclic", "length": "10", "batch": 4, "seed": "1", "step": "0"}
    for name, changed, code in [
        ("no_records", {"length": "0"}, "invalid_argument"),
        ("no_records_sequential", {"length": "0", "mode": "sequential"}, "invalid_argument"),
        ("no_records_iid", {"length": "0", "mode": "iid"}, "invalid_argument"),
        ("empty_batch", {"batch": 0}, "invalid_argument"),
        ("empty_batch_iid", {"batch": 0, "mode": "iid"}, "invalid_argument"),
        ("no_world", {"rank": 0, "world": 0}, "invalid_argument"),
        ("rank_outside", {"rank": 3, "world": 3}, "invalid_argument"),
        ("unknown_mode", {"mode": "shuffled"}, "invalid_argument"),
    ]:
        yield {"name": f"sampler/error/{name}", "op": "sampler", **good, **changed, "expect": {"error": code}}
    for name, changed, code in [
        ("record_outside", {"record": "10"}, "index_out_of_range"),
        ("iid_has_no_inverse", {"record": "1", "mode": "iid"}, "invalid_argument"),
        ("iid_seek_has_no_inverse", {"record": "1", "mode": "iid_seek"}, "invalid_argument"),
    ]:
        yield {"name": f"steps_of/error/{name}", "op": "steps_of", **good, **changed, "expect": {"error": code}}


def epochs():
    """The steps of a cycle, and those whose batches start in a pass over the records."""
    for n, b in [(10, 4), (12, 4), (3, 7), (97, 10), (5, 5)]:
        for mode, pass_of in [("sequential", lambda step: step * b // n), ("cyclic", lambda step: step // max(n // b, 1))]:
            for epoch in (0, 1, 2, 11):
                start, stop = (next(step for step in range(1000) if pass_of(step) >= wanted)
                               for wanted in (epoch, epoch + 1))
                yield epoch_case(mode, n, b, epoch, {"steps": [str(start), str(stop)]})
    for mode, n, b, epoch in [("sequential", 60_000, 256, 1 << 40), ("sequential", 1 << 63, 2, 1),
                              ("cyclic", 60_000, 256, 1 << 50), ("cyclic", 3, 1, U64 // 3 - 1), ("cyclic", 1, 5, U64 - 1)]:
        if mode == "sequential":
            start, stop = (-(-number * n // b) for number in (epoch, epoch + 1))
        else:
            start, stop = (number * max(n // b, 1) for number in (epoch, epoch + 1))
        yield epoch_case(mode, n, b, epoch, {"steps": [str(start), str(stop)]})
    for mode, n, b, epoch, code in [
        ("iid", 10, 4, 0, "invalid_argument"), ("iid_seek", 10, 4, 0, "invalid_argument"),
        ("cyclic", 3, 1, U64 // 3, "too_large"), ("cyclic", 10, 4, U64, "too_large"),
        ("sequential", 1 << 63, 2, 2, "too_large"), ("sequential", 10, 4, U64, "too_large"),
    ]:
        yield epoch_case(mode, n, b, epoch, {"error": code})


def epoch_case(mode, n, b, epoch, expect):
    return {"name": f"epoch/{mode}/n={n}/b={b}/epoch={epoch}", "op": "epoch", "mode": mode, "length": str(n), "batch": b,
            "seed": "1", "epoch": str(epoch), "expect": expect}


def places(mode, n, b, rank, world):
    return slice_of(range(min(b, n) if mode == "cyclic" else b), rank, world)
