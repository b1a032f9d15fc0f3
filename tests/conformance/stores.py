"""Every good store: what it is, what it holds, its figures, and that nothing is wrong with it."""
from model import MANIFEST, records_of


def cases():
    for store in MANIFEST["stores"]:
        name, records = store["name"], records_of(store["name"])
        base = {"store": "zrecord/" + store["path"], "kind": store["kind"]}
        what = {"records": store["records"], "codec": store["codec"], "identity_hex": store["identity_hex"]}
        if isinstance(store["dtype"], str):
            what["dtype"] = store["dtype"]
        if store["kind"] == "dense":
            what["item_shape"] = store["item_shape"]
        yield {"name": f"open/{name}", "op": "open", **base, "expect": what}
        other = "ragged" if store["kind"] == "dense" else "dense"
        yield {"name": f"open_as_{other}/{name}", "op": "open", **base, "kind": other, "expect": {"error": "kind_mismatch"}}
        read = {"records": len(records), "sha256": store["sha256_all"], "faults": []}
        if "sha256" in store:
            read["sha256_each"] = store["sha256"]
        if "shapes" in store:
            read["shapes"] = store["shapes"]
        yield {"name": f"read/{name}", "op": "read", **base, "expect": read}
        yield {"name": f"stats/{name}", "op": "stats", **base, "expect": store["stats"]}
        yield {"name": f"verify/{name}", "op": "verify", **base, "expect": {"records": len(records), "faults": []}}
