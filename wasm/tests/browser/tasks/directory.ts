/** The directories over the real origin private file system. */

import * as tests from '../../directory/opfs.browser.js'
import type { RawModule } from '../../../ts/raw.js'
import { modules, recask } from '../package.js'

/** The names of all tests. */
export async function directoryTests(): Promise<string[]> {
  return Object.keys(tests)
}

/** Runs a test over the folder of this name, which is made where it is missing. */
export async function directoryTest({ name, folder }: { name: string; folder: string }): Promise<void> {
  const { init } = await recask()
  await init()
  const { module } = await modules()
  let raw: RawModule | undefined
  module.enter((running) => {
    raw = running
  })
  const root = await navigator.storage.getDirectory()
  const test = (tests as Readonly<Record<string, (given: tests.Given) => Promise<void>>>)[name]
  await test!({ raw: raw!, folder: await root.getDirectoryHandle(folder, { create: true }) })
}
