import { discard } from './body.js'
import { Passing } from './failure.js'
import { Part } from './part.js'
import { send, type Answer, type Target } from './send.js'
import { meaningOf } from './status.js'
import { readWhole } from './whole.js'

/** What a transfer brought. */
export type Arrival =
  /** From where it was asked for; fewer bytes where the file ends. */
  | { readonly kind: 'part'; readonly bytes: Uint8Array }
  /** The whole file, from a host that ignores ranges. */
  | { readonly kind: 'whole'; readonly bytes: Uint8Array }
  | { readonly kind: 'absent' }

const FIRST_WAIT = 250
const LONGEST_WAIT = 60_000

/** Brings the bytes from `start` to before `end`, in several requests where one fails or brings less than that. */
export async function transfer(target: Target, start: number, end: number, signal: AbortSignal): Promise<Arrival> {
  const { host } = target
  const part = new Part(target, start, end)
  for (let attempt = 1; ;) {
    try {
      const arrival = await host.limit.run(() => request(target, part, signal), signal)
      if (arrival) return arrival
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Passing)) throw error
      if (attempt >= host.attempts || (error.after ?? 0) > LONGEST_WAIT) throw error.final
      // Half of the wait is chance, so that those who failed together do not come back together.
      const wait = FIRST_WAIT * 2 ** (attempt - 1) * (0.5 + host.clock.random() / 2)
      attempt += 1
      await host.clock.sleep(Math.max(wait, error.after ?? 0), signal)
    }
  }
}

/** Sends one request; `undefined` where there is more to be asked for. */
async function request(target: Target, part: Part, signal: AbortSignal): Promise<Arrival | undefined> {
  const { host } = target
  const { next: start, end } = part
  const time = host.clock.now()
  let status = 0
  let bytes = 0
  const count = (piece: Uint8Array) => {
    bytes += piece.length
  }
  try {
    const answer = await send(target, start, end, signal)
    status = answer.response.status
    const arrival = await take(answer, target, part, count)
    if (arrival === 'elsewhere') return undefined
    return arrival
  } finally {
    const url = target.name
    host.statistics.record({ url, start, end, status, bytes, time, milliseconds: host.clock.now() - time })
  }
}

type Count = (piece: Uint8Array) => void

async function take(answer: Answer, target: Target, part: Part, count: Count): Promise<Arrival | undefined | 'elsewhere'> {
  const { response } = answer
  try {
    if (response.redirected) target.direct = response.url
    else if (target.direct !== undefined && [401, 403, 404, 410].includes(response.status)) {
      // The address may have been good for a while only.
      target.direct = undefined
      return 'elsewhere'
    }
    switch (meaningOf(response, target.name, target.host.clock.now())) {
      case 'part':
        return (await part.take(response, count)) ? { kind: 'part', bytes: part.bytes } : undefined
      case 'behind the end':
        part.takeEnd(response)
        return { kind: 'part', bytes: part.bytes }
      case 'whole':
        return { kind: 'whole', bytes: await readWhole(answer, target, count) }
      case 'absent':
        if (target.version) throw target.changed('it is not there any more')
        return { kind: 'absent' }
    }
  } finally {
    // Of what was read to its end, nothing is left.
    await discard(response)
  }
}
