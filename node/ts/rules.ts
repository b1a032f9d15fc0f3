import { given, optionsOf } from './given.js'
import type { Rules } from './interface.js'
import type { NativeRules } from './native.js'

/** How values become columns, as the addon takes it. */
export function rulesOf(rules: Rules): NativeRules {
  const { nulls, width, utf8, decimalsAsFloats } = optionsOf(rules)
  return given({ nulls, width, utf8, decimalsAsFloats })
}
