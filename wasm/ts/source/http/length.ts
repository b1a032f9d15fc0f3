import { discard } from './body.js'
import { hidden, announcedLength } from './status.js'
import { send, type Target } from './send.js'
import { versionOf } from './version.js'

/**
 * The length of a file whose `Content-Range` is hidden: of a range that reaches behind the end, `Content-Length` says how much
 * is there. The bytes are not waited for.
 */
export async function measure(target: Target, signal: AbortSignal): Promise<void> {
  const { host, name } = target
  const start = 0
  const end = Number.MAX_SAFE_INTEGER
  const time = host.clock.now()
  const { response } = await host.limit.run(() => send(target, start, end, signal), signal)
  await discard(response)
  const { status } = response
  host.statistics.record({ url: name, start, end, status, bytes: 0, time, milliseconds: host.clock.now() - time })
  const total = status === 206 ? announcedLength(response) : undefined
  if (total === undefined) throw hidden(name, 'its length')
  target.learn(versionOf(response.headers, total))
}
