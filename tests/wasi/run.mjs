// Runs a WASI module in Node.js; README.md says how.

import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { WASI } from "node:wasi";

const TRAPPED = 134;
/** The exit status. */
function start(request, streams) {
  if (request.read_only_folders?.length || request.fuel != null || request.memory != null) {
    throw new Error("node:wasi has no read-only folders and no limits");
  }
  const module = new WebAssembly.Module(readFileSync(request.module));
  const wasi = new WASI({
    version: "preview1",
    args: [request.module, ...request.arguments],
    env: request.environment ?? {},
    preopens: Object.fromEntries((request.folders ?? []).map(([host, guest]) => [guest, host])),
    returnOnExit: true,
    ...streams,
  });
  return wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
}

function answer(request, folder) {
  const [stdin, stdout, stderr] = ["stdin", "stdout", "stderr"].map((name) => join(folder, name));
  writeFileSync(stdin, "");
  const open = { stdin: openSync(stdin, "r"), stdout: openSync(stdout, "w"), stderr: openSync(stderr, "w") };
  const result = {};
  try {
    try {
      result.status = start(request, open);
    } catch (trap) {
      if (!(trap instanceof WebAssembly.RuntimeError)) throw trap;
      result.trap = trap.message;
    }
  } finally {
    Object.values(open).forEach(closeSync);
  }
  result.stdout = readFileSync(stdout, "hex");
  result.stderr = readFileSync(stderr, "hex");
  return result;
}

/** One request on standard input. */
function serveOne() {
  const folder = mkdtempSync(join(tmpdir(), "recask-wasi-"));
  let reply;
  try {
    reply = { ok: answer(JSON.parse(readFileSync(0, "utf8")), folder) };
  } catch (error) {
    reply = { error: String(error) };
  } finally {
    rmSync(folder, { recursive: true });
  }
  process.stdout.write(JSON.stringify(reply));
}

/** Each request in a process of its own: Node.js 20 crashes after some dozens of instances in one. */
async function serve() {
  const self = ["--no-warnings", fileURLToPath(import.meta.url), "--serve-one"];
  for await (const input of createInterface({ input: process.stdin })) {
    const { status, stdout, stderr } = spawnSync(process.execPath, self, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
    const reply = status === 0 ? stdout : JSON.stringify({ error: `node ended with ${status}: ${stderr}` });
    process.stdout.write(reply + "\n");
  }
}

function parse(words) {
  const request = { module: words[0], arguments: [], folders: [], environment: {} };
  for (let at = 1; at < words.length; at += 2) {
    const [option, value] = [words[at], words[at + 1]];
    if (option === "--") {
      request.arguments = words.slice(at + 1);
      return request;
    }
    if (option === "--dir" && value?.includes("::")) {
      request.folders.push(value.split("::"));
    } else if (option === "--env" && value?.includes("=")) {
      const [name, ...rest] = value.split("=");
      request.environment[name] = rest.join("=");
    } else {
      throw new Error(`${option} is not understood; see README.md`);
    }
  }
  return request;
}

const words = process.argv.slice(2);
if (words[0] === "--serve") {
  await serve();
} else if (words[0] === "--serve-one") {
  serveOne();
} else if (words.length === 0) {
  console.error("which module? see README.md");
  process.exitCode = 2;
} else {
  try {
    process.exitCode = start(parse(words), {});
  } catch (error) {
    const trapped = error instanceof WebAssembly.RuntimeError;
    console.error(trapped ? `trap: ${error.message}` : `error: ${error.message}`);
    process.exitCode = trapped ? TRAPPED : 2;
  }
}
