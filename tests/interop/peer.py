"""loaderx as a service: one JSON request a line on stdin, one JSON answer a line on stdout.

Starting NumPy takes longer than most tests, so one process serves many requests. Requests name an `op` and its
arguments; see the functions below. Bytes travel as hexadecimal text. An answer is `{"ok": value}` or
`{"error": {"type", "code", "message"}}`, where `code` is loaderx's native number or null.
"""

import ast
import contextlib
import json
import sys

import msgpack
import numpy as np
from loaderx.dataloader import DataLoader
from loaderx.utils import _pack_samples, train_dict
from loaderx.zrecord import DenseStore, RaggedStore
from loaderx.zsampler import Sampler

KINDS = {"dense": DenseStore, "ragged": RaggedStore}

# The one store that this process has open.
store = None


def dtype_of(literal):
    """NumPy's type from its spelling: a type string, or a Python literal of a list, tuple or dictionary."""
    structured = literal.lstrip()[:1] in ("[", "(", "{")
    return np.dtype(ast.literal_eval(literal) if structured else literal)


def create(path, kind, dtype, codec, item_shape=None, dictionary=None):
    global store
    shape = {} if kind == "ragged" else {"item_shape": tuple(item_shape)}
    dictionary = None if dictionary is None else bytes.fromhex(dictionary)
    store = KINDS[kind](path, dtype=dtype_of(dtype), codec=codec, dict_bytes=dictionary, **shape)


def open_(path, kind):
    global store
    store = KINDS[kind](path)
    return len(store)


def close():
    global store
    store.close()
    store = None


def identity():
    return store._store.identity.hex()


def expected_identity(dtype, item_shape=None):
    """The identity that loaderx would write itself."""
    dtype = dtype_of(dtype)
    fields = {"dtype": dtype.str if dtype.fields is None else dtype.descr}
    if item_shape is not None:
        fields["item_shape"] = item_shape
    return msgpack.dumps(fields).hex()


def offsets(dtype):
    """Where every field lies, fields of fields as `outer.inner`."""
    found = {}

    def walk(dtype, prefix, base):
        for name in dtype.names or ():
            field, offset = dtype.fields[name][:2]
            found[prefix + name] = base + offset
            walk(field.base, prefix + name + ".", base + offset)

    walk(dtype_of(dtype), "", 0)
    return found


def array(data, dtype, shape):
    return np.frombuffer(bytes.fromhex(data), dtype=dtype).reshape(shape)


def append(records):
    """Dense: the bytes of all records. Ragged: a list of [shape, bytes]. Returns the new length."""
    if isinstance(store, DenseStore):
        store.append(array(records, store.dtype, (-1, *store.item_shape)))
    else:
        store.append([array(data, store.dtype, shape) for shape, data in records])
    return len(store)


def read(records=None):
    """Records, or all of them, each as [shape, bytes]."""
    batch = store.__getitems__(np.arange(len(store)) if records is None else records)
    return [[list(record.shape), record.tobytes().hex()] for record in batch]


def equals(values):
    """Whether all records, in order, are these values. Not for bytes but for what they mean: JSON numbers, strings
    and lists of them, converted by NumPy; complex numbers as pairs, floats that JSON does not have as strings."""
    dtype = store.dtype
    if dtype.kind == "c":
        expected = np.array([complex(*pair) for pair in values], dtype=dtype)
    else:
        expected = np.array(values, dtype=dtype)
    found = store[:]
    if found.shape != expected.shape:
        return False
    return bool(np.array_equal(found, expected, equal_nan=dtype.kind in "fc"))


def delete(records):
    store.delete(np.asarray(records, dtype=np.int64))
    return len(store)


def compact():
    store.compact()


def sync():
    store.sync()


def stats():
    return store.stats()


def source(records, array_):
    """What a dictionary is trained from: a list of records, an array, or the open store."""
    if records is not None:
        return [bytes.fromhex(record) for record in records]
    return store if array_ is None else array(array_["data"], dtype_of(array_["dtype"]), array_["shape"])


def train(tier, records=None, array=None):
    return train_dict(source(records, array), tier).hex()


def samples(tier, records=None, array=None):
    """The samples that training takes."""
    data, sizes = _pack_samples(source(records, array), tier)
    data = data if isinstance(data, bytes) else data.tobytes()
    ends = np.cumsum(sizes)
    return [data[end - size:end].hex() for end, size in zip(ends, sizes)]


def sample(length, batch, mode, seed, seek=None, steps=1):
    """Batches of indices, from the start or after a seek."""
    sampler = Sampler(length, batch, mode, seed)
    if seek is not None:
        sampler.seek(seek)
    return [sampler.next().tolist() for _ in range(steps)]


def load(streams, batch, mode, seed, steps):
    """The first batches of a loader over stores as [name, path, kind]. One worker keeps the order of the sampler."""
    with contextlib.ExitStack() as opened:
        stores = {name: opened.enter_context(contextlib.closing(KINDS[kind](path))) for name, path, kind in streams}
        loader = opened.enter_context(DataLoader(stores, num_workers=1, batch_size=batch, mode=mode, seed=seed))
        return [{name: delivered(values) for name, values in next(loader).items()} for _ in range(steps)]


def delivered(values):
    """Dense: one array. Ragged: a list of arrays."""
    if isinstance(values, list):
        return [delivered(record) for record in values]
    return {"dtype": values.dtype.str, "shape": values.shape, "data": values.tobytes().hex()}


OPS = {op.__name__.rstrip("_"): op for op in (
    create, open_, close, identity, expected_identity, offsets, append, read, equals, delete, compact, sync, stats,
    train, samples, sample, load,
)}


def answer(request):
    try:
        return {"ok": OPS[request.pop("op")](**request)}
    except Exception as error:
        return {"error": {
            "type": type(error).__name__, "code": getattr(error, "code", None), "message": str(error),
        }}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
