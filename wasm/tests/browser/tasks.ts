/** What a page or a worker can be asked to do. */

import type { Answer, Order } from './protocol.js'
import { beRefused, hold } from './tasks/busy.js'
import { collectGarbage } from './tasks/collected.js'
import { conform } from './tasks/conform.js'
import { copyAndRead } from './tasks/copied.js'
import { directoryTest, directoryTests } from './tasks/directory.js'
import { beginWriting, writeAfter, writeOn } from './tasks/killed.js'
import { gatherLarge, measure, openLarge, writeLarge } from './tasks/large.js'
import { remove } from './tasks/opfs.js'
import { openWithLittle, wantTooMuch } from './tasks/limit.js'
import { readTwice } from './tasks/read.js'
import { underWay } from './tasks/waiting.js'
import { writeForOthers } from './tasks/written.js'

// Each checks by itself what it takes: the two sides are built from the same sources.
const TASKS: Readonly<Record<string, (argument: never, files: readonly File[]) => Promise<unknown>>> = {
  conform,
  'collect garbage': collectGarbage,
  'write for others': writeForOthers,
  'copy and read': copyAndRead,
  'directory tests': directoryTests,
  'directory test': directoryTest,
  'begin writing': beginWriting,
  'write on': writeOn,
  'write after': writeAfter,
  'write large': writeLarge,
  'open large': openLarge,
  'gather large': gatherLarge,
  'read twice': readTwice,
  'open with little memory': openWithLittle,
  'want too much': wantTooMuch,
  hold,
  measure,
  remove,
  'under way': underWay,
  'be refused': beRefused,
}

export async function perform({ task, argument, files }: Order): Promise<Answer> {
  try {
    const work = TASKS[task]
    if (work === undefined) {
      throw new Error(`there is no task ${task}`)
    }
    return { value: await work(argument as never, files) }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
