/** The directories of the package over the real origin private file system: a worker of its own for each test. */

import { deepStrictEqual } from 'node:assert'

import type { Site } from '../site.js'
import { type Ask, PAGE, type Setting } from '../steps.js'

/** What the test of a full device may store. */
const LITTLE = 64 * 1024 * 1024

/** Tests that need more than a worker and an empty folder. */
const LEFT = 'storeThatIsLeft'
const FOUND = 'storeThatWasLeft'
const FULL = 'fullDevice'
const IN_A_PAGE = 'writingInAPage'

export async function directories(ask: Ask, _: Site, { limitSpace, end }: Setting): Promise<string> {
  const names = (await ask('directory tests', null)) as string[]
  const others = names.filter((name) => ![LEFT, FOUND, FULL, IN_A_PAGE].includes(name))
  const failures: string[] = []
  const run = (name: string, folder = name, worker = name) =>
    ask('directory test', { name, folder }, worker).catch((error: unknown) => failures.push(`${name}: ${error}`))
  for (const name of others) {
    await run(name)
  }
  await run(LEFT)
  await end(LEFT)
  await run(FOUND, LEFT)
  await run(IN_A_PAGE, IN_A_PAGE, PAGE)
  await limitSpace(LITTLE)
  await run(FULL)
  await limitSpace()
  deepStrictEqual(failures, [])
  return `${names.length} tests`
}
