import { RecaskError } from '../../errors.js'
import { eachPiece } from './body.js'
import { parseContentRange, type ContentRange } from './content_range.js'
import { failed, Passing } from './failure.js'
import type { Target } from './send.js'
import { announcedLength, hidden, refuseEncoding } from './status.js'
import { versionOf } from './version.js'

/** A part of a file that arrives in pieces. What has arrived stays when a transfer breaks off. */
export class Part {
  readonly end: number
  readonly #target: Target
  readonly #start: number
  readonly #buffer: Uint8Array
  #got = 0

  constructor(target: Target, start: number, end: number) {
    this.#target = target
    this.#start = start
    this.end = end
    this.#buffer = new Uint8Array(end - start)
  }

  /** The first byte that is missing. */
  get next(): number {
    return this.#start + this.#got
  }

  get bytes(): Uint8Array {
    return this.#got === this.#buffer.length ? this.#buffer : this.#buffer.slice(0, this.#got)
  }

  /** Takes in a 206; whether nothing is missing any more. */
  async take(response: Response, count: (piece: Uint8Array) => void): Promise<boolean> {
    const { name, host } = this.#target
    refuseEncoding(response, name)
    const range = this.#rangeOf(response)
    const version = versionOf(response.headers, range?.total)
    this.#target.learn(version)
    host.hasRanges = true
    const start = this.next
    const asked = (range?.end ?? this.end) - start
    const announced = announcedLength(response)
    if (announced !== undefined && (range ? announced !== asked : announced > asked))
      throw this.#wrongLength(announced, asked)
    await this.#receive(response, asked, count)
    const got = this.next - start
    if (got === asked) return this.next === this.end || this.next === range?.total
    if (range || (announced !== undefined && got < announced)) {
      throw new Passing(failed('io', name, `broke off after ${got} of ${asked} bytes`))
    }
    if (announced === undefined) throw hidden(name, 'whether it ends here or the transfer broke off')
    this.#target.learn({ ...version, total: this.next })
    return true
  }

  /** Takes in a 416: nothing is there from here on. */
  takeEnd(response: Response): void {
    const { name } = this.#target
    const text = response.headers.get('Content-Range')
    const total = (text === null ? undefined : parseContentRange(text)?.total) ?? (this.next === 0 ? 0 : undefined)
    if (total === undefined) throw hidden(name, 'its length')
    if (total > this.next)
      throw failed('io', name, `has ${total} bytes, but its host refuses those from ${this.next} on (416)`)
    this.#target.learn({ etag: null, modified: null, isSettled: false, total })
  }

  #rangeOf(response: Response): ContentRange | undefined {
    const text = response.headers.get('Content-Range')
    if (text === null) return undefined
    const range = parseContentRange(text)
    if (range?.start === this.next && range.end !== undefined && range.end <= this.end) return range
    const wanted = `bytes ${this.next}-${this.end - 1}`
    throw failed(
      'io',
      this.#target.name,
      `came as other bytes than were asked for (Content-Range: ${text} in place of ${wanted})`,
    )
  }

  async #receive(response: Response, asked: number, count: (piece: Uint8Array) => void): Promise<void> {
    let left = asked
    try {
      await eachPiece(response, (piece) => {
        count(piece)
        left -= piece.length
        if (left < 0) throw this.#wrongLength('more', asked)
        this.#buffer.set(piece, this.#got)
        this.#got += piece.length
      })
    } catch (error) {
      throw brokenOff(error, this.#target.name, `after ${asked - left} of ${asked} bytes`)
    }
  }

  #wrongLength(announced: number | 'more', asked: number): Error {
    const sentence =
      `came with ${announced} bytes where ${asked} were asked for: its host compresses it (Content-Encoding), or something on ` +
      `the way changes it; publish it without an encoding`
    return failed('io', this.#target.name, sentence)
  }
}

/** An error while a body was read: one of ours, or the connection. */
export function brokenOff(error: unknown, name: string, after: string): unknown {
  if (error instanceof RecaskError) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Passing(
    failed('io', name, `broke off ${after} (${reason}); if this goes on, its host may compress it (Content-Encoding)`, error),
  )
}
