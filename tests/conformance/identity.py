"""What a state says of a stream, by its definition in core/src/loader/identity.rs."""
import struct

from xxh3 import xxh3


def identity(stream):
    return {"name": stream.name, "kind": stream.kind, "layout": layout(stream),
            "samples": [None if record in stream.lost else sample(stream, record) for record in sampled(stream.length)]}


def sampled(n):
    return range(n) if n <= 8 else [i * (n - 1) // 7 for i in range(8)]


def sample(stream, record):
    if stream.kind == "table":
        row = stream.rows[record]
        values = b"".join(values[row * size:][:size] for _, _, size, values in stream.columns)
    else:
        values = stream.records[record]
        if stream.kind == "ragged":
            shape = stream.store["shapes"][record]
            values = struct.pack(f"<{len(shape) + 1}Q", len(shape), *shape) + values
    return f"{xxh3(values) & 0xFFFFFFFF:08x}"


def layout(stream):
    if stream.kind == "table":
        quoted = ((name.replace("\\", "\\\\").replace("'", "\\'"), dtype) for name, dtype, *_ in stream.columns)
        return ", ".join(f"'{name}' {dtype}" for name, dtype in quoted)
    dtype = spelled(stream.store["dtype"])
    return dtype if stream.kind == "ragged" else f"{dtype} {tuple(stream.store['item_shape'])}"


def spelled(dtype):
    """NumPy's `dtype.str` and `dtype.descr`, of the lists in which the manifest has fields."""
    return dtype if isinstance(dtype, str) else str([tuple(field(part) for part in parts) for parts in dtype])


def field(part):
    """A name or a type; a title with its name; extents; the fields of a structure."""
    if not isinstance(part, list):
        return part
    if isinstance(part[0], list):
        return [tuple(field(inner) for inner in parts) for parts in part]
    return tuple(part)
