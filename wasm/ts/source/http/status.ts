import { EXPOSE, failed, Passing } from './failure.js'

/** What an answer means, by its status alone. */
export type Meaning = 'part' | 'whole' | 'behind the end' | 'absent'

/** Throws where the status is a failure. */
export function meaningOf(response: Response, file: string, now: number): Meaning {
  const { status } = response
  switch (status) {
    case 200:
      return 'whole'
    case 206:
      return 'part'
    case 404:
    case 410:
      return 'absent'
    case 416:
      return 'behind the end'
    case 401:
    case 403:
      throw failed(
        'permission_denied',
        file,
        `is refused by the host (${status}): check tokens and signatures. Some hosts also answer so where there is no such file; ` +
          `a recask.json in the folder (recask index) and the option index: true spare them the question`,
      )
    case 408:
    case 425:
    case 429:
      throw new Passing(
        failed('io', file, `was asked for too often or too slowly (${status}); try again later`),
        wait(response, now),
      )
  }
  if (status >= 500) {
    throw new Passing(
      failed('io', file, `cannot be had: the host failed with status ${status}; try again later`),
      wait(response, now),
    )
  }
  throw failed('io', file, `cannot be had: the host answered with status ${status}`)
}

/** `Retry-After`: seconds, or a date. */
function wait(response: Response, now: number): number | undefined {
  const text = response.headers.get('Retry-After')
  if (text === null) return undefined
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}

/** Ranges of an encoded file are ranges of something else. */
export function refuseEncoding(response: Response, file: string): void {
  const encoding = response.headers.get('Content-Encoding')
  if (encoding === null || encoding.toLowerCase() === 'identity') return
  throw failed(
    'unsupported',
    file,
    `comes with Content-Encoding: ${encoding}, so its ranges are not those of the file; publish it without an encoding, or stop ` +
      `the host from compressing it`,
  )
}

/** The length of the body as announced; `undefined` where it says nothing of what arrives. */
export function announcedLength({ headers }: Response): number | undefined {
  const text = headers.get('Content-Length')
  if (text === null || !/^\d+$/.test(text) || headers.has('Content-Encoding')) return undefined
  return Number(text)
}

export function hidden(file: string, what: string): Error {
  return failed('unsupported', file, `${what} cannot be known, as the host hides Content-Range from this page: ${EXPOSE}`)
}
