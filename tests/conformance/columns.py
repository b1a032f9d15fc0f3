"""The values of golden tables, by the letter of spec/cstore.md."""
import json
import re
import struct
import zlib
from functools import cache

from model import sha
from tables import GOLDEN, shown

ITEM = re.compile(r"[<|]([biufmMSU])(\d+)")
FILES = {
    file["file"]: file
    for part in ("manifest.json", "manifest_v051.json") for file in json.loads((GOLDEN / part).read_text())["files"]
}


@cache
def columns_of(name):
    """The columns of a good table: name as it is shown -> (dtype, width, bytes of all rows)."""
    data = (GOLDEN / name).read_bytes()
    records, rows = struct.unpack_from("<qq", data, 8)
    # Sections 1 and 10: the counters of the two layouts differ in their size.
    head = 40 if zlib.crc32(data[8:24]) == struct.unpack_from("<I", data, 24)[0] else 72
    (length,) = struct.unpack_from("<Q", data, head)
    schema = json.loads(data[head + 8:head + 8 + length])["columns"]
    columns = [(column["name"], column["dtype"], width(column["dtype"]), []) for column in schema]
    at = -(-(head + 8 + length) // 64) * 64
    for _ in range(records):
        (count,) = struct.unpack_from("<q", data, at + 12)
        at += 32
        start = at
        for *_, size, pieces in columns:
            pieces.append(data[at:at + count * size])
            at += count * size
        at += (start - at) % 8
    out = {}
    for (column, dtype, size, pieces), known in zip(columns, FILES[name]["columns"], strict=True):
        values = b"".join(pieces)
        assert (column, dtype, sha(values)) == (known["name"], known["dtype"], known["sha256"]), (name, column)
        assert len(values) == rows * size, (name, column)
        out[shown(column)] = (dtype, size, values)
    return out


def rows_of(name):
    return FILES[name]["n_rows"]


def width(dtype):
    kind, count = ITEM.match(dtype).groups()
    return int(count) * (4 if kind == "U" else 1)
