"""Every golden table: what it holds, its rows picked in every way, the file that writing its records again makes, and how
a damaged one is refused."""
import json
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "cstore"

# Why each damaged file is refused, by what the specification says of its bytes. colstore opens some of them and shows
# rows that were never written.
REFUSED = {
    "crash_before_header": "corrupt_header",
    "bad_empty": "corrupt_header",
    "bad_magic": "corrupt_header",
    "bad_magic_version": "corrupt_header",
    "bad_cut_in_counters": "truncated_file",
    "bad_cut_in_manifest_len": "truncated_file",
    "bad_cut_in_manifest": "truncated_file",
    "bad_counters_value": "corrupt_header",
    "bad_counters_crc": "corrupt_header",
    "bad_manifest_crc": "corrupt_header",
    "bad_manifest_name_changed": "corrupt_header",
    "bad_manifest_len_2p63": "truncated_file",
    "bad_manifest_len_2p62": "truncated_file",
    "bad_manifest_len_past_end": "truncated_file",
    "bad_manifest_len_short": "corrupt_header",
    "bad_manifest_len_zero": "corrupt_header",
    "bad_manifest_not_json": "corrupt_header",
    "bad_manifest_utf8": "corrupt_header",
    "bad_manifest_list": "corrupt_header",
    "bad_manifest_no_columns": "corrupt_header",
    "bad_version_2": "unsupported_version",
    "bad_version_missing": "unsupported_version",
    "bad_dtype_unknown": "corrupt_header",
    "bad_n_records_too_many": "truncated_file",
    "bad_n_records_negative": "corrupt_header",
    "bad_n_records_2p61": "truncated_file",
    "bad_rows_more_1rec": "corrupt_header",
    "bad_rows_more_1rec_silent": "corrupt_header",
    "bad_rows_fewer_1rec": "corrupt_header",
    "bad_rows_more_2rec": "corrupt_header",
    "bad_rows_fewer_2rec": "corrupt_header",
    "bad_rows_negative": "corrupt_header",
    "bad_body_cut": "truncated_file",
    "bad_pad_cut": "truncated_file",
    "bad_body_cut_2rec": "truncated_file",
    "bad_second_header_cut": "truncated_file",
    "bad_rec_magic": "corrupt_record",
    "bad_rec_garbage": "corrupt_record",
    "bad_rec_index": "corrupt_record",
    "bad_rec_rows_flip": "corrupt_record",
    "bad_rec_reserved_flip": "corrupt_record",
    "bad_rec_crc": "corrupt_record",
    "bad_rec_rows_negative": "corrupt_record",
    "bad_rec_rows_huge": "truncated_file",
}

# Compacting a table makes the file that `colstore.store` makes of the same rows.
COMPACTED = {
    "stream_3rec": "stream_3rec_compacted",
    "crash_update_orphans": "crash_orphans_compacted",
    "stream_3rec_compacted": "stream_3rec_compacted",
    "v051_stream_3rec": "v051_oneshot",
    "v051_stream_3rec_stats": "v051_oneshot_stats",
}

# What colstore says of rows that cannot be. That floats are none cannot be asked here.
ERRORS = {
    "out of bounds": "index_out_of_range",
    "Boolean mask length": "shape_mismatch",
    "slice step cannot be zero": "invalid_argument",
}


def cases():
    parts = [json.loads((GOLDEN / part).read_text()) for part in ("manifest.json", "manifest_v051.json")]
    files = [file for part in parts for file in part["files"]]
    by_name = {file["file"].removesuffix(".cstore"): file for file in files}
    for name, file in by_name.items():
        table = {"table": "cstore/" + file["file"]}
        if name in REFUSED:
            refusal = {"error": REFUSED[name]}
            yield {"name": f"table_read/{name}", "op": "table_read", **table, "note": file["how"], "expect": refusal}
            yield {"name": f"table_update/{name}", "op": "table_update", **table, "expect": refusal}
            continue
        yield {"name": f"table_read/{name}", "op": "table_read", **table, "note": file["how"], "expect": contents(name, file)}
        yield {"name": f"table_update/{name}", "op": "table_update", **table, "expect": {"sha256": file["sha256"]}}
        yield from gathers(name, table, file)
        if file["class"] in ("valid", "v051"):
            layout = {"layout": "0.5" if file["class"] == "v051" else "0.3", "statistics": file.get("stats_offset", 0) > 0}
            yield {"name": f"table_copy/{name}", "op": "table_copy", **table, **layout, "expect": {"sha256": file["sha256"]}}
    for name, compacted in COMPACTED.items():
        expect = {"sha256": by_name[compacted]["sha256"]}
        yield {"name": f"table_compact/{name}", "op": "table_compact", "table": f"cstore/{name}.cstore", "expect": expect}


def contents(name, file):
    """Rows, records, and every column as it is shown."""
    if "columns" in file:
        columns = [column(entry["name"], entry["dtype"], entry["sha256"]) for entry in file["columns"]]
        return {"rows": file["n_rows"], "records": file["n_records"], "columns": columns}
    if file["info"]["n_records"] == 0:
        # A table that was never committed, or whose counters say so, has a schema and no rows.
        return {"rows": 0, "records": 0}
    opened = file["open"]
    types = {"x": "<i4", "y": "<f8"} if name != "bad_duplicate_names" else {"x": "<f8"}
    columns = [column(name, types[name], digest) for name, digest in opened["dict_sha256"].items()]
    return {"rows": opened["n_rows"], "records": file["info"]["n_records"], "columns": columns}


def column(name, dtype, digest):
    return {"name": shown(name), "dtype": dtype, "sha256": digest}


def shown(name):
    """The name for JSON readers other than Python's, which do not know a surrogate that stands alone."""
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in name)


def gathers(name, table, file):
    for number, gather in enumerate(file.get("gather", [])):
        (how, value), = gather["select"].items()
        if how == "floats":
            continue
        index = {
            "all": lambda: {"range": [None, None, 1]},
            "int": lambda: {"one": value},
            "slice": lambda: {"range": value},
            "indices": lambda: {"list": value},
            "mask": lambda: {"mask": [flag == "1" for flag in value]},
        }[how]()
        case = {"name": f"table_rows/{name}/{number}", "op": "table_read", **table, "index": index}
        case["columns"] = [shown(entry) for entry in gather["columns"]]
        if "error" in gather:
            message = gather["error"]["message"]
            case["expect"] = {"error": next(code for words, code in ERRORS.items() if words in message)}
        else:
            columns = [column(entry, found["dtype"], found["sha256"]) for entry, found in gather["expect"].items()]
            case["expect"] = {"rows": file["n_rows"], "records": file["n_records"], "columns": columns}
        yield case
