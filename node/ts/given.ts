import { nameOf } from '../../wasm/ts/element.js'
import { invalid } from '../../wasm/ts/errors.js'
import type { Options } from '../../wasm/ts/interface.js'

type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** Only the options that have a value, as the addon takes them. */
export function given<T extends object>(options: T): Given<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Given<T>
}

/** Refuses what is no object of options. */
export function optionsOf<T extends object>(options: T): T {
  if (typeof options === 'object' && options !== null) return options
  throw invalid(`options are an object, not ${nameOf(options)}`)
}

/** A list of texts, copied. */
export function textsOf(list: readonly string[], what: string): string[] {
  if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return [...list]
  throw invalid(`${what} are a list of texts, not ${nameOf(list)}`)
}

/** The signal of options; what is none is refused before anything is begun. */
export function signalOf(options: Options): AbortSignal | undefined {
  const { signal } = optionsOf(options)
  if (signal === undefined || signal === null) return undefined
  // Its class may be that of another realm.
  if (Object.prototype.toString.call(signal) === '[object AbortSignal]') return signal
  throw invalid(`signal is an AbortSignal, not ${nameOf(signal)}`)
}
