import { nameOf } from '../../directory/problem.js'
import { RecaskError } from '../../errors.js'

/** What an error of the browser's file system means for a reader. */
export function explained(error: unknown, file: string): unknown {
  if (error instanceof RecaskError) return error
  const reason = error instanceof Error ? error.message : String(error)
  const say = (code: string, sentence: string) => new RecaskError(code, `${file} ${sentence}`, { file }, { cause: error })
  switch (nameOf(error)) {
    case 'NotReadableError':
    case 'NotFoundError':
      return changed(file, error)
    case 'NotAllowedError':
    case 'SecurityError':
      return say('permission_denied', `may not be read (${reason}); let it be picked again`)
    case 'NoModificationAllowedError':
      return say('store_busy', 'is being written; close what writes it first')
    default:
      return say('io', `cannot be read: ${reason}`)
  }
}

export function changed(file: string, cause?: unknown): RecaskError {
  return new RecaskError(
    'source_changed',
    `${file} changed since its place was opened; pick it or open it again`,
    { file },
    { cause },
  )
}
