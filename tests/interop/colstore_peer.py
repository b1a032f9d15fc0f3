"""colstore as a service: one JSON request a line on stdin, one JSON answer a line on stdout.

Serves release 0.3.0 and 0.5.1; only the later one has statistics and queries. Requests name an `op` and its arguments;
see the functions below. A column travels as `[name, dtype, bytes]`, bytes as hexadecimal text; a record is a list of
columns. An answer is `{"ok": value}` or `{"error": {"type", "message"}}`.
"""

import json
import sys
import warnings

import colstore
import numpy as np

# What is open: at most one writer and one reader.
writer = None
reader = None


def arrays(columns):
    return {name: np.frombuffer(bytes.fromhex(data), dtype=dtype) for name, dtype, data in columns}


def listed(columns):
    return [[name, array.dtype.str, array.tobytes().hex()] for name, array in columns.items()]


def store(path, columns, mode="create", **options):
    """All rows at once, as one record."""
    colstore.store(arrays(columns), path, mode=mode, show_progress=False, **options).close()


def begin(path, mode, **options):
    """Opens a writer: create, recreate or update."""
    global writer
    writer = getattr(colstore, mode)(path, **options)


def write(columns):
    writer.write(arrays(columns))
    return len(writer)


def end():
    """Commits."""
    global writer
    writer.close()
    writer = None


def compact(path, out=None):
    colstore.compact(path, out=out, show_progress=False)


def info(path):
    found = colstore.info(path)
    return {"rows": found.n_rows, "records": found.n_records, "columns": found.columns}


def open_(path):
    global reader
    reader = colstore.open(path)
    return reader.n_rows


def read(rows=None, columns=None):
    """Columns of the open table; rows are None, an index, `{"slice": [start, stop, step]}`, indices or a mask."""
    names = list(reader.columns) if columns is None else columns
    return listed(reader[selector(rows), names].dict())


def structs():
    """All rows as structures."""
    found = reader.recarray()
    return [str(found.dtype), found.tobytes().hex()]


def selector(rows):
    if isinstance(rows, dict):
        return slice(*rows["slice"])
    if isinstance(rows, list):
        return np.array(rows, dtype=bool if rows and isinstance(rows[0], bool) else np.int64)
    return rows


def query(expression, columns):
    """Columns of the rows that match, in 0.5.1."""
    return listed(reader.query(expression, columns=columns).dict())


def close():
    global reader
    reader.close()
    reader = None


OPS = {op.__name__.rstrip("_"): op for op in (
    store, begin, write, end, compact, info, open_, read, structs, query, close,
)}


def answer(request):
    try:
        return {"ok": OPS[request.pop("op")](**request)}
    except Exception as error:
        return {"error": {"type": type(error).__name__, "message": str(error)}}


# NumPy, which warns where a long double holds random bits.
warnings.simplefilter("ignore", RuntimeWarning)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
