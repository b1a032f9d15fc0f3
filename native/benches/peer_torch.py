"""Batches by PyTorch's DataLoader over memory-mapped npy files, of the records that the Rust benchmark left in target/bench.

Prints one JSON object a line: the name that the Rust benchmark has, and the median of the seconds of a batch, with the
number of workers that is best. `PyTorch` fetches record by record and collates, as most programs do; `PyTorch batched`
fetches a batch at once, by the fastest of the ways that were found. Run it by `cargo xtask bench loader/`, which puts
everything into one table.
"""

import os
import sys
from pathlib import Path

import numpy as np
import torch
from batches import report, seconds_of
from torch.utils.data import DataLoader, Dataset

WORKERS = [0, 2]


class Images(Dataset):
    """Rows of an array, with the label of each where there are some."""

    def __init__(self, images, labels=None):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.images)

    def __getitem__(self, record):
        image = self.images[record]
        return image if self.labels is None else (image, self.labels[record])


class TakenImages(Images):
    def __getitem__(self, records):
        images = torch.from_numpy(np.take(self.images.numpy(), records, axis=0))
        return images if self.labels is None else (images, self.labels[torch.from_numpy(records)])


class IndexedImages(Images):
    def __getitem__(self, records):
        records = torch.from_numpy(records)
        images = self.images[records]
        return images if self.labels is None else (images, self.labels[records])


class Tokens(Dataset):
    """Sequences, one after the other in one array."""

    def __init__(self, tokens, offsets):
        self.tokens, self.offsets = tokens, offsets

    def __len__(self):
        return len(self.offsets) - 1

    def __getitem__(self, record):
        return self.tokens[self.offsets[record]:self.offsets[record + 1]].clone()


class ConcatenatedTokens(Tokens):
    """A batch as one array with the length of each sequence."""

    def __getitem__(self, records):
        starts, ends = self.offsets[records], self.offsets[records + 1]
        pieces = [self.tokens[start:end] for start, end in zip(starts.tolist(), ends.tolist())]
        return torch.cat(pieces), torch.from_numpy(ends - starts)


class TakenTokens(Tokens):
    """As before, by the positions of all tokens."""

    def __getitem__(self, records):
        starts, lengths = self.offsets[records], self.offsets[records + 1] - self.offsets[records]
        ends = np.cumsum(lengths)
        positions = np.repeat(starts - ends + lengths, lengths) + np.arange(ends[-1])
        return torch.index_select(self.tokens, 0, torch.from_numpy(positions)), torch.from_numpy(lengths)


def shuffled_for_ever(length, batch):
    """Without a pause between passes, in which workers would have nothing to do."""
    random = np.random.default_rng(42)
    while True:
        order = random.permutation(length)
        for first in range(0, length, batch):
            yield order[first:first + batch]


def by_record(dataset, batch, collate=None):
    def loader(workers):
        batches = (records.tolist() for records in shuffled_for_ever(len(dataset), batch))
        return DataLoader(dataset, batch_sampler=batches, num_workers=workers, collate_fn=collate)

    return loader


def by_batch(dataset, batch):
    """PyTorch's own way for data sets that read many records at once: no batching of its own, so a sample is a batch."""
    def loader(workers):
        return DataLoader(dataset, sampler=shuffled_for_ever(len(dataset), batch), batch_size=None, num_workers=workers)

    return loader


def best(*loaders, workers=WORKERS):
    return min(seconds_of(loader(count)) for loader in loaders for count in workers)


def mapped(path):
    """Changes of the values, which nobody makes, would stay in memory; PyTorch does not take read-only arrays."""
    return np.load(path, mmap_mode="c")


if __name__ == "__main__":
    # Where a batch has as many parts as records, each part takes a file descriptor by default.
    torch.multiprocessing.set_sharing_strategy("file_system")
    torch.set_num_threads(os.cpu_count())
    where = Path(sys.argv[1])
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}", file=sys.stderr)

    images = torch.from_numpy(mapped(where / "256KiB.npy"))
    labels = torch.arange(len(images)) % 1000
    for name, streams in (("256KiB/raw", [images]), ("labels/raw", [images, labels])):
        report(name, "PyTorch", best(by_record(Images(*streams), 256)))
        taken, indexed = TakenImages(*streams), IndexedImages(*streams)
        report(name, "PyTorch batched", best(by_batch(taken, 256), by_batch(indexed, 256)))

    streams = torch.from_numpy(mapped(where / "tokens.npy")), np.load(where / "tokens-offsets.npy").astype(np.int64)
    # From a process of its own each of the 4,096 sequences is sent for itself, which takes seconds.
    report("tokens/raw", "PyTorch", best(by_record(Tokens(*streams), 4096, collate=list), workers=[0]))
    concatenated, taken = ConcatenatedTokens(*streams), TakenTokens(*streams)
    report("tokens/raw", "PyTorch batched", best(by_batch(concatenated, 4096), by_batch(taken, 4096)))
