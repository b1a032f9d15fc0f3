import { invalid, RecaskError } from './errors.js'

/** Where the module is: its address, an answer that holds it, its bytes, or the compiled module. */
export type ModuleSource = string | URL | Response | ArrayBuffer | Uint8Array | WebAssembly.Module

/** Fetches and compiles a module. */
export async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source
  try {
    if (source instanceof Response) return await compileResponse(source)
    if (typeof source === 'string' || source instanceof URL) return await compileAddress(source)
    if (source instanceof ArrayBuffer || source instanceof Uint8Array) return await WebAssembly.compile(source as BufferSource)
  } catch (error) {
    throw explained(error)
  }
  throw invalid('init takes an address, a Response, bytes, a WebAssembly.Module, or an object of options')
}

/** A module of the threaded build takes its memory from outside, to share it. */
export function isThreaded(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.imports(module).some((wanted) => wanted.kind === 'memory')
}

async function compileAddress(address: string | URL): Promise<WebAssembly.Module> {
  const bytes = await readFile(address)
  if (bytes) return WebAssembly.compile(bytes)
  let response
  try {
    response = await fetch(address)
  } catch (error) {
    throw new RecaskError('io', `the WebAssembly module cannot be fetched from ${address}: ${error}`, {}, { cause: error })
  }
  return compileResponse(response)
}

async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new RecaskError('io', `the WebAssembly module cannot be fetched from ${response.url}: status ${response.status}`)
  }
  // Compiling while it arrives needs the right type; a server that does not know it still works.
  const type = response.headers.get('Content-Type') ?? ''
  if (type.split(';')[0]?.trim() === 'application/wasm') return WebAssembly.compileStreaming(response)
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes[0] === 0 && bytes[1] === 0x61) return WebAssembly.compile(bytes)
  throw new RecaskError(
    'io',
    `what ${response.url || 'the server'} sent is no WebAssembly module but ${type || 'something'} of ${bytes.length} bytes: ` +
      'copy the .wasm file of the package to where the page can fetch it, or give its address to init()',
  )
}

/** Node.js does not fetch files. Its module is named so that bundlers leave it alone. */
async function readFile(address: string | URL): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const isNode = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node !== undefined
  if (!isNode || !String(address).startsWith('file:')) return undefined
  const files = 'node:fs/promises'
  const { readFile: read } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)) as {
    readFile(file: URL): Promise<Uint8Array<ArrayBuffer>>
  }
  return read(new URL(address))
}

function explained(error: unknown): unknown {
  if (error instanceof RecaskError) return error
  const text = String(error)
  if (/content.security.policy|unsafe-eval|disallowed by embedder/i.test(text)) {
    const message =
      "the Content-Security-Policy of the page forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src"
    return new RecaskError('unsupported', message, {}, { cause: error })
  }
  return new RecaskError('unsupported', `the WebAssembly module cannot be compiled here: ${text}`, {}, { cause: error })
}
