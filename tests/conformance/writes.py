"""What writing leaves on disk: byte for byte what loaderx leaves where its placement is determined."""
from model import MANIFEST, STORES, ZRECORD, sha


def path(name):
    return f"zrecord/stores/{name}"


def create(name):
    return {"do": "create", "like": path(name)}


def append(name, start=None, stop=None):
    return {"do": "append", "from": path(name), "index": {"range": [start, stop, 1]}}


def delete(*records):
    return {"do": "delete", "index": {"list": list(records)}}


COMPACT = {"do": "compact"}


def files_of(name):
    """The files of a store; of the table, what is committed: behind it, leftovers of deletes may differ."""
    folder = ZRECORD / "stores" / name
    meta = (folder / "meta.zr").read_bytes()
    committed = 16 * int.from_bytes(meta[14:22], "little")
    files = {}
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        files[file.name] = {"size": len(data), "sha256": sha(data)}
        if file.suffix == ".loc" and committed < len(data):
            files[file.name] = {"size": len(data), "first": committed, "sha256": sha(data[:committed])}
    return files


def expectation(name):
    """Frames differ between releases of zstd, and with them the table and the frontier: bytes 6 to 14 of meta.zr."""
    store = STORES[name]
    expect = {"records": store["records"], "sha256": store["sha256_all"]}
    if store["codec"] == "raw":
        return {**expect, "files": files_of(name)}
    files = {file: what for file, what in files_of(name).items() if file in ("store.zr", "dict.zr")}
    meta = bytes.fromhex(store["meta_hex"])
    return {**expect, "files": files, "meta_without_frontier_hex": (meta[:6] + meta[14:]).hex()}


def exactly(name):
    store = STORES[name]
    return {"records": store["records"], "sha256": store["sha256_all"], "files": files_of(name)}


def cases():
    def case(name, kind, start, steps, expect):
        return {"name": f"write/{name}", "op": "write", "kind": kind, **start, "steps": steps, "expect": expect}

    for store in MANIFEST["stores"]:
        name, kind = store["name"], store["kind"]
        if "crafted" in store or "deleted" in name:
            continue
        half = store["records"] // 2
        all_at_once = [append(name)] if store["records"] else []
        yield case(f"create/{name}", kind, {}, [create(name), *all_at_once], expectation(name))
        if half > 1:
            steps = [create(name), append(name, 0, 1), append(name, 1, half), {"do": "reopen"}, append(name, half)]
            yield case(f"create_in_parts/{name}", kind, {}, steps, expectation(name))

    images = "dense_u8_img_zstd"
    made = [create("dense_u8_img_raw"), append(images, 0, 16)]
    appended = [*made, delete(1, 2, 3), append(images, 40, 42)]
    six = [create("dense_u8_img_raw"), append(images, 0, 6), {"do": "delete", "index": {"range": [None, None, 1]}}]
    for name, steps in {
        "dense_deleted_twice_raw": [*made, delete(2, 14), delete(0), delete(-1)],
        "dense_deleted_appended_raw": appended,
        "dense_deleted_appended_compacted_raw": [*appended, COMPACT],
        "dense_deleted_all_raw": six,
        "dense_deleted_all_compacted_raw": [*six, COMPACT],
    }.items():
        yield case(f"change/{name}", "dense", {}, steps, exactly(name))
        reopened = [part for step in steps for part in (step, {"do": "reopen"})]
        yield case(f"change_reopened/{name}", "dense", {}, reopened, exactly(name))
    raw = {"copy_of": path("dense_u8_img_raw")}
    yield case("change/copy_of_a_golden_store", "dense", raw, [delete(2, 14), delete(0), delete(-1)],
               exactly("dense_deleted_twice_raw"))

    # Compaction moves frames as they are.
    for before, after in [("dense_deleted_appended_raw", "dense_deleted_appended_compacted_raw"),
                          ("dense_deleted_all_raw", "dense_deleted_all_compacted_raw"),
                          ("dense_deleted_zstd", "dense_deleted_compacted_zstd"),
                          ("ragged_deleted_zstd", "ragged_deleted_compacted_zstd")]:
        yield case(f"compact/{before}", STORES[before]["kind"], {"copy_of": path(before)}, [COMPACT], exactly(after))
        twice = [COMPACT, {"do": "reopen"}, COMPACT]
        yield case(f"compact_twice/{before}", STORES[before]["kind"], {"copy_of": path(before)}, twice, exactly(after))

    for name, source, picked, first in [
        ("dense_deleted_zstd", images, [0, 5, 5, 31, 17, 29], 32), ("ragged_deleted_zstd", "ragged_i32_tokens_zstd", [3, 19, 0, 7, 7], 20),
    ]:
        steps = [create(source), append(source, 0, first), delete(*picked)]
        for after, more in [(name, []), (name.replace("deleted", "deleted_compacted"), [COMPACT])]:
            yield case(f"change/{after}", STORES[name]["kind"], {}, [*steps, *more], expectation(after))

    # A refused change changes nothing.
    unchanged = exactly("dense_u8_img_raw")
    for name, step, code in [
        ("delete_behind", delete(3, 16), "index_out_of_range"),
        ("delete_before", delete(-17), "index_out_of_range"),
        ("append_another_type", {"do": "append_zeros", "dtype": "<i4", "count": 784}, "dtype_mismatch"),
        ("append_another_width", {"do": "append_zeros", "dtype": "|u1", "count": 783}, "shape_mismatch"),
        ("append_nothing", {"do": "append_zeros", "dtype": "|u1", "count": 0}, "shape_mismatch"),
    ]:
        yield case(f"refused/{name}", "dense", raw, [step], {"error": code, **unchanged})
    # An empty selection is no change.
    yield case("change/delete_nothing", "dense", raw, [{"do": "delete", "index": {"list": []}}], unchanged)

    # Creating where something is; and where nothing is but a folder.
    for bad in ["leftover_meta_only", "leftover_meta_chunk", "leftover_chunk_only", "foreign_file", "meta_missing",
                "store_dense_as_ragged"]:
        files = {file.name: {"size": file.stat().st_size, "sha256": sha(file.read_bytes())}
                 for file in sorted((ZRECORD / "bad" / bad).iterdir())}
        yield case(f"create_in/{bad}", "dense", {"copy_of": f"zrecord/bad/{bad}"}, [create("dense_u8_img_raw")],
                   {"error": "store_exists", "files": files})
    yield case("create_in/empty_dir_open", "dense", {"copy_of": "zrecord/bad/empty_dir_open"},
               [create("dense_u8_img_raw"), append("dense_u8_img_raw")], unchanged)
