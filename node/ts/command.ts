import type { Options } from '../../wasm/ts/interface.js'
import { addon } from './addon.js'
import { at, watched } from './call.js'
import { textsOf } from './given.js'

/**
 * Runs the `recask` command, without the name of the program: `await command(['info', 'digits'])`. Resolves to its exit status; what
 * it prints goes to the standard streams of the process. One command runs at a time. A signal that is aborted meanwhile makes it
 * stop as Ctrl-C does: what it works on stays valid, and the status is 130.
 */
export async function command(args: readonly string[], options: Options = {}): Promise<number> {
  const words = ['recask', ...textsOf(args, 'the words of a command')]
  return watched({ signal: options.signal }, (stop) => addon().command(words, stop))
}

export function commandSync(args: readonly string[]): number {
  const words = ['recask', ...textsOf(args, 'the words of a command')]
  return at(() => addon().commandSync(words))
}
