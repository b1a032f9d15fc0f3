import { compile, isThreaded, type ModuleSource } from './compile.js'
import { invalid, RecaskError } from './errors.js'
import { enter, setRunning } from './module.js'
import type { RawModule } from './raw.js'
import { type Choice, chooseThreads, type Surroundings } from './surroundings.js'

/** How Recask is started. */
export interface InitOptions {
  /** Where the WebAssembly module is; by default beside the JavaScript of the package. */
  readonly module?: ModuleSource | Promise<Response> | undefined
  /** `'auto'`, the default, takes as many as there are processors where they are allowed; `false` takes none. */
  readonly threads?: 'auto' | false | number | undefined
  /** The most bytes that one call may hold, results and what is read for them; 512 MiB by default. */
  readonly memory?: number | undefined
}

/** What runs here. */
export interface Capabilities {
  /** Threads that decode; 1 for the single-threaded module. */
  readonly threads: number
  /** Why so many. */
  readonly reason: string
  readonly simd: boolean
  /** The library that decodes zstd. */
  readonly zstd: string
  /** Whether this runtime has an origin private file system. Writing in it needs a dedicated worker. */
  readonly opfs: boolean
  /** In bytes. */
  readonly memoryLimit: number
  /** Of Recask. */
  readonly version: string
}

/** The JavaScript that wasm-bindgen makes beside a module. */
export interface Glue {
  default(options: { module_or_path: WebAssembly.Module }): Promise<unknown>
}

/** One build of the module. */
export interface Build {
  glue(): Promise<Glue>
  readonly address: URL
}

export interface Starter {
  /** Starts once; `undefined` is content with what runs. */
  init(given?: ModuleSource | Promise<Response> | InitOptions): Promise<void>
  capabilities(): Capabilities
}

const MEMORY = 512 * 1024 * 1024

interface Plan {
  readonly module: ModuleSource | Promise<Response> | undefined
  readonly threads: 'auto' | false | number
  readonly memory: number
}

/** How long threads may take to start, in milliseconds. */
const PATIENCE = 60_000

export function starter(single: Build, threaded: Build, lookAround: () => Surroundings): Starter {
  let plan: Plan | undefined
  let starting: Promise<void> | undefined
  let choice: Choice | undefined

  async function start({ module, threads, memory }: Plan): Promise<void> {
    let chosen = chooseThreads(threads, lookAround())
    const compiled = module === undefined ? undefined : await compile(await module)
    if (compiled) {
      if (isThreaded(compiled) && chosen.threads === 1) {
        throw new RecaskError('unsupported', `this module has threads, which cannot run: ${chosen.reason}`)
      }
      if (!isThreaded(compiled)) chosen = { threads: 1, reason: 'the module that was given has no threads' }
    }
    const build = chosen.threads > 1 ? threaded : single
    const [glue, ready] = await Promise.all([build.glue(), compiled ?? compile(build.address)])
    try {
      await glue.default({ module_or_path: ready })
    } catch (error) {
      throw new RecaskError('unsupported', `the WebAssembly module does not start: ${error}`, {}, { cause: error })
    }
    const raw = glue as unknown as RawModule
    if (chosen.threads > 1) await inTime(raw.initThreadPool?.(chosen.threads))
    setRunning(raw, memory)
    choice = chosen
  }

  return {
    init(given) {
      if (starting && (given === undefined || isSame(planOf(given), plan))) return starting
      if (starting) {
        return Promise.reject(invalid('Recask has been started with other options: call init once, before anything else'))
      }
      try {
        plan = planOf(given)
      } catch (error) {
        return Promise.reject(error)
      }
      starting = start(plan).catch((error: unknown) => {
        starting = undefined
        throw error
      })
      return starting
    },
    capabilities() {
      const { version, zstd } = enter((raw) => ({ version: raw.version(), zstd: raw.zstd() }))
      return {
        threads: choice?.threads ?? 1,
        reason: choice?.reason ?? '',
        simd: true,
        zstd,
        opfs: typeof globalThis.navigator?.storage?.getDirectory === 'function',
        memoryLimit: plan?.memory ?? MEMORY,
        version,
      }
    },
  }
}

/** Chromium on a busy machine may lose a worker before its script runs, and tells nobody. */
async function inTime(started: Promise<void> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `the browser did not start the workers for threads within ${PATIENCE / 1000} s; load the page anew, or use one thread: init({ threads: false })`
    timer = setTimeout(() => reject(new RecaskError('unsupported', message)), PATIENCE)
  })
  try {
    await Promise.race([started, late])
  } finally {
    clearTimeout(timer)
  }
}

function planOf(given: ModuleSource | Promise<Response> | InitOptions | undefined): Plan {
  const { module, threads = 'auto', memory = MEMORY } = isOptions(given) ? given : { module: given }
  if (threads !== 'auto' && threads !== false && !(Number.isInteger(threads) && threads > 0)) {
    throw invalid(`threads is 'auto', false or a whole number above 0, not ${threads}`)
  }
  if (!Number.isSafeInteger(memory) || memory <= 0) throw invalid(`memory is a number of bytes, not ${memory}`)
  return { module: module instanceof URL ? module.href : module, threads, memory }
}

function isOptions(given: unknown): given is InitOptions {
  return typeof given === 'object' && given !== null && [Object.prototype, null].includes(Object.getPrototypeOf(given))
}

function isSame(one: Plan, other: Plan | undefined): boolean {
  return one.module === other?.module && one.threads === other?.threads && one.memory === other?.memory
}
