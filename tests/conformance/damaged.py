"""Every damaged store: refused at open, or exactly its undamaged records, and every visible fault named."""
import hashlib

from model import MANIFEST, STORES, ZRECORD, Fault, Table

# What Recask says instead of opening. loaderx refuses all of these too, except where a comment says otherwise.
REFUSED = {
    "corrupt_header": [
        "meta_bad_magic", "meta_codec_3", "meta_codec_255", "meta_short_31", "meta_long_33", "meta_empty",
        "meta_tail_chunk_max", "meta_length_odd_ragged", "store_short_31", "store_empty", "store_header_only",
        "store_identity_short", "store_trailing_byte", "store_bad_magic", "store_kind_0", "store_kind_3",
        "store_record_bytes_0", "store_record_bytes_785", "store_record_bytes_over", "store_record_bytes_ragged_4",
        "store_identity_len_huge",
        "identity_wider_dtype", "identity_empty_dtype_list",  # the widths of record and identity differ
    ],
    "unsupported_version": ["meta_version_3", "meta_version_5", "store_version_2"],
    # The directory holds one of the two headers.
    "incomplete_store": ["meta_missing", "store_missing", "leftover_meta_only", "leftover_meta_chunk"],
    "store_not_found": ["leftover_chunk_only", "foreign_file", "empty_dir_open"],
    "missing_file": ["meta_tail_chunk_1", "meta_length_huge", "meta_length_2pow28_plus_1", "loc_missing", "chunk_missing"],
    "truncated_file": ["meta_tail_offset_past_chunk", "meta_length_plus_1", "loc_truncated_1", "chunk_truncated_1",
                       "chunk_truncated_zstd"],
    "kind_mismatch": ["store_dense_as_ragged", "store_ragged_as_dense"],
    "corrupt_identity": [
        "store_kind_flipped",  # the identity is the one of a dense store
        "identity_garbage", "identity_empty", "identity_trailing", "identity_array", "identity_no_shape",
        "identity_extra_key", "identity_bin_key", "identity_bin_dtype", "identity_bad_dtype", "identity_object_dtype",
        "identity_struct_object", "identity_nil_dtype", "identity_scalar_shape",
        "identity_nil_shape", "identity_ragged_with_shape",
        "identity_neg_shape", "identity_float_shape",  # loaderx opens, and then fails on every record
    ],
    "corrupt_dictionary": [
        "meta_codec_raw_to_dict", "dict_missing", "dict_unexpected_raw", "dict_unexpected_empty", "dict_header_garbage",
        "dict_empty",  # loaderx opens, and then fails on every record
    ],
}
CODE_AT_OPEN = {name: code for code, names in REFUSED.items() for name in names}

# loaderx refuses the store for one impossible entry; Recask looks at an entry when it is used.
ONE_ENTRY = {"meta_tail_offset_short", "loc_chunk_id_1", "loc_offset_past_tail", "loc_offset_wrap", "loc_phys_0",
             "loc_logic_0", "loc_logic_over"}

# Damage that no structure shows; a checksum would.
INVISIBLE = {
    "meta_length_minus_1": "the same bytes as after deleting the last record",
    "identity_key_order": "only the order of the keys",
    "identity_alias_dtype": "another spelling of the same type",
    "identity_same_width": "another type of the same width",
    "raw_flipped_byte": "a raw byte has no redundancy",
    "zstd_flipped_literal": "the frames have no checksum",
    "dict_flipped_content": "the frames have no checksum",
    "shape_other_factor": "another shape of as many elements",
}
# loaderx reads these without a word; their tables show the damage.
UNNOTICED = {"loc_raw_phys_shorter", "loc_overlap"}
# The one readable identity whose elements have another width than those of the store it was made of.
ITEMSIZE = {"identity_ragged_f8": 8}
# Not damaged: the arguments of the call differ from the store.
ARGUMENTS = {"args_dtype_mismatch", "args_shape_mismatch", "args_codec_mismatch"}


def cases():
    for bad in MANIFEST["bad"]:
        name, result = bad["name"], bad["result"]
        base = {"store": "zrecord/" + bad["path"], "kind": bad["open_as"], "note": bad["mutation"]}
        if name in CODE_AT_OPEN:
            every_record = result["stage"] == "read" and len(result["bad_records"]) == result["records"]
            assert result["stage"] == "open" or every_record, name
            yield {"name": f"damaged/{name}/open", "op": "open", **base, "expect": {"error": CODE_AT_OPEN[name]}}
            continue
        if name == "args_codec_mismatch":
            yield {"name": f"damaged/{name}/open", "op": "open", **base, "codec": "zstd",
                   "expect": {"error": "codec_mismatch"}}
        itemsize = ITEMSIZE.get(name, STORES[bad["base"]]["itemsize"])
        table = Table(ZRECORD / bad["path"], bad["open_as"], itemsize)
        undecodable = {int(record) for record in result.get("bad_records", {})}
        faults, readable = [], []
        for record in range(table.records):
            try:
                table.read(record, undecodable)
                readable.append(record)
            except Fault as fault:
                faults.append({"record": record, **fault.where})
        if result["stage"] == "open":
            assert name in ONE_ENTRY | ARGUMENTS and len(faults) == (name in ONE_ENTRY), name
            digest = hashlib.sha256(b"".join(table.stored(record) for record in readable)).hexdigest()
        else:
            assert {fault["record"] for fault in faults} == undecodable, name
            digest = result["sha256_of_readable_records"]
            stats = result.get("stats", {"error": "overlapping_entries"})
            assert stats == table.stats(), name
        read = {"records": table.records, "sha256": digest, "faults": faults}
        yield {"name": f"damaged/{name}/read", "op": "read", **base, "expect": read}
        if faults:
            gather = {**faults[0]}
            yield {"name": f"damaged/{name}/gather", "op": "gather", **base, "index": {"range": [None, None, 1]},
                   "expect": {"error": gather.pop("code"), **gather}}
        yield {"name": f"damaged/{name}/stats", "op": "stats", **base, "expect": table.stats()}
        verified = table.faults(undecodable)
        assert (name in INVISIBLE | {key: "" for key in ARGUMENTS}) == (not verified), name
        assert name not in UNNOTICED or not faults, name
        if name in INVISIBLE:
            base["note"] += "; no structure shows it: " + INVISIBLE[name]
        yield {"name": f"damaged/{name}/verify", "op": "verify", **base,
               "expect": {"records": table.records, "faults": verified}}
