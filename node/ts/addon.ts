import { counted } from '../../wasm/ts/indices.js'
import { findAddon, type Found } from './binary.js'
import { fallback } from './fallback/addon.js'
import type { Addon } from './native.js'

/** What runs here. */
export interface Capabilities {
  /** `native` is the addon; `wasm` is the package recask-wasm, without `…Sync`, imports and exports, and slower. */
  readonly engine: 'native' | 'wasm'
  /** The file or package of the addon; or else why there is none. */
  readonly reason: string
  /** Threads that read and decode. This and what follows is known of WebAssembly once it runs: after {@link init}, or a first call. */
  readonly threads?: number
  /** The library that decodes zstd. */
  readonly zstd?: string
  /** Of Recask. */
  readonly version?: string
}

/** What stands in for the addon has to be started. */
type InUse = Addon & Partial<Pick<ReturnType<typeof fallback>, 'ready' | 'isReady'>>

let found: Found | undefined
let inUse: InUse | undefined

/** The addon, or what stands in for it. */
export function addon(): InUse {
  if (inUse) return inUse
  found = findAddon()
  inUse = 'addon' in found ? found.addon : fallback(found.reason)
  return inUse
}

/**
 * Waits until everything is there. Only a `Sampler` needs this, and only where WebAssembly stands in for the addon: all else waits
 * by itself.
 */
export async function init(): Promise<void> {
  await addon().ready?.()
}

/** How much memory results take in this process, in bytes: what JavaScript has still, and what is kept for later results. */
export function memoryUse(): { readonly lent: number; readonly kept: number } {
  return addon().memoryUse()
}

/** How much memory is kept for later results at most, in bytes; 256 MiB by default. For the whole process. */
export function keepMemory(bytes: number): void {
  addon().keepMemory(counted(bytes, 'a number of bytes'))
}

/** What runs here, and why. */
export function capabilities(): Capabilities {
  const { version, zstd, threads, isReady = () => true } = addon()
  const origin =
    found && 'addon' in found
      ? { engine: 'native' as const, reason: found.file }
      : { engine: 'wasm' as const, reason: found?.reason ?? '' }
  return isReady() ? { ...origin, threads: threads(), zstd: zstd(), version: version() } : origin
}
