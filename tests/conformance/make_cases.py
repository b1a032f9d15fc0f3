#!/usr/bin/env python3
"""Writes the conformance cases beside this script from the golden data in ../golden.

    python3 make_cases.py            # rewrites *.json
    python3 make_cases.py --check    # fails where a file is not what this script writes

Needs the standard library only. Expectations come from the manifest of the golden stores and from `model.py`, which
reads the golden bytes by the letter of the specification; nothing is recorded from the library under test. README.md
describes the format of the cases.
"""
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # the folder holds data, no build products

import damaged
import gathers
import loads
import samplers
import states
import stores
import tables
import writes

HERE = Path(__file__).resolve().parent
SUITES = {
    "stores.json": stores.cases,
    "gathers.json": gathers.cases,
    "damaged.json": damaged.cases,
    "writes.json": writes.cases,
    "samplers.json": samplers.cases,
    "tables.json": tables.cases,
    "loads.json": loads.cases,
    "states.json": states.cases,
}


def text_of(cases):
    lines = (json.dumps(case, separators=(",", ":")) for case in cases)
    return '{"format":1,"cases":[\n' + ",\n".join(lines) + "\n]}\n"


def main():
    names = set()
    stale = []
    for file, cases in SUITES.items():
        cases = list(cases())
        for case in cases:
            assert case["name"] not in names, case["name"]
            names.add(case["name"])
        text = text_of(cases)
        path = HERE / file
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                stale.append(file)
        else:
            path.write_text(text)
            print(file, len(cases), "cases", len(text), "bytes")
    if stale:
        sys.exit("not what make_cases.py writes: " + ", ".join(stale))


if __name__ == "__main__":
    main()
