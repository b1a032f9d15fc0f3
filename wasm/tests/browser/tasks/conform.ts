/** Runs the conformance cases over one kind of place. */

import { allCases, type Case } from '../../conformance/cases.js'
import type { Door } from '../../conformance/door.js'
import { memoryDoor } from '../../conformance/doors/memory.js'
import type { Place } from '../../conformance/doors/package.js'
import { urlDoor } from '../../conformance/doors/url.js'
import { Golden, unpacked } from '../../conformance/golden.js'
import { insideOf } from '../../conformance/inside.js'
import { line, run } from '../../conformance/runner.js'
import { handleDoor, opfsDoor, pickedDoor } from '../doors.js'
import type { Conformance, Conformed } from '../job.js'
import { modules, recask } from '../package.js'
import { watchCalls, watched } from './waiting.js'

/** How many cases run at the same time: most of them wait for the browser most of the time. */
const LANES = 6

export async function conform(job: Conformance, files: readonly File[]): Promise<Conformed> {
  watchCalls()
  const { init, capabilities } = await recask()
  await init(job.threads ? {} : { threads: false })
  const [cases, golden] = await Promise.all([casesOf(job), allGolden()])
  const started = performance.now()
  const doors: Door<Place>[] = []
  while (doors.length < LANES) {
    doors.push(await doorOf(job, doors.length, golden, files))
  }
  const result = await runCases(doors, cases)
  return { ...result, threads: capabilities().threads, milliseconds: performance.now() - started }
}

async function casesOf({ suites, only }: Conformance): Promise<Case[]> {
  const cases = await allCases(async (file) => (await fetch(`/cases/${file}`)).text(), suites)
  return cases.filter(({ name }) => name.includes(only))
}

async function allGolden(): Promise<Golden> {
  const answer = await fetch('/golden.bin')
  return new Golden(unpacked(new Uint8Array(await answer.arrayBuffer())))
}

async function doorOf({ source }: Conformance, lane: number, golden: Golden, files: readonly File[]): Promise<Door<Place>> {
  const package_ = await recask()
  const inside = insideOf(await modules())
  switch (source) {
    case 'url':
      return urlDoor(package_, inside, golden, new URL('/golden/', location.href), false)
    case 'url with recask.json':
      return urlDoor(package_, inside, golden, new URL('/listed/', location.href), true)
    case 'picked files':
      return pickedDoor(package_, inside, golden, files)
    case 'directory handle':
      return handleDoor(package_, inside, golden)
    case 'opfs':
      return opfsDoor(package_, inside, golden, lane)
    case 'memory':
      return memoryDoor(package_, inside, golden)
  }
}

async function runCases(
  doors: readonly Door<Place>[],
  cases: readonly Case[],
): Promise<Omit<Conformed, 'threads' | 'milliseconds'>> {
  const failures: string[] = []
  const skips: Record<string, number> = {}
  const times: [name: string, milliseconds: number][] = []
  let passed = 0
  const waiting = cases.values()
  const lane = async (door: Door<Place>) => {
    for (const test of waiting) {
      const started = performance.now()
      const outcome = await watched(test.name, run(door, test))
      times.push([test.name, Math.round(performance.now() - started)])
      if (outcome.status === 'ok') {
        passed += 1
      } else if (outcome.status === 'FAIL') {
        failures.push(line(outcome))
      } else {
        skips[outcome.reason] = (skips[outcome.reason] ?? 0) + 1
      }
    }
  }
  await Promise.all(doors.map(lane))
  const skipped = Object.values(skips).reduce((sum, count) => sum + count, 0)
  const slowest = times.sort(([, left], [, right]) => right - left).slice(0, 5)
  return { passed, failed: failures.length, skipped, failures, skips, slowest }
}
