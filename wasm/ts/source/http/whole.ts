import type { RecaskError } from '../../errors.js'
import { eachPiece } from './body.js'
import { failed, Passing } from './failure.js'
import { brokenOff } from './part.js'
import type { Answer, Target } from './send.js'
import { announcedLength } from './status.js'
import { type Version, versionOf } from './version.js'

/** Takes in a 200: the whole file, where it is small. A `Content-Encoding` is undone by then and does no harm. */
export async function readWhole(answer: Answer, target: Target, count: (piece: Uint8Array) => void): Promise<Uint8Array> {
  const { response, isConditional } = answer
  const { name, host } = target
  const version = versionOf(response.headers, undefined)
  if (isConditional && !isSurelySame(version, target.version)) {
    throw target.changed('the host says that it is another one now')
  }
  target.learn(version)
  const announced = announcedLength(response)
  if (announced !== undefined && announced > host.whole) throw ignored(target)
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    await eachPiece(response, (piece) => {
      count(piece)
      length += piece.length
      if (length > host.whole) throw ignored(target)
      pieces.push(piece)
    })
  } catch (error) {
    throw brokenOff(error, name, `after ${length} bytes`)
  }
  if (announced !== undefined && length !== announced) {
    throw new Passing(failed('io', name, `broke off after ${length} of ${announced} bytes`))
  }
  target.learn({ ...version, total: length })
  return joined(pieces, length)
}

/** With `If-Range` a 200 means a change, unless its validators say that the host ignored the range only this time. */
function isSurelySame(version: Version, known: Version | undefined): boolean {
  return version.etag !== null
    ? version.etag === known?.etag
    : version.modified !== null && version.modified === known?.modified
}

function ignored({ name, host }: Target): RecaskError {
  return failed(
    'unsupported',
    name,
    `comes as a whole, as its host ignores ranges (200 in place of 206), and is longer than the ${host.whole} bytes that are ` +
      `read so; move it to a host that answers Range requests, or download it and use fromFiles`,
  )
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
