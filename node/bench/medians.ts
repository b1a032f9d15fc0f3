/** What several passes say. */

import type { Line } from './job.js'

/** One line for each benchmark and subject: that of the pass in the middle. */
export function medians(lines: readonly Line[]): Line[] {
  const groups = new Map<string, Line[]>()
  for (const line of lines) {
    const key = `${line.runtime} ${line.name} ${line.subject}`
    groups.set(key, [...(groups.get(key) ?? []), line])
  }
  return Array.from(groups.values(), (group) => {
    const sorted = group.sort((left, right) => left.seconds - right.seconds)
    const rounds = group.reduce((sum, line) => sum + line.rounds, 0)
    return { ...sorted[(sorted.length - 1) >> 1]!, rounds }
  })
}
