"""Gathers from good stores: every way to say which records."""
from model import MANIFEST, records_of, sha

# Stores that get every kind of index; the others get the two that say most.
THOROUGH = {
    "dense_u8_img_raw", "dense_u8_img_zstd", "dense_u8_img_dict", "dense_i64_label_raw", "dense_struct_nested_raw",
    "ragged_f32_mixed_raw", "ragged_f32_mixed_zstd", "ragged_f32_mixed_dict", "dense_deleted_zstd",
    "dense_u2_outoforder_zstd", "crafted_multichunk_raw", "dense_empty_raw", "ragged_empty_zstd",
}
TOO_FAR = {"index_out_of_range": ["behind", "before", "list_behind", "list_before", "huge", "smallest", "largest"],
           "shape_mismatch": ["mask_short", "mask_long"], "invalid_argument": ["step_0"]}


def indices(n):
    """name -> index, and the records that Python's list gives for it; None where it is an error."""
    all_ = list(range(n))
    out = {"reversed": ({"range": [None, None, -1]}, all_[::-1])}
    if n:
        mixed = [0, -1, n // 2, 0, -n]
        out["mixed"] = ({"list": mixed}, [all_[i] for i in mixed])
    yield from out.items()
    for name, (start, stop, step) in {
        "all": (None, None, 1), "every_third": (None, None, 3), "last_four": (-4, None, 1), "clipped": (-1000000, 1000000, 2),
        "backwards": (-2, 1, -2), "nothing": (5, 2, 1), "wide_step": (1, None, (1 << 63) - 1),
        "far_bounds": (-(1 << 63), (1 << 63) - 1, 1),
    }.items():
        yield name, ({"range": [start, stop, step]}, all_[start:stop:step])
    yield "empty_list", ({"list": []}, [])
    if n:
        yield "first", ({"one": 0}, [0])
        yield "last", ({"one": -1}, [n - 1])
        yield "repeated", ({"list": [n - 1] * 7}, [n - 1] * 7)
    if n <= 64:
        flags = [i % 3 != 1 for i in all_]
        yield "mask", ({"mask": flags}, [i for i in all_ if flags[i]])
        yield "mask_of_nothing", ({"mask": [False] * n}, [])
    errors = {
        "behind": {"one": n}, "before": {"one": -n - 1}, "list_behind": {"list": [0, n] if n else [0]},
        "list_before": {"list": [-n - 1]}, "huge": {"list": [str((1 << 64) - 1)]}, "smallest": {"one": str(-(1 << 63))},
        "largest": {"one": str((1 << 63) - 1)}, "mask_short": {"mask": [True] * (n - 1)} if n else None,
        "mask_long": {"mask": [False] * (n + 1)}, "step_0": {"range": [None, None, 0]},
    }
    for code, names in TOO_FAR.items():
        for name in names:
            if errors[name] is not None:
                yield name, (errors[name], code)


def portable(index):
    """Integers beyond 2^53 as text."""
    def one(value):
        return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 1 << 53 else value
    return {key: [one(v) for v in value] if isinstance(value, list) else one(value) for key, value in index.items()}


def cases():
    for store in MANIFEST["stores"]:
        records = records_of(store["name"])
        wanted = list(indices(len(records)))
        for name, (index, picked) in wanted if store["name"] in THOROUGH else wanted[:2]:
            case = {"name": f"gather/{store['name']}/{name}", "op": "gather", "store": "zrecord/" + store["path"],
                    "kind": store["kind"], "index": portable(index)}
            if isinstance(picked, str):
                case["expect"] = {"error": picked}
            else:
                case["expect"] = {"sha256": sha(b"".join(records[i] for i in picked))}
                if store["kind"] == "dense":
                    case["expect"]["shape"] = [len(picked), *store["item_shape"]]
                else:
                    case["expect"]["shapes"] = [store["shapes"][i] for i in picked]
            yield case
            if "one" in index:
                case = {**case, "name": f"record/{store['name']}/{name}", "op": "record", "expect": dict(case["expect"])}
                if "shape" in case["expect"]:
                    case["expect"]["shape"] = store["item_shape"]
                if "shapes" in case["expect"]:
                    (case["expect"]["shape"],) = case["expect"].pop("shapes")
                yield case
