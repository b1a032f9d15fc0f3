import { change, finish, type PreparedDirectory } from './directory/prepared.js'
import { isNeeds, RecaskError } from './errors.js'
import type { LongOptions, Options } from './interface.js'
import type { Source } from './source/source.js'

/** Opens a place for writing. */
export async function directoryOf(source: Source, create: boolean, { signal }: Options = {}): Promise<PreparedDirectory> {
  if (!source.directory) {
    const message = `${source.name} cannot be written: only places in memory and in the origin private file system can`
    throw new RecaskError('unsupported', message)
  }
  return source.directory({ create, ...(signal && { signal }) })
}

/** Makes a call over a directory, as often as files have to be opened for it. */
export function changed<T>(directory: PreparedDirectory, call: () => T, { signal }: Options = {}): Promise<T> {
  return translated(change(directory, call, { signal }))
}

/** Makes the last call over a directory, and gives everything back whatever comes of it. */
export function finished(directory: PreparedDirectory, call: () => void): Promise<void> {
  return translated(finish(directory, call))
}

async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isNeeds(error)) throw new RecaskError('internal', 'a call goes on asking for files that are open')
    throw error
  }
}

/** Progress and a signal as the core takes them: told how far it is, it goes on or stops. */
export interface Watch {
  tell(done: number, total: number): boolean
  /** Why it was stopped; or else the error that came of it. */
  reason(error: unknown): unknown
}

export function watch({ signal, onProgress }: LongOptions): Watch {
  let failure: { readonly error: unknown } | undefined
  return {
    tell(done, total) {
      try {
        onProgress?.({ done, total })
      } catch (error) {
        failure ??= { error }
      }
      return !failure && !signal?.aborted
    },
    reason: (error) => (failure ? failure.error : signal?.aborted ? signal.reason : error),
  }
}
