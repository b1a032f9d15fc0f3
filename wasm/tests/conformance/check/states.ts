/** Cases of states: where a run of a loader stands, as text and back. */

import type { LoaderOptions, Mode } from '../../../ts/interface.js'
import type { ResumedAt, StateCase, StateOfCase, Whole } from '../cases.js'
import type { Door, StateFields } from '../door.js'
import { digits, same, settle } from '../settle.js'
import { orderOf, type Streams, withStreams } from './loads.js'

export async function stateWritten<Place>(door: Door<Place>, test: StateOfCase): Promise<void> {
  await withStreams(door, test.streams, (open) =>
    settle(
      async () => {
        const streams = await open()
        const { step, done } = cursor(test)
        const loss = { onLoss: test.on_loss }
        const text = await stateOf(door, streams, { ...orderOf(test), ...loss, step })
        if (done.length === 0) {
          return text
        }
        // A loader here delivers in order: it is ahead of itself only where it goes on from a run that was.
        const ahead = text.replace('"done": []', `"done": ${JSON.stringify(done).replaceAll(',', ', ')}`)
        const { batch, rank, world } = orderOf(test)
        return stateOf(door, streams, { batch, rank, world, ...loss, state: ahead })
      },
      test.expect,
      (text, wanted) => same('text', text, wanted.text),
    ),
  )
}

/** The lowest step that was not delivered, and those above it that were. */
function cursor({ step, done }: { step: Whole; done: readonly Whole[] }): { step: bigint; done: string[] } {
  const delivered = new Set(done.map(BigInt))
  let next = BigInt(step)
  while (delivered.has(next)) {
    next += 1n
  }
  const above = [...delivered].filter((each) => each > next)
  return { step: next, done: digits(above.sort((left, right) => (left < right ? -1 : 1))) }
}

async function stateOf<Place>(door: Door<Place>, streams: Streams, options: LoaderOptions): Promise<string> {
  const loader = new door.recask.Loader(streams, options)
  try {
    return await loader.state()
  } finally {
    await loader.close()
  }
}

/** Reads the text, and where there are streams goes on over them too. */
export async function stateRead<Place>(door: Door<Place>, test: StateCase): Promise<void> {
  await withStreams(door, test.streams ?? [], (open) =>
    settle(
      async () => {
        const fields = door.inside.readState(test.text)
        if (test.streams !== undefined) {
          await goOn(door, await open(), test, fields)
        }
        return { fields, indices: at(door, fields, test) }
      },
      test.expect,
      ({ fields, indices }, wanted) => same('state', described(fields, indices), described(wanted, wanted.indices)),
    ),
  )
}

/** A loader that goes on from the text stands where the text says, and delivers that step next. */
async function goOn<Place>(
  door: Door<Place>,
  streams: Streams,
  { text, rank = 0, world = 1, on_loss: onLoss }: StateCase,
  { step, done, batch }: StateFields,
): Promise<void> {
  const options = { batch: Number(batch), state: text, rank, world, onLoss }
  const loader = new door.recask.Loader(streams, options)
  try {
    const again = door.inside.readState(await loader.state())
    same('where the loader stands', digits([again.step, ...again.done]), digits([step, ...done]))
    same('rank of the loader', digits([again.rank, again.world]), digits([rank, world]))
    if (onLoss === undefined) {
      same('its next step', (await loader.next())?.step, step)
    }
  } finally {
    await loader.close()
  }
}

function at<Place>(
  door: Door<Place>,
  { mode, seed, batch, length, step }: StateFields,
  { rank = 0, world = 1 }: StateCase,
): BigUint64Array {
  const order = { mode: mode as Mode, seed, batch: Number(batch), length, rank, world }
  return new door.recask.Sampler(order).at(step)
}

/** The fields in one order, whole numbers as digits. */
function described(fields: StateFields | ResumedAt, indices: Iterable<Whole | bigint>): object {
  const { mode, seed, batch, length, step, done, rank, world, text } = fields
  return {
    mode,
    numbers: digits([seed, batch, length, step, rank, world]),
    done: digits(done),
    indices: digits(indices),
    text,
  }
}
