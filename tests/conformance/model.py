"""Reads golden stores by the letter of spec/zrecord.md, without the library under test."""
import ast
import hashlib
import json
import math
import struct
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
ZRECORD = GOLDEN / "zrecord"
MANIFEST = json.loads((ZRECORD / "manifest.json").read_text())
STORES = {store["name"]: store for store in MANIFEST["stores"]}
CODECS = ["raw", "zstd", "zstd_dict"]


def sha(data):
    return hashlib.sha256(data).hexdigest()


def records_of(name):
    """The decoded records of a good store, as the manifest's files give them."""
    store = STORES[name]
    if store["records"] == 0:
        records = []
    elif "expected" in store:
        data = (ZRECORD / store["expected"]).read_bytes()
        if store["kind"] == "dense":
            data = npy_data(data)
            records = cut(data, [store["record_bytes"]] * store["records"])
        else:
            records = cut(data, store["byte_lengths"])
    elif name == "dense_u1_wide_zstd":
        records = [bytes([i]) * (1 << 20) for i in range(3)]
    elif name == "ragged_u8_sizes_zstd":
        records = [bytes([n % 251]) * n for n in store["byte_lengths"]]
    else:
        raise KeyError(name)
    assert sha(b"".join(records)) == store["sha256_all"], name
    assert [sha(record) for record in records] == store.get("sha256", [sha(record) for record in records]), name
    return records


def npy_data(data):
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (size,) = struct.unpack_from("<H", data, 8)
    assert not ast.literal_eval(data[10:10 + size].decode("latin1"))["fortran_order"]
    return data[10 + size:]


def cut(data, lengths):
    out, at = [], 0
    for length in lengths:
        out.append(data[at:at + length])
        at += length
    assert at == len(data)
    return out


class Fault(Exception):
    """Where a record is damaged: file, offset, code."""

    def __init__(self, file, offset, code):
        super().__init__(file, offset, code)
        self.where = {"file": file, "offset": offset, "code": code}
        if offset is None:
            del self.where["offset"]


class Table:
    """The table of a store that opens, and what its entries say."""

    def __init__(self, folder, kind, itemsize=1):
        self.folder, self.kind, self.itemsize = folder, kind, itemsize
        meta = (folder / "meta.zr").read_bytes()
        _, _, codec, self.tail_chunk, self.tail_offset, self.length = struct.unpack_from("<IBBIIQ", meta)
        self.codec = CODECS[codec]
        (self.record_bytes,) = struct.unpack_from("<Q", (folder / "store.zr").read_bytes(), 8)
        loc = (folder / "0.loc").read_bytes() if self.length else b""
        self.entries = [struct.unpack_from("<IIII", loc, 16 * i) for i in range(self.length)]

    @property
    def per_record(self):
        return 1 if self.kind == "dense" else 2

    @property
    def records(self):
        return self.length // self.per_record

    def check(self, slot):
        """Section 5, check 8; and a raw record is read in full whatever phys says (section 8)."""
        offset, phys, logic, chunk = self.entries[slot]
        reach = max(phys, logic) if self.codec == "raw" else phys
        bound = self.tail_offset if chunk == self.tail_chunk else 1 << 32
        if chunk > self.tail_chunk or phys == 0 or not 1 <= logic <= 1 << 31 or offset + reach > bound:
            raise Fault("0.loc", 16 * slot, "corrupt_entry")

    def check_width(self, slot):
        if self.kind == "dense" and self.entries[slot][2] != self.record_bytes:
            raise Fault("0.loc", 16 * slot, "corrupt_entry")

    def stored(self, slot):
        offset, _, logic, chunk = self.entries[slot]
        assert self.codec == "raw"
        return (self.folder / f"{chunk}.chunk").read_bytes()[offset:offset + logic]

    def check_shape(self, record):
        """Section 9."""
        slot = 2 * record + 1
        shape = self.stored(slot)
        fault = Fault(f"{self.entries[slot][3]}.chunk", self.entries[slot][0], "corrupt_record")
        if len(shape) < 8 or len(shape) % 8 or len(shape) > 8 * 65:
            raise fault
        rank, *dims = struct.unpack(f"<{len(shape) // 8}Q", shape)
        bytes_ = self.entries[2 * record][2]
        if rank != len(dims) or math.prod(dims) * self.itemsize != bytes_:
            raise fault

    def read(self, record, undecodable):
        """Raises the fault of a record; `undecodable` are those whose frame loaderx could not decode."""
        first = record * self.per_record
        for slot in range(first, first + self.per_record):
            self.check(slot)
        self.check_width(first)
        if self.codec != "raw":
            if record in undecodable:
                # loaderx does not tell whether the frame of a ragged record or the one of its shape failed.
                offset = self.entries[first][0] if self.kind == "dense" else None
                raise Fault(f"{self.entries[first][3]}.chunk", offset, "corrupt_record")
        elif self.kind == "ragged":
            self.check_shape(record)

    def faults(self, undecodable):
        """What a check of everything finds: [(record, file, offset, code)], section 8 and 12 included."""
        out, extents = [], []
        for record in range(self.records):
            found = []
            for slot in range(record * self.per_record, (record + 1) * self.per_record):
                try:
                    self.check(slot)
                    _, phys, logic, _ = self.entries[slot]
                    if self.codec == "raw" and phys != logic:
                        raise Fault("0.loc", 16 * slot, "corrupt_entry")
                    extents.append((self.entries[slot][3], *self.entries[slot][:2], slot))
                except Fault as fault:
                    found.append(fault.where)
            if not found:
                try:
                    self.read(record, undecodable)
                except Fault as fault:
                    found.append(fault.where)
            out += [{"record": record, **where} for where in found]
        extents.sort(key=lambda extent: (extent[0], extent[1], extent[3]))
        for (a_chunk, a, a_phys, _), (chunk, b, _, slot) in zip(extents, extents[1:]):
            if a_chunk == chunk and a + a_phys > b:
                where = {"file": f"{chunk}.chunk", "offset": b, "code": "overlapping_entries"}
                out.append({"record": slot // self.per_record, **where})
        return sorted(out, key=lambda fault: (fault["record"], fault["file"], fault.get("offset", 0)))

    def stats(self):
        """Section 12."""
        live = sum(phys for _, phys, _, _ in self.entries)
        chunks = (self.tail_chunk << 32) + self.tail_offset
        if live > chunks:
            return {"error": "overlapping_entries"}
        return {"records": self.records, "live_bytes": live, "chunk_bytes": chunks, "reclaimable": chunks - live}
