"""What a loader reads, as cases name it and as the manifests know it: golden stores, rows of golden tables, and stores with
damaged records."""
from columns import columns_of, rows_of
from damaged import CODE_AT_OPEN, INVISIBLE, ITEMSIZE, UNNOTICED
from model import MANIFEST, STORES, ZRECORD, Fault, Table, records_of, sha

ALL = {"range": [None, None, 1]}


class Stream:
    """A golden store as a stream, or rows and columns of a golden table."""

    def __init__(self, name, source, index=None, columns=None):
        self.name = name
        self.lost = {}
        if source.endswith(".cstore"):
            self.kind = "table"
            self.json = {"name": name, "table": "cstore/" + source}
            self.rows = picked(list(range(rows_of(source))), index or ALL)
            self.length = len(self.rows)
            all_ = columns_of(source)
            self.columns = [(column, *all_[column]) for column in (all_ if columns is None else columns)]
            if index:
                self.json["index"] = index
            if columns is not None:
                self.json["columns"] = columns
        else:
            self.store = STORES[source]
            self.kind = self.store["kind"]
            self.json = {"name": name, "store": "zrecord/" + self.store["path"], "kind": self.kind}
            self.records = records_of(source)
            self.length = len(self.records)

    def batch(self, indices):
        if self.kind == "table":
            rows = [self.rows[i] for i in indices]
            columns = [
                {"name": name, "dtype": dtype, "sha256": sha(b"".join(values[row * size:][:size] for row in rows))}
                for name, dtype, size, values in self.columns
            ]
            return {"name": self.name, "rows": len(rows), "columns": columns}
        records = [self.records[i] for i in indices]
        out = {"name": self.name, "sha256": sha(b"".join(records))}
        if self.kind == "dense":
            return {**out, "shape": [len(indices), *self.store["item_shape"]]}
        offsets = [0]
        for record in records:
            offsets.append(offsets[-1] + len(record) // self.store["itemsize"])
        return {**out, "offsets": offsets, "shapes": [self.store["shapes"][i] for i in indices]}


def picked(all_, index):
    (how, value), = index.items()
    if how == "range":
        return all_[slice(*value)]
    if how == "mask":
        return [item for item, flag in zip(all_, value, strict=True) if flag]
    return [all_[i] for i in ([value] if how == "one" else value)]


class Damaged(Stream):
    """A damaged store that opens: its faults by their records. All others are those of the store that it was made of."""

    def __init__(self, name, bad):
        super().__init__(name, bad["base"])
        self.json["store"] = "zrecord/" + bad["path"]
        table = Table(ZRECORD / bad["path"], self.kind, ITEMSIZE.get(bad["name"], self.store["itemsize"]))
        undecodable = {int(record) for record in bad["result"].get("bad_records", {})}
        for record in range(self.length):
            try:
                table.read(record, undecodable)
            except Fault as fault:
                self.lost[record] = fault.where
        readable = sha(b"".join(bytes_ for record, bytes_ in enumerate(self.records) if record not in self.lost))
        assert bad["result"].get("sha256_of_readable_records", readable) == readable, bad["name"]

    def refusal(self, record, step=None):
        fault = self.lost[record]
        where = {key: fault[key] for key in ("file", "offset") if key in fault}
        if step is not None:
            where["step"] = str(step)
        return {"error": fault["code"], "stream": self.name, "record": record, **where}


def with_lost_records():
    """Damaged stores that open and have as many records as the one that they were made of, of which some are lost."""
    # Those of the last two are readable, but are other ones.
    passed = CODE_AT_OPEN.keys() | INVISIBLE.keys() | UNNOTICED | {"meta_codec_zstd_to_raw"}
    for bad in MANIFEST["bad"]:
        base = STORES.get(bad["base"])
        if base is None or bad["name"] in passed or bad["open_as"] != base["kind"]:
            continue
        if Table(ZRECORD / bad["path"], base["kind"]).records == base["records"] and Damaged("", bad).lost:
            yield bad


BAD = {bad["name"]: bad for bad in with_lost_records()}
