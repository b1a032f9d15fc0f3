"""States of loaders: what is written for golden data, which texts are read and which are not, and with which data a run may
go on."""
import json

from damaged import ITEMSIZE
from identity import identity, sampled
from loads import FEEDS
from samplers import batch_at, slice_of
from streams import BAD, Damaged, Stream

ORDER = {"mode": "cyclic", "seed": str((1 << 64) - 1), "batch": "7"}


def state(streams, order=ORDER, step=0, done=(), rank=0, world=1):
    """The fields of a state in the order in which they are written."""
    return {"recask_loader": 1, **order, "length": str(streams[0].length), "step": str(step),
            "done": [str(step) for step in done], "rank": str(rank), "world": str(world),
            "streams": [identity(stream) for stream in streams]}


def cases():
    yield from written()
    yield from read()
    yield from refused()
    yield from compared()


def written():
    """The exact text. Core's JSON is spelled as Python's `json.dumps` spells it."""
    modes = ["sequential", "cyclic", "iid", "iid_seek"]
    for number, (name, streams) in enumerate(FEEDS.items()):
        order = {"mode": modes[number % 4], "seed": str(number * 0x123456789ABCDEF), "batch": str(number + 1)}
        rank, world = (number, 20) if number % 2 else (0, 1)
        step = [0, 1000, (1 << 64) - 1][number % 3]
        done = [step + 1, step + 2, step + 1_000_000_007] if number % 3 == 1 else []
        expect = state(streams, order, step, done, rank, world)
        yield case(f"written/{name}", streams, expect, expect={"text": json.dumps(expect)})
    # Up to eight records are all looked at.
    for count in (7, 8, 9, 15, 16):
        streams = [Stream("row", "oneshot_1000.cstore", {"range": [0, count, 1]}, ["id"])]
        expect = state(streams)
        yield case(f"written/{count}_records", streams, expect, expect={"text": json.dumps(expect)})
    # The steps that were delivered are a set: below the lowest that is missing, nothing is listed.
    streams = FEEDS["mixed"]
    given, expect = state(streams, step=5, done=[9, 5, 6, 2, 9]), state(streams, step=7, done=[9])
    yield case("written/done_in_any_order", streams, given, expect={"text": json.dumps(expect)})
    for name, bad in BAD.items():
        if name in ITEMSIZE:
            continue  # It has another type than its base.
        stream = Damaged("damaged", bad)
        streams = [Stream("whole", bad["base"]), stream]
        expect = state(streams)
        answer = {"text": json.dumps(expect)}
        yield case(f"written/skipping/{name}", streams, expect, on_loss="skip_records", expect=answer)
        # Only what is looked at can be found damaged.
        lost = [record for record in sampled(stream.length) if record in stream.lost]
        yield case(f"written/damaged/{name}", streams, expect, expect=stream.refusal(lost[0]) if lost else answer)


def case(name, streams, given, on_loss=None, **rest):
    """Writes the state of a run over these streams."""
    out = {"name": f"state/{name}", "op": "state_of", "streams": [stream.json for stream in streams]}
    out |= {key: given[key] for key in ("mode", "seed", "step", "done")} | {"batch": int(given["batch"])}
    if given["world"] != "1":
        out |= {"rank": int(given["rank"]), "world": int(given["world"])}
    if on_loss:
        out["on_loss"] = on_loss
    return out | rest


def on(name, text, streams=None, rank=0, world=1, on_loss=None, error=None):
    """Goes on from a text; with streams, over these."""
    out = {"name": f"state/{name}", "op": "state", "text": text}
    if streams is not None:
        out["streams"] = [stream.json for stream in streams]
    if (rank, world) != (0, 1):
        out |= {"rank": rank, "world": world}
    if on_loss:
        out["on_loss"] = on_loss
    if error:
        return out | {"expect": error if isinstance(error, dict) else {"error": error}}
    known = json.loads(text)
    numbers = {key: str(known[key]) for key in ("seed", "batch", "length", "step", "rank", "world")}
    order = known["mode"], int(known["length"]), int(known["batch"]), int(known["seed"])
    step = int(known["step"])
    return out | {"expect": {
        "mode": known["mode"], **numbers, "done": [str(step) for step in known["done"]],
        "indices": slice_of(batch_at(*order, step), rank, world), "text": json.dumps(plain(known)),
    }}


def plain(known):
    """A state as it is written, without what a later version may add."""
    numbers = {"seed", "batch", "length", "step", "rank", "world"}
    out = {}
    for key in ("recask_loader", "mode", "seed", "batch", "length", "step", "done", "rank", "world", "streams"):
        value = known[key]
        out[key] = str(value) if key in numbers else value
    out["done"] = [str(step) for step in known["done"]]
    out["streams"] = [{key: stream[key] for key in ("name", "kind", "layout", "samples")} for stream in known["streams"]]
    return out


def read():
    base = state(FEEDS["mixed"], step=1000, done=[1002, 1005], rank=1, world=8)
    yield on("read/as_written", json.dumps(base), rank=2, world=3)
    for mode in ("sequential", "iid", "iid_seek"):
        yield on(f"read/{mode}", json.dumps(base | {"mode": mode}))
    yield on("read/far", json.dumps(base | {"step": str((1 << 64) - 1), "done": []}))
    yield on("read/no_streams", json.dumps(base | {"streams": []}))
    numbers = {key: int(base[key]) for key in ("seed", "batch", "length", "step", "rank", "world")}
    yield on("read/numbers", json.dumps(base | numbers | {"done": [1002, 1005]}))
    later = [stream | {"later": {"a": [None, True, 1.5e300]}} for stream in base["streams"]]
    yield on("read/unknown_keys", json.dumps({"later": [], **base, "": {}, "streams": later}))
    yield on("read/other_order_of_keys", json.dumps(dict(reversed(base.items()))))
    yield on("read/without_spaces", json.dumps(base, separators=(",", ":")))
    yield on("read/with_spaces", "\r\n\t" + json.dumps(base, indent=3) + "\n ")
    yield on("read/letters_as_they_are", json.dumps(state(FEEDS["names"]), ensure_ascii=False))
    unsampled = [stream | {"samples": [None] * 8} for stream in base["streams"]]
    yield on("read/nothing_sampled", json.dumps(base | {"streams": unsampled}))
    yield on("read/rank_outside", json.dumps(base), rank=3, world=3, error="invalid_argument")
    yield on("read/no_world", json.dumps(base), world=0, error="invalid_argument")


def refused():
    base = state(FEEDS["mixed"], step=1000, done=[1002, 1005], rank=1, world=8)
    text, stream = json.dumps(base), base["streams"][0]
    texts = {"empty": "", "space": "  ", "list": "[]", "null": "null", "number": "1", "string": json.dumps(text),
             "cut": text[:-1], "two": text + text, "comma": text[:-1] + ",}",
             "single_quotes": text.replace('"', "'"), "comment": "//\n" + text,
             "not_a_number": text.replace('"batch": "7"', '"batch": NaN'),
             "exponent": text.replace('"7"', "7e0"), "control_character": text.replace("image", "im\nage"),
             "half_a_surrogate_pair": text.replace('"image"', '"\\ud800"')}
    texts |= {f"without_{key}": json.dumps({other: base[other] for other in base if other != key}) for key in base}

    def changed(name, /, **fields):
        texts[name] = json.dumps(base | fields)

    def in_stream(name, /, **fields):
        changed(name, streams=[stream | fields, *base["streams"][1:]])

    for key in ("seed", "batch", "length", "step", "rank", "world"):
        for name, value in [("negative", "-1"), ("beyond", str(1 << 64)), ("text", "x"), ("blank", ""), ("spaced", " 1"),
                            ("signed", "+1"), ("fraction", 1.5), ("whole_fraction", 1.0), ("below", -1), ("huge", 1 << 64),
                            ("null", None), ("list", ["1"]), ("flag", True)]:
            changed(f"{key}_{name}", **{key: value})
    for key, value in [("batch", "0"), ("length", "0"), ("world", "0"), ("rank", "8"), ("mode", "shuffled"),
                       ("mode", "Cyclic"), ("mode", 2), ("mode", None), ("done", None), ("done", "1002"), ("streams", {}),
                       ("streams", [3]), ("streams", [[]]), ("recask_loader", "x"), ("recask_loader", None)]:
        changed(f"{key}_{type(value).__name__}_{value if isinstance(value, (str, int)) else ''}", **{key: value})
    for name, done in [("descending", ["1005", "1002"]), ("twice", ["1002", "1002"]), ("step_itself", ["1000", "1002"]),
                       ("before_step", ["999"]), ("negative", ["-1"]), ("null", [None]), ("nested", [["1002"]])]:
        changed(f"done_{name}", done=done)
    changed("streams_of_one_name", streams=[stream, stream])
    for key in stream:
        texts[f"stream_without_{key}"] = json.dumps(
            base | {"streams": [{other: stream[other] for other in stream if other != key}]})
        in_stream(f"stream_{key}_null", **{key: None})
        in_stream(f"stream_{key}_number", **{key: 1})
    in_stream("stream_of_another_kind", kind="frame")
    first, *rest = stream["samples"]
    for name, samples in [("too_few", rest), ("too_many", [None, first, *rest]), ("none", []), ("short", [first[1:], *rest]),
                          ("long", ["0" + first, *rest]), ("number", [1, *rest]), ("signed", ["+" + first[1:], *rest]),
                          ("no_digits", ["xyz01234", *rest]), ("blank", ["", *rest]), ("prefixed", ["0x" + first[2:], *rest])]:
        in_stream(f"samples_{name}", samples=samples)
    for name, wrong in texts.items():
        yield on(f"refused/{name}", wrong, error="invalid_argument")
    for version in (2, "2", (1 << 64) - 1):
        yield on(f"refused/version_{version}_{type(version).__name__}", json.dumps(base | {"recask_loader": version}),
                 error="unsupported_version")
    # A later version may look as it likes.
    yield on("refused/version_only", '{"recask_loader": 2}', error="unsupported_version")


def compared():
    """With which data a run goes on."""
    image, tokens = Stream("image", "dense_u8_img_raw"), Stream("tokens", "ragged_deleted_zstd")
    row = Stream("row", "oneshot_1000.cstore", {"range": [0, 16, 1]}, ["flag", "x"])
    streams = [image, tokens, row]
    text = json.dumps(state(streams, step=3, rank=1, world=2))

    def table(index, columns, name="row", source="oneshot_1000.cstore"):
        return Stream(name, source, index, columns)

    yield on("same/streams", text, streams)
    yield on("same/other_ranks", text, streams, 3, 5)
    yield on("same/other_order", text, [row, image, tokens])
    compacted = [Stream("image", "crafted_multichunk_raw"), Stream("tokens", "ragged_deleted_compacted_zstd"), row]
    yield on("same/other_files", text, compacted)
    yield on("same/other_records_of_the_table", text, [image, tokens, table({"range": [0, 16, 1]}, ["flag", "x"],
                                                                             source="oneshot_1000_batched.cstore")])
    for one, other in [("dense_u8_img_zstd", "dense_u8_img_dict"), ("ragged_f32_mixed_raw", "ragged_f32_mixed_zstd"),
                       ("ragged_f32_mixed_zstd", "ragged_f32_mixed_dict"),
                       ("stream_3rec.cstore", "stream_3rec_compacted.cstore"),
                       ("v051_oneshot_stats.cstore", "v051_stream_3rec.cstore")]:
        old, new = Stream("s", one), Stream("s", other)
        assert identity(old) == identity(new)
        yield on(f"same/{one}/{other}", json.dumps(state([old])), [new])
    others = {
        "one_less": [image, row],
        "one_more": [*streams, Stream("more", "dense_u8_img_raw")],
        "none_of_them": [Stream("other", "dense_u8_img_raw")],
        "renamed": [Stream("Image", "dense_u8_img_raw"), tokens, row],
        "names_exchanged": [Stream("tokens", "dense_u8_img_raw"), Stream("image", "ragged_deleted_zstd"), row],
        "other_kind": [image, table({"range": [0, 16, 1]}, ["x"], "tokens"), row],
        "other_columns": [image, tokens, table({"range": [0, 16, 1]}, ["flag", "k"])],
        "other_order_of_columns": [image, tokens, table({"range": [0, 16, 1]}, ["x", "flag"])],
        "all_columns": [image, tokens, table({"range": [0, 16, 1]}, None)],
        "other_rows": [image, tokens, table({"range": [1, 17, 1]}, ["flag", "x"])],
        "rows_reversed": [image, tokens, table({"range": [15, None, -1]}, ["flag", "x"])],
        "last_row": [image, tokens, table({"list": [*range(15), 900]}, ["flag", "x"])],
        "other_length": [Stream("image", "dense_u8_img_zstd"), table({"range": [0, 64, 1]}, ["flag", "x"])],
    }
    for name, there in others.items():
        yield on(f"other/{name}", text, there, error="state_mismatch")
    for one, other in [("dense_struct_raw", "dense_struct_zstd"), ("dense_f32_skel_zstd", "dense_u1_noise_zstd"),
                       ("dense_u8_img_raw", "ragged_deleted_zstd")]:
        yield on(f"other/{one}/{other}", json.dumps(state([Stream("s", one)])), [Stream("s", other)], error="state_mismatch")
    # What was not looked at is not seen: record 1 of 16 is none of the samples.
    unseen = table({"list": [0, 900, *range(2, 16)]}, ["flag", "x"])
    yield on("same/a_record_between_the_samples", text, [image, tokens, unseen])
    yield from losing()


def losing():
    """Samples that were lost, then or now, are not compared."""
    whole = Stream("damaged", "dense_u8_img_raw")
    last, all_ = Damaged("damaged", BAD["loc_raw_last_phys_short"]), Damaged("damaged", BAD["meta_codec_raw_to_zstd"])
    for name, old, new in [("last_then", last, whole), ("last_now", whole, last), ("all_then", all_, whole),
                           ("all_now", last, all_)]:
        text = json.dumps(state([old]))
        yield on(f"lost/{name}", text, [new], on_loss="skip_steps")
    yield on("lost/refused", json.dumps(state([whole])), [last], error=last.refusal(15))
    shorter = Damaged("damaged", BAD["zstd_flipped_magic"])
    yield on("lost/other_data", json.dumps(state([whole])), [shorter], on_loss="skip_records", error="state_mismatch")
