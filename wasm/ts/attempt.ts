import type { PreparedDirectory } from './directory/prepared.js'
import { isNeeds, RecaskError } from './errors.js'
import { Files } from './files.js'
import type { Options } from './interface.js'
import { enter, memoryLimit } from './module.js'
import type { Need, RawModule } from './raw.js'
import type { Brought, Coalescing } from './source/source.js'
import { changed } from './writing.js'

export interface AttemptOptions extends Options {
  /** More bytes than this are not brought: {@link TooMuch}. By default what `init` was told. */
  readonly most?: number | undefined
  /** Which reads the source would rather have as one. */
  readonly coalescing?: Coalescing | undefined
  /** The call works on the open files of this directory. */
  readonly directory?: PreparedDirectory | undefined
}

/** Thrown before anything is fetched: the caller wanted less for one call. */
export class TooMuch extends Error {}

/**
 * Calls WebAssembly until it has all bytes that it needs. What was brought is held here until the call succeeds and is in
 * WebAssembly only while the call runs, so any number of attempts go on at the same time over the same files.
 */
export async function attempt<T>(call: (raw: RawModule) => T, options: AttemptOptions = {}): Promise<T> {
  const { signal, most, directory } = options
  const held: Held = { asked: [], brought: [], bytes: 0 }
  for (;;) {
    signal?.throwIfAborted()
    const now = () => once(call, held, options)
    const outcome = directory ? await changed(directory, now, { signal }) : now()
    if ('value' in outcome) return outcome.value
    refuseRepetition(outcome.needs, held)
    refuseTooMuch(outcome.needs, held, most)
    for (const need of outcome.needs) held.asked.push(need)
    for (const brought of await bring(outcome.needs, signal)) {
      held.brought.push(brought)
      if ('bytes' in brought) held.bytes += brought.bytes.length
    }
  }
}

interface Held {
  readonly asked: Need[]
  readonly brought: Brought[]
  bytes: number
}

type Outcome<T> = { readonly value: T } | { readonly needs: readonly Need[] }

function once<T>(call: (raw: RawModule) => T, { brought }: Held, { coalescing, directory }: AttemptOptions): Outcome<T> {
  const used = new Set<Files>()
  try {
    enter((raw) => {
      if (coalescing) raw.setCoalescing(coalescing.gap, coalescing.max)
      for (const piece of brought) used.add(put(piece))
    })
    return { value: enter(call) }
  } catch (thrown) {
    // A directory that has to open a file first is asked in the same way, without needs.
    if (isNeeds(thrown) && (thrown.needs.length > 0 || !directory)) return thrown
    throw thrown
  } finally {
    clear(used)
  }
}

function put(piece: Brought): Files {
  const files = filesOf(piece.files)
  if ('absent' in piece) {
    files.raw.absent(piece.name)
    return files
  }
  if (piece.length !== undefined) files.raw.know(piece.name, piece.length)
  if (piece.bytes.length > 0) files.raw.put(piece.name, piece.start, piece.bytes)
  return files
}

function clear(used: ReadonlySet<Files>): void {
  try {
    for (const files of used) enter(() => files.raw.clear())
  } catch {
    // Only where the call itself brought the module down, and says so.
  }
}

function filesOf(id: number): Files {
  const files = Files.withId(id)
  if (!files) throw new RecaskError('invalid_argument', 'a store or table that this reads from has been closed')
  return files
}

/** Every source reads for itself. */
async function bring(needs: readonly Need[], signal: AbortSignal | undefined): Promise<Brought[]> {
  const requests = new Map<Files, Need[]>()
  for (const need of needs) {
    const files = filesOf(need.files)
    const wanted = requests.get(files)
    if (wanted) wanted.push(need)
    else requests.set(files, [need])
  }
  const answers = await Promise.all(Array.from(requests, ([files, wanted]) => files.source.read(wanted, signal)))
  return answers.flat()
}

/** What was brought once does not help the second time: the call would be made for ever. */
function refuseRepetition(needs: readonly Need[], { asked }: Held): void {
  const isAnswered = (need: Need) =>
    asked.some((one) => one.files === need.files && one.name === need.name && one.start <= need.start && need.end <= one.end)
  if (!needs.every(isAnswered)) return
  const [first] = needs
  const what = first ? `${first.name} from ${first.start} to ${first.end}` : 'nothing'
  throw new RecaskError('internal', `a call goes on asking for bytes that it has: ${what}`)
}

function refuseTooMuch(needs: readonly Need[], { bytes }: Held, most = memoryLimit()): void {
  const wanted = needs.reduce((sum, need) => sum + need.end - need.start, bytes)
  if (wanted <= most) return
  if (most < memoryLimit()) throw new TooMuch()
  throw new RecaskError(
    'limit',
    `this call reads ${wanted} bytes at once, more than the ${most} that it may: ask for less at a time, or give init() more memory`,
  )
}
