"""Runs a WASI module under wasmtime; README.md says how."""

import json
import pathlib
import sys
import tempfile

import wasmtime

TRAPPED = 134
compiled = {}


def engine_and_module(path, with_fuel):
    """Fuel is counted by code of its own, which costs time where nobody asked for it."""
    if (path, with_fuel) not in compiled:
        config = wasmtime.Config()
        config.consume_fuel = with_fuel
        # Each test is a process, and compiling takes longer than most of them.
        config.cache = True
        engine = wasmtime.Engine(config)
        compiled[path, with_fuel] = engine, wasmtime.Module.from_file(engine, path)
    return compiled[path, with_fuel]


def start(request, wasi):
    """The exit status. A trap is raised."""
    fuel, memory = request.get("fuel"), request.get("memory")
    engine, module = engine_and_module(request["module"], fuel is not None)
    store = wasmtime.Store(engine)
    if fuel is not None:
        store.set_fuel(fuel)
    if memory is not None:
        store.set_limits(memory_size=memory)
    wasi.argv = [request["module"], *request["arguments"]]
    wasi.env = list(request.get("environment", {}).items())
    for key, mutable in [("folders", True), ("read_only_folders", False)]:
        for host, guest in request.get(key, []):
            wasi.preopen_dir(host, guest, mutable)
    store.set_wasi(wasi)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    instance = linker.instantiate(store, module)
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        return ended.code
    return 0


def is_trap(error):
    """Out of fuel is one, too little memory to begin with another."""
    return isinstance(error, (wasmtime.Trap, wasmtime.WasmtimeError))


def answer(request, folder):
    engine_and_module(request["module"], request.get("fuel") is not None)
    wasi = wasmtime.WasiConfig()
    files = {name: folder / name for name in ["stdout", "stderr"]}
    wasi.stdout_file, wasi.stderr_file = str(files["stdout"]), str(files["stderr"])
    try:
        result = {"status": start(request, wasi)}
    except Exception as error:
        if not is_trap(error):
            raise
        result = {"trap": str(error)}
    return result | {name: file.read_bytes().hex() for name, file in files.items()}


def serve():
    with tempfile.TemporaryDirectory(prefix="recask-wasi-") as folder:
        for line in sys.stdin:
            try:
                reply = {"ok": answer(json.loads(line), pathlib.Path(folder))}
            except Exception as error:
                reply = {"error": repr(error)}
            print(json.dumps(reply), flush=True)


def parse(words):
    request = {"module": words.pop(0), "arguments": [], "folders": [], "read_only_folders": [], "environment": {}}
    while words:
        option = words.pop(0)
        if option == "--":
            request["arguments"] = words
            break
        value = words.pop(0) if words else sys.exit(f"{option} needs a value")
        match option:
            case "--dir":
                request["folders"].append(value.split("::"))
            case "--read-only-dir":
                request["read_only_folders"].append(value.split("::"))
            case "--env":
                name, _, content = value.partition("=")
                request["environment"][name] = content
            case "--fuel" | "--memory":
                request[option[2:]] = int(value)
            case _:
                sys.exit(f"{option} is not understood; see README.md")
    return request


def main(words):
    wasi = wasmtime.WasiConfig()
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    try:
        return start(parse(words), wasi)
    except Exception as error:
        if not is_trap(error):
            raise
        print(f"trap: {error}", file=sys.stderr)
        return TRAPPED


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    elif sys.argv[1:]:
        sys.exit(main(sys.argv[1:]))
    else:
        sys.exit("which module? see README.md")
