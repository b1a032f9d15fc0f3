import { RecaskError } from '../../../wasm/ts/errors.js'
import type * as Interface from '../../../wasm/ts/interface.js'
import type { Source } from '../../../wasm/ts/source/source.js'

/** What is used of the package for browsers. */
export interface RecaskWasm extends Interface.Package<Source> {
  init(): Promise<void>
  capabilities(): { readonly threads: number; readonly zstd: string; readonly version: string }
}

/** The package, started once. */
export class Module {
  readonly #reason: string
  #starting: Promise<RecaskWasm> | undefined
  #started: RecaskWasm | undefined

  /** `reason`: why there is no addon. */
  constructor(reason: string) {
    this.#reason = reason
  }

  start(): Promise<RecaskWasm> {
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = undefined
      throw error
    })
    return this.#starting
  }

  get isStarted(): boolean {
    return this.#started !== undefined
  }

  /** For calls that cannot wait. */
  get started(): RecaskWasm {
    if (this.#started) return this.#started
    const message = 'Recask runs as WebAssembly here, which has to be started first: await init() before this'
    throw new RecaskError('invalid_argument', message)
  }

  /** A call that only the addon has. */
  unsupported(what: string): never {
    throw new RecaskError('unsupported', `${what} needs the addon: ${this.#reason}`)
  }

  async #start(): Promise<RecaskWasm> {
    let module: RecaskWasm
    try {
      module = (await import('recask-wasm')) as RecaskWasm
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      const message = `there is no addon (${this.#reason}), and recask-wasm, which would do instead, does not load (${said})`
      throw new RecaskError('unsupported', message, {}, { cause: error })
    }
    await module.init()
    this.#started = module
    return module
  }
}
