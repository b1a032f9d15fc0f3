"""What a loader delivers: the same records of several streams, in the order of a sampler. The order is the one of
`samplers.py`, the records are those of `streams.py`."""
from samplers import batch_at, slice_of
from streams import BAD, Damaged, Stream

FAR = [(1 << 40) + 3, (1 << 63) + 1, (1 << 64) - 1]
TIMES = "stream_datetime_3rec.cstore"
FEEDS = {
    "dense": [Stream("raw", "dense_u8_img_raw"), Stream("chunks", "crafted_multichunk_raw"),
              Stream("leftovers", "crafted_leftovers_raw")],
    "codecs": [Stream("zstd", "dense_u8_img_zstd"), Stream("dict", "dense_u8_img_dict"),
               Stream("frames", "crafted_multiframe_zstd")],
    "scalars": [Stream("label", "dense_i64_label_raw")],
    "small_records": [Stream("label", "dense_i64_label_zstd"),
                      Stream("row", "oneshot_1000.cstore", {"range": [100, 300, 1]})],
    "structured": [Stream("one", "dense_struct_raw"), Stream("two", "dense_struct_zstd"),
                   Stream("tokens", "ragged_i32_tokens_raw")],
    "tokens": [Stream("zstd", "ragged_i32_tokens_zstd"), Stream("dict", "ragged_i32_tokens_dict"),
               Stream("row", "stream_3rec.cstore", {"range": [-30, 10, -1]}, ["k", "id"])],
    "ranks_of_arrays": [Stream("raw", "ragged_f32_mixed_raw"), Stream("zstd", "ragged_f32_mixed_zstd"),
                        Stream("dict", "ragged_f32_mixed_dict"),
                        Stream("row", "v051_stream_3rec_stats.cstore", {"list": [49, 0, 20, 21, -1, 0, 19, -50, 7, 7, 30]})],
    "sizes": [Stream("bytes", "ragged_u8_sizes_zstd"), Stream("number", "oneshot_all_dtypes.cstore", {"range": [2, 15, 1]})],
    "texts": [Stream("raw", "ragged_u8_bytes_raw"), Stream("zstd", "ragged_u8_bytes_zstd"),
              Stream("dict", "ragged_u8_bytes_dict"), Stream("row", "stream_strings_4rec.cstore")],
    "mixed": [Stream("image", "dense_u8_img_raw"), Stream("tokens", "ragged_deleted_zstd"),
              Stream("row", "oneshot_1000.cstore", {"range": [-1, None, -63]}, ["flag", "x"])],
    "tables": [Stream("half", "dense_f16_raw"), Stream("v051", "v051_stream_3rec.cstore"),
               Stream("orphans", "crash_update_orphans.cstore"),
               Stream("masked", "update_appended.cstore", {"mask": [row % 2 == 1 for row in range(100)]}, ["id"])],
    "other_byte_order": [Stream("value", "dense_be_i4_zstd"), Stream("row", TIMES),
                         Stream("reversed", TIMES, {"range": [None, None, -1]})],
    "no_column": [Stream("time", TIMES, None, []), Stream("value", "dense_be_i4_zstd")],
    "one_store_thrice": [Stream(name, "ragged_f32_mixed_zstd") for name in ("b", "a", "c")],
    "names": [Stream("", "dense_c16_raw"), Stream("große \"rows\"\n", "oneshot_names.cstore")],
    "wide": [Stream("flags", "dense_bool_zstd"),
             Stream("row", "oneshot_wide300.cstore", None, ["col_299", "col_000", "col_005", "col_150"])],
    "one_record": [Stream("row", "stream_3rec.cstore", {"one": -1})],
}
MODES = ["sequential", "cyclic", "iid", "iid_seek"]


def load(name, streams, mode, batch, steps, seed=42, rank=0, world=1, on_loss=None, expect=None):
    case = {"name": f"load/{name}", "op": "load", "streams": [stream.json for stream in streams], "mode": mode,
            "batch": batch, "seed": str(seed), "steps": [str(step) for step in steps]}
    if (rank, world) != (0, 1):
        case |= {"rank": rank, "world": world}
    if on_loss is not None:
        case["on_loss"] = on_loss
    if expect is None:
        shares = [(step, slice_of(batch_at(mode, streams[0].length, batch, seed, step), rank, world)) for step in steps]
        expect = {"batches": [surviving(streams, share, on_loss) for _, share in shares]}
        if on_loss is not None:
            expect["losses"] = [loss for step, share in shares for loss in losses(streams, share, step)]
    return {**case, "expect": expect}


def surviving(streams, share, on_loss):
    """The batch without the records that any stream lost; `None` where the step is left out."""
    lost = {record for stream in streams for record in stream.lost}
    indices = [record for record in share if record not in lost]
    if indices != share and (on_loss == "skip_steps" or not indices):
        return None
    assert indices == share or on_loss == "skip_records"
    return {"indices": indices, "streams": [stream.batch(indices) for stream in streams]}


def losses(streams, share, step):
    return [{"step": str(step), "stream": stream.name, "record": record, "code": stream.lost[record]["code"]}
            for stream in streams for record in sorted(set(share) & set(stream.lost))]


def cases():
    for number, (name, streams) in enumerate(FEEDS.items()):
        assert len({stream.length for stream in streams}) == 1, (name, [stream.length for stream in streams])
        seed = [42, (1 << 64) - 1, 1 << 63, 0][number % 4]
        for mode in MODES:
            far = [1000] if mode == "iid" else [FAR[number % 3]]
            # Forwards, far ahead, and back to where it was.
            yield load(f"{name}/{mode}", streams, mode, 7, [0, 1, 2, *far, 1], seed)
    for name in ("ranks_of_arrays", "mixed", "names", "one_record"):
        for mode in MODES:
            yield load(f"{name}/{mode}/more_than_all", FEEDS[name], mode, 20, [0, 3], 7)
    for name in ("structured", "ranks_of_arrays", "mixed", "tables"):
        for mode in MODES:
            for rank, world in ((0, 3), (2, 3), (6, 8), (7, 8)):
                yield load(f"{name}/{mode}/rank={rank}of{world}", FEEDS[name], mode, 7, [4, 5], 1, rank, world)
    for name in ("mixed", "tables"):
        # The batch shrinks to the records that there are; the slices are those of what is left.
        yield load(f"{name}/cyclic/more_than_all/rank=1of3", FEEDS[name], "cyclic", 60, [0, 9], 1, 1, 3)
    yield from refusals()
    yield from damaged()
    yield from skipped()


def refusals():
    images, tokens = Stream("image", "dense_u8_img_raw"), Stream("tokens", "ragged_i32_tokens_raw")
    row = Stream("row", "stream_3rec.cstore", {"range": [0, 15, 1]})
    same_name = Stream("image", "crafted_multichunk_raw")
    empty = Stream("image", "dense_empty_raw"), Stream("tokens", "ragged_empty_zstd")
    for name, streams, changed, code in [
        ("lengths", [images, tokens], {}, "shape_mismatch"),
        ("rows_missing", [images, row], {}, "shape_mismatch"),
        ("empty_and_not", [images, empty[1]], {}, "shape_mismatch"),
        ("no_streams", [], {}, "invalid_argument"),
        ("same_name", [images, same_name], {}, "invalid_argument"),
        ("same_name_and_store", [images, images], {}, "invalid_argument"),
        ("no_records", empty, {}, "invalid_argument"),
        ("no_rows", [Stream("row", "oneshot_zero_rows.cstore")], {}, "invalid_argument"),
        ("empty_batch", [images], {"batch": 0}, "invalid_argument"),
        ("unknown_mode", [images], {"mode": "shuffled"}, "invalid_argument"),
        ("rank_outside", [images], {"rank": 2, "world": 2}, "invalid_argument"),
        ("no_world", [images], {"world": 0}, "invalid_argument"),
    ]:
        arguments = {"mode": "cyclic", "batch": 4, "steps": [0], **changed}
        yield load(f"error/{name}", streams, **arguments, expect={"error": code})


def damaged():
    """Steps without the damaged record are as if it was not there; the step with it says what is wrong, and where."""
    ones = 0
    for name, bad in BAD.items():
        whole, stream = Stream("whole", bad["base"]), Damaged("damaged", bad)
        if len(stream.lost) > 1:
            continue
        ones += 1
        (lost,) = stream.lost
        with_it = [lost in batch_at("sequential", whole.length, 4, 0, step) for step in range(20)]
        at = with_it.index(True)
        good = [step for step in range(20) if not with_it[step]][:3]
        yield load(f"damaged/{name}/around", [whole, stream], "sequential", 4, good, 0)
        yield load(f"damaged/{name}/at", [whole, stream], "sequential", 4, [good[0], at, good[1]], 0,
                   expect=stream.refusal(lost, at))
    assert ones > 15, ones
    # The first stream that cannot be read, not the first in another order.
    first, second = Damaged("z", BAD["loc_offset_wrap"]), Damaged("a", BAD["loc_logic_783"])
    assert list(first.lost) == list(second.lost) == [5]
    yield load("damaged/two_streams", [first, second], "sequential", 4, [1], 0, expect=first.refusal(5, 1))
    # Only the rank whose share has the record meets it: the batch is 4, 5, 6, 7.
    yield load("damaged/rank=0of2", [first], "sequential", 4, [1], 0, 0, 2, expect=first.refusal(5, 1))
    yield load("damaged/rank=1of2", [first], "sequential", 4, [1], 0, 1, 2)


def skipped():
    """Records that are lost, left out: from every stream, or with their steps."""
    for name, bad in BAD.items():
        for on_loss in ("skip_records", "skip_steps"):
            streams = [Stream("whole", bad["base"]), Damaged("damaged", bad)]
            yield load(f"{on_loss}/{name}", streams, "cyclic", 4, [0, 1, 2, 3, 0], 3, on_loss=on_loss)
    last, middle = Damaged("last", BAD["loc_raw_last_phys_short"]), Damaged("middle", BAD["loc_phys_0"])
    row = Stream("row", "oneshot_1000.cstore", {"range": [0, 16, 1]})
    for on_loss in ("skip_records", "skip_steps"):
        streams = [last, row, middle]
        yield load(f"{on_loss}/two_streams", streams, "cyclic", 16, [0, 1], 3, on_loss=on_loss)
        # A record that is drawn many times is one loss.
        yield load(f"{on_loss}/repeated", streams, "iid", 100, [0, 1], 3, on_loss=on_loss)
        # A rank may have nothing but lost records, or nothing anyway, which is a batch.
        for rank in (0, 5, 15, 16):
            yield load(f"{on_loss}/rank={rank}of17", streams, "sequential", 16, [0], 0, rank, 17, on_loss)
        yield load(f"{on_loss}/nothing_lost", FEEDS["mixed"], "cyclic", 7, [0, 1], 3, on_loss=on_loss)
